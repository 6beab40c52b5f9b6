import { isUtf8 } from 'node:buffer'
import type { Request } from '../model/exchange.ts'
import { parseIfJson } from '../model/json.ts'
import {
  isWindows,
  quotedValue,
  shellQuoted,
  systemCommand,
  variableInText
} from '../platform/shell.ts'

/**
 * The request without secrets, which a body, a header or a query may have: what is shown may be
 * copied into a ticket. Its own key is not one of them, because only its variable is shown.
 */
export function withoutSecrets(
  { method, url, headers, body }: Request,
  hide: (text: string) => string
): Request {
  const shown = Object.entries(headers).map(([name, value]) => [hide(name), hide(value)])
  // Latin-1 keeps every byte.
  const isText = body === undefined || typeof body === 'string'
  const shownBody = isText
    ? body && hide(body)
    : Buffer.from(hide(Buffer.from(body).toString('latin1')), 'latin1')
  return { method, url: hide(url), headers: Object.fromEntries(shown), body: shownBody }
}

/** The request as a value for programs. */
export function requestAsValue({ method, url, headers, body }: Request, curl: string) {
  return { method, url, headers, body: bodyAsValue(body), curl }
}

/** JSON as a value, other text as it is, and bytes in Base64. */
function bodyAsValue(body: Request['body']): unknown {
  if (body === undefined) return null
  const bytes = Buffer.from(body)
  if (!isUtf8(bytes)) return bytes.toString('base64')
  const text = bytes.toString()
  const value = parseIfJson(text)
  return value === undefined ? text : value
}

/** Linux limits a single argument to 128 KiB. */
const longestArgument = 100_000

/** What acts on a terminal, or cannot be part of an argument; the joiner of emoji may stay. */
const active = /[^\P{C}\n\t\u200d]|[\p{Zl}\p{Zp}\ufffd]/u

/**
 * The request as a command for a shell, with this between its options. The key is always a
 * reference to its variable, whatever the request contains.
 */
export function curlCommand({ method, url, headers, body }: Request, separator: string): string {
  const curl = `${systemCommand('curl')} --silent --show-error --globoff`
  const headerOptions = Object.entries(headers).map(headerOption)
  const command = (...data: string[]) =>
    [curl, ...methodOptions(method, body), ...headerOptions, ...data, shellQuoted(url)].join(
      separator
    )
  if (body === undefined) return command()
  const bytes = Buffer.from(body)
  const text = bytes.toString()
  const piped = command(`--data-binary ${shellQuoted('@-')}`)
  const isArgument = isUtf8(bytes) && bytes.length <= longestArgument && !active.test(text)
  if (!isArgument)
    return `printf %s ${shellQuoted(bytes.toString('base64'))} | base64 --decode | ${piped}`
  // PowerShell of Windows drops the quotes in an argument.
  if (isWindows) return `${quotedValue(asciiJson(text))} | ${piped}`
  return command(`--data-raw ${shellQuoted(text)}`)
}

/** PowerShell of Windows writes only ASCII to a pipe; in JSON, other characters have escapes. */
const asciiJson = (text: string) =>
  text.replace(/[^\0-~]/g, unit => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)

function methodOptions(method: string, body: Request['body']): string[] {
  if (method === 'HEAD') return ['--head']
  return method === 'GET' && body === undefined ? [] : [`--request ${method}`]
}

function headerOption([name, value]: [name: string, value: string]): string {
  if (name === 'authorization')
    return `--header "authorization: Bearer ${variableInText('PETSTORE_API_KEY')}"`
  // curl sends a header without a value only if it ends in a semicolon.
  return `--header ${shellQuoted(value === '' ? `${name};` : `${name}: ${value}`)}`
}
