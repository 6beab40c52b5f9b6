import type { Observer, Reply, Request } from '../model/exchange.ts'
import type { Reporter } from './reporter.ts'

/** More of a body is counted and not shown. */
const mostCharacters = 20_000

/** Covers what is secret. It has to come before anything is cut off: half a key is not recognised. */
type Cover = (text: string) => string

/** Tells of every attempt, in the manner of `curl -v`. */
export function traceTo({ trace }: Pick<Reporter, 'trace'>): Observer {
  return {
    onRequest: (request) => trace((cover) => requestTrace(request, cover)),
    onReply: (_request, reply, milliseconds) => trace((cover) => replyTrace(reply, milliseconds, cover)),
    onFault: (_request, fault, milliseconds) => trace(() => faultTrace(fault, milliseconds)),
  }
}

/** A request as it goes out; the key is not shown, whatever it is. */
function requestTrace({ method, url, headers, body }: Request, cover: Cover): string {
  const shown = { ...headers, ...(headers.authorization !== undefined && { authorization: 'Bearer ***' }) }
  return traceOf('>', `${method} ${url}`, shown, bodyLines(body, cover))
}

/** A reply as it came in, and how long it took. */
function replyTrace({ status, headers, body }: Reply, milliseconds: number, cover: Cover): string {
  return traceOf('<', `${status} (${duration(milliseconds)})`, headers, bodyLines(body, cover))
}

/** An attempt that did not end in a reply. */
function faultTrace(fault: unknown, milliseconds: number): string {
  return `* ${fault instanceof Error ? fault.message : String(fault)} (${duration(milliseconds)})`
}

type Headers = Request['headers'] | Reply['headers']

function traceOf(mark: string, head: string, headers: Headers, body: readonly string[]): string {
  const fields = Object.entries(headers).flatMap(([name, value]) =>
    [value ?? []].flat().map((one) => `${name}: ${one}`),
  )
  return [head, ...fields, ...body].map((line) => `${mark} ${line}`.trimEnd()).join('\n')
}

function bodyLines(body: string | Uint8Array | undefined, cover: Cover): string[] {
  if (body === undefined || body.length === 0) return []
  const text = cover(typeof body === 'string' ? body : new TextDecoder().decode(body))
  const rest = text.length - mostCharacters
  return ['', ...text.slice(0, mostCharacters).split('\n'), ...(rest > 0 ? [`… and ${rest} characters more`] : [])]
}

function duration(milliseconds: number): string {
  return `${milliseconds} ms`
}
