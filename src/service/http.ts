import type { IncomingHttpHeaders } from 'node:http'
import type * as z from 'zod/mini'
import { Failure } from '../failure.ts'
import type { Reply, Request } from '../model/exchange.ts'
import { parseIfJson, stringifyJson } from '../model/json.ts'
import { explainIssues, type ServiceError } from '../model/schema.ts'
import { sqliteErrorKind } from '../platform/sqlite.ts'

/**
 * A request for a route. Its body is read only by a route that takes one, after the key is checked.
 */
export interface ServiceRequest extends Pick<Request, 'method' | 'url'> {
  readonly headers: Pick<IncomingHttpHeaders, 'authorization' | 'content-type'>
  /** Not necessarily the whole body if it is larger than `bodyLimit`. */
  readBody(): Promise<Uint8Array>
}

export interface ServiceReply extends Reply {
  /** Happens instead: the connection is closed, or stays open and silent. */
  readonly fault?: 'dropped' | 'stalled'
}

/** The largest body that is accepted, in bytes. */
export const bodyLimit = 1024 * 1024

/** The content type of JSON, which has no other charset than UTF-8. */
const jsonContentType = /^\s*application\/json\s*(;|$)/i

/** A value checked against a schema, which may convert it. */
export function checked<Value>(schema: z.ZodMiniType<Value>, value: unknown): Value {
  const result = schema.safeParse(value)
  if (!result.success) throw invalid(explainIssues(result.error))
  return result.data
}

/** The JSON body of a request, checked against a schema. */
export async function bodyAs(schema: z.ZodMiniType, request: ServiceRequest): Promise<unknown> {
  const bytes = await request.readBody()
  if (bytes.byteLength > bodyLimit)
    throw new Refusal(413, 'too_large', `the body is larger than ${bodyLimit} bytes`)
  if (!jsonContentType.test(request.headers['content-type'] ?? ''))
    throw invalid('the content type must be application/json')
  const value = parseIfJson(bytes)
  if (value === undefined) throw invalid('the body is not JSON')
  return checked(schema, value)
}

type Headers = Readonly<Record<string, string>>

/** A request that is refused, with an Error body. Thrown from any depth. */
export class Refusal extends Error {
  readonly reply: Reply

  constructor(status: number, code: string, message: string, headers: Headers = {}) {
    super(message)
    this.reply = jsonReply(status, { code, message, status } satisfies ServiceError, headers)
  }
}

export function invalid(message: string): Refusal {
  return new Refusal(400, 'invalid_request', message)
}

export function jsonReply(status: number, value: unknown, headers: Headers = {}): Reply {
  const body = Buffer.from(stringifyJson(value))
  return {
    status,
    headers: {
      'content-type': 'application/json',
      'content-length': String(body.byteLength),
      ...headers
    },
    body
  }
}

/**
 * The Error reply for any thrown value. `onFailure` receives a Failure that is no reason to try
 * again; it may throw it.
 */
export function errorReply(error: unknown, onFailure?: (failure: Failure) => void): Reply {
  if (error instanceof Refusal) return error.reply
  // The message of a Failure is for the user of this machine, because it contains paths.
  const fault = error instanceof Failure ? (error.cause ?? error) : error
  // `Retry-After` promises that nothing was changed: a busy database has not started.
  if (sqliteErrorKind(fault) === 'busy') {
    return new Refusal(503, 'busy', 'another program has locked the database', {
      'retry-after': '1'
    }).reply
  }
  if (error instanceof Failure) onFailure?.(error)
  const reason = fault instanceof Error ? fault.message : String(fault)
  return new Refusal(500, 'internal', `the local service failed: ${reason}`).reply
}
