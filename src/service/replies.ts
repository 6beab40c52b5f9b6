import { Failure } from '../failure.ts'
import type { Reply } from '../model/exchange.ts'
import { stringifyJson } from '../model/json.ts'
import type { ServiceError } from '../model/pets.ts'
import { sqliteErrorKind } from '../platform/sqlite.ts'

type Headers = Readonly<Record<string, string>>

/** A request that is refused: the status and the Error body. Thrown from any depth. */
export class Refusal extends Error {
  readonly status: number
  readonly code: string
  readonly headers: Headers

  constructor(status: number, code: string, message: string, headers: Headers = {}) {
    super(message)
    this.name = 'Refusal'
    this.status = status
    this.code = code
    this.headers = headers
  }
}

export function invalid(message: string): Refusal {
  return new Refusal(400, 'invalid_request', message)
}

export function jsonReply(status: number, value: unknown, headers: Headers = {}): Reply {
  const body = Buffer.from(stringifyJson(value))
  return {
    status,
    headers: { 'content-type': 'application/json', 'content-length': String(body.byteLength), ...headers },
    body,
  }
}

export function refusalReply({ status, code, message, headers }: Refusal): Reply {
  return jsonReply(status, { code, message, status } satisfies ServiceError, headers)
}

/** The Error body of anything that was thrown. */
export function errorReply(error: unknown): Reply {
  if (error instanceof Refusal) return refusalReply(error)
  // `Retry-After` promises that nothing was changed: a busy database has not started.
  if (sqliteErrorKind(error) === 'busy') {
    return refusalReply(new Refusal(503, 'busy', 'another program has locked the database', { 'retry-after': '1' }))
  }
  // A Failure is for the user of this machine: its message says where the files are.
  const fault = error instanceof Failure ? (error.cause ?? error) : error
  const reason = fault instanceof Error ? fault.message : String(fault)
  return refusalReply(new Refusal(500, 'internal', `the local service failed: ${reason}`))
}
