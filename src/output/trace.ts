import { headerLines, type Observer } from '../model/exchange.ts'
import type { Redact } from './messages.ts'
import type { Reporter } from './reporter.ts'

/** Longer bodies are cut. */
const mostCharacters = 20_000

/**
 * The first part of the text that is cut off is also searched for secrets, so that none is shown in part. Not all of
 * it: for a huge hostile reply, the search would take a minute.
 */
const mostSearched = 2 * mostCharacters

/** Shows every attempt at a request in the style of `curl -v`. */
export function traceTo({ trace }: Pick<Reporter, 'trace'>): Observer {
  return {
    onRequest: ({ method, url, headers, body }) => {
      const shown = { ...headers, ...(headers.authorization !== undefined && { authorization: 'Bearer ***' }) }
      return trace((redact) => marked('>', [`${method} ${url}`, ...headerLines(shown), ...bodyLines(body, redact)]))
    },
    onReply: (_request, { status, headers, body }, milliseconds) => {
      const head = [`${status} (${milliseconds} ms)`, ...headerLines(headers)]
      return trace((redact) => marked('<', [...head, ...bodyLines(body, redact)]))
    },
    onFault: (_request, fault, milliseconds) =>
      trace(() => `* ${fault instanceof Error ? fault.message : String(fault)} (${milliseconds} ms)`),
  }
}

function marked(mark: string, lines: readonly string[]): string {
  return lines.map((line) => `${mark} ${line}`.trimEnd()).join('\n')
}

function bodyLines(body: string | Uint8Array | undefined, redact: Redact): string[] {
  if (body === undefined || body.length === 0) return []
  const text = typeof body === 'string' ? body : new TextDecoder().decode(body)
  const shown = redact(text.slice(0, mostSearched)).slice(0, mostCharacters)
  const rest = text.length - mostCharacters
  return ['', ...shown.split('\n'), ...(rest > 0 ? [`… and ${rest} more characters`] : [])]
}
