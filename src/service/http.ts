import type * as z from 'zod/mini'
import { Failure } from '../failure.ts'
import type { Reply } from '../model/exchange.ts'
import { explainIssues } from '../model/schema.ts'
import { parseIfJson, stringifyJson } from '../text/json.ts'

export interface ServiceRequest {
  readonly method: string
  /** With its query. */
  readonly path: string
  /** Names in lower case. */
  readonly headers: Reply['headers']
  /** Whether it has the API key. */
  readonly isAuthorized: boolean
  /** Not necessarily the whole body if it is larger than `bodyLimit`. */
  readonly body: Buffer
}

export interface ServiceReply extends Reply {
  /** Happens instead: the connection is closed, or stays open and silent. */
  readonly fault?: 'dropped' | 'stalled'
}

/** Answers a request around the work that answers it. */
export type Around = (
  request: ServiceRequest,
  answer: () => Promise<ServiceReply>
) => Promise<ServiceReply>

/** The largest body that is accepted, in bytes. */
export const bodyLimit = 1024 * 1024

/** The content type of JSON, which has no other charset than UTF-8. */
const jsonContentType = /^\s*application\/json\s*(;|$)/i

/** A header that has one value; empty if there is none. */
export const headerOf = ({ headers }: Pick<Reply, 'headers'>, name: string) =>
  String(headers[name] ?? '')

/** A value checked against a schema, which may convert it. */
export function checked<Value>(schema: z.ZodMiniType<Value>, value: unknown) {
  const { data, error } = schema.safeParse(value)
  if (error !== undefined) throw invalid(explainIssues(error))
  return data
}

/** The JSON body of a request, checked against a schema. */
export function bodyAs(schema: z.ZodMiniType, request: ServiceRequest) {
  if (request.body.byteLength > bodyLimit)
    throw new Refusal(413, 'too_large', `the body is larger than ${bodyLimit} bytes`)
  if (!jsonContentType.test(headerOf(request, 'content-type')))
    throw invalid('the content type must be application/json')
  const value = parseIfJson(request.body)
  if (value === undefined) throw invalid('the body is not JSON')
  return checked(schema, value)
}

/** Replies that say when to try again, which promises that nothing was changed. */
const temporary = [429, 503]

/** A request that is refused, with an Error body. Thrown from any depth. */
export class Refusal extends Error {
  readonly reply: Reply

  constructor(status: number, code: string, message: string, headers?: Reply['headers']) {
    super(message)
    const wait = temporary.includes(status) && { 'retry-after': '1' }
    this.reply = jsonReply(status, { code, message, status }, { ...wait, ...headers })
  }
}

export const invalid = (message: string) => new Refusal(400, 'invalid_request', message)

export function textReply(status: number, json: string, headers?: Reply['headers']): Reply {
  const all = { 'content-type': 'application/json', ...headers }
  return { status, headers: all, body: Buffer.from(json) }
}

export const jsonReply = (status: number, value: unknown, headers?: Reply['headers']) =>
  textReply(status, stringifyJson(value), headers)

/**
 * The Error reply for any thrown value. `onFailure` receives a Failure that is no reason to try
 * again; it may throw it.
 */
export function errorReply(error: unknown, onFailure?: (failure: Failure) => void) {
  if (error instanceof Refusal) return error.reply
  if (error instanceof Failure) {
    if (error.isRetryable)
      return new Refusal(503, 'busy', 'another program has locked the database').reply
    onFailure?.(error)
  }
  return new Refusal(500, 'internal', `the local service failed: ${(error as Error).message}`).reply
}
