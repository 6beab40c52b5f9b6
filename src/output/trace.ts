import { headerLines, type Observer, type Reply, type Request } from '../model/exchange.ts'
import type { Redact } from './messages.ts'
import type { Reporter } from './reporter.ts'

/** Longer bodies are cut. */
const mostCharacters = 20_000

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
  // A secret that is cut in two could no longer be found.
  const text = redact(typeof body === 'string' ? body : new TextDecoder().decode(body))
  const rest = text.length - mostCharacters
  return ['', ...text.slice(0, mostCharacters).split('\n'), ...(rest > 0 ? [`… and ${rest} more characters`] : [])]
}
