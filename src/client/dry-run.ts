import { isUtf8 } from 'node:buffer'
import { Failure } from '../failure.ts'
import type { Request } from '../model/exchange.ts'
import { parseIfJson } from '../text/json.ts'
import {
  isWindows,
  quotedValue,
  shellQuoted,
  systemCommand,
  variableInText
} from '../text/shell.ts'
import { unicodeEscape, visibleText } from '../text/visible.ts'

/**
 * A request as a command for a shell, with this between its options, and as a value for programs.
 * Both are without the secrets that a body, a header or a query may have: what is shown may be
 * copied into a ticket. Its own key is not one of them, because only its variable is shown.
 */
export function shownRequest(request: Request, hide: (text: string) => string, separator: string) {
  const { method, url, headers, body } = request
  const entries = Object.entries(headers).map(([name, value]) => [hide(name), hide(value)])
  const text = body === undefined ? null : hide(textOf(body))
  const shown = { method, url: hide(url), headers: Object.fromEntries(entries) }
  const curl = curlCommand(shown, text, separator)
  return { curl, value: { ...shown, body: text && (parseIfJson(text) ?? text), curl } }
}

/** A body as text that does not act on a terminal: a command can hold no other. */
function textOf(body: string | Uint8Array) {
  const bytes = Buffer.from(body)
  const text = bytes.toString()
  if (isUtf8(bytes) && visibleText(text) === text) return text
  throw new Failure('usage', '--dry-run cannot show a body that is not plain text')
}

function curlCommand({ method, url, headers }: Request, body: string | null, separator: string) {
  const command = (...data: string[]) => {
    const options = [
      `${systemCommand('curl')} --silent --show-error --globoff`,
      method === 'HEAD' ? '--head' : `--request ${method}`,
      ...Object.entries(headers).map(headerOption),
      ...data,
      shellQuoted(url)
    ]
    return options.join(separator)
  }
  if (body === null) return command()
  if (!isWindows) return command(`--data-raw ${shellQuoted(body)}`)
  // PowerShell of Windows drops the quotes in an argument.
  const piped = command(`--data-binary ${shellQuoted('@-')}`)
  return `${quotedValue(asciiJson(body))} | ${piped}`
}

/** PowerShell of Windows writes only ASCII to a pipe; in JSON, other characters have escapes. */
const asciiJson = (text: string) => text.replace(/[^\0-~]/g, unicodeEscape)

function headerOption([name, value]: [name: string, value: string]) {
  if (name === 'authorization')
    return `--header "authorization: Bearer ${variableInText('PETSTORE_API_KEY')}"`
  // curl sends a header without a value only if it ends in a semicolon.
  return `--header ${shellQuoted(value === '' ? `${name};` : `${name}: ${value}`)}`
}
