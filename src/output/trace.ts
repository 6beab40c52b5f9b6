import { headerLines, type Observer, type Reply, type Request } from '../model/exchange.ts'
import type { Redact } from './messages.ts'
import type { Reporter } from './reporter.ts'

/** Longer bodies are cut. */
const mostCharacters = 20_000

/**
 * What is cut off is searched for secrets too, so that none is shown in part, but no more of it than may be one: a hostile
 * reply is so large that the search would take a minute.
 */
const mostSearched = 2 * mostCharacters

/** Shows every attempt at a request in the style of `curl -v`. */
export function traceTo({ trace }: Pick<Reporter, 'trace'>): Observer {
  return {
    onRequest: (request) => trace((redact) => requestTrace(request, redact)),
    onReply: (_request, reply, milliseconds) => trace((redact) => replyTrace(reply, milliseconds, redact)),
    onFault: (_request, fault, milliseconds) => trace(() => faultTrace(fault, milliseconds)),
  }
}

function requestTrace({ method, url, headers, body }: Request, redact: Redact): string {
  const shown = { ...headers, ...(headers.authorization !== undefined && { authorization: 'Bearer ***' }) }
  return traceOf('>', `${method} ${url}`, shown, bodyLines(body, redact))
}

function replyTrace({ status, headers, body }: Reply, milliseconds: number, redact: Redact): string {
  return traceOf('<', `${status} (${milliseconds} ms)`, headers, bodyLines(body, redact))
}

function faultTrace(fault: unknown, milliseconds: number): string {
  return `* ${fault instanceof Error ? fault.message : String(fault)} (${milliseconds} ms)`
}

type Headers = Request['headers'] | Reply['headers']

function traceOf(mark: string, head: string, headers: Headers, body: readonly string[]): string {
  return [head, ...headerLines(headers), ...body].map((line) => `${mark} ${line}`.trimEnd()).join('\n')
}

function bodyLines(body: string | Uint8Array | undefined, redact: Redact): string[] {
  if (body === undefined || body.length === 0) return []
  const text = typeof body === 'string' ? body : new TextDecoder().decode(body)
  const shown = redact(text.slice(0, mostSearched)).slice(0, mostCharacters)
  const rest = text.length - mostCharacters
  return ['', ...shown.split('\n'), ...(rest > 0 ? [`… and ${rest} more characters`] : [])]
}
