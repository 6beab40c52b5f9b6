import { Failure } from '../failure.ts'
import type { Reply } from '../model/exchange.ts'
import { stringifyJson } from '../model/json.ts'
import type { ServiceError } from '../model/pets.ts'
import { isBusy } from './file.ts'

type Headers = Readonly<Record<string, string>>

/** A request that is refused: the status and the Error body, to be thrown from however deep. */
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

/** The reply that a piece of work comes to; whatever it throws becomes an Error body, unless it is to be passed on. */
export async function replyOf(
  work: () => Reply | Promise<Reply>,
  isPassedOn: (error: unknown) => boolean,
): Promise<Reply> {
  try {
    return await work()
  } catch (error) {
    if (isPassedOn(error)) throw error
    return refusalReply(error instanceof Refusal ? error : faultOf(error))
  }
}

export function refusalReply({ status, code, message, headers }: Refusal): Reply {
  return jsonReply(status, { code, message, status } satisfies ServiceError, headers)
}

/** `Retry-After` is a promise that nothing was changed, so it comes only where the database never began. */
function faultOf(error: unknown): Refusal {
  if (isBusy(error)) {
    return new Refusal(503, 'busy', 'another program holds the database', { 'retry-after': '1' })
  }
  // The words of a Failure are for who is at this machine: they tell where its files are.
  const fault = error instanceof Failure ? (error.cause ?? error) : error
  const reason = fault instanceof Error ? fault.message : String(fault)
  return new Refusal(500, 'internal', `the local service failed: ${reason}`)
}
