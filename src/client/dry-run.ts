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
export function requestAsValue(request: Request) {
  const body = bodyAsValue(request.body)
  return { ...request, body, curl: curlCommand(request) }
}

/** JSON as a value, other text as it is, and bytes in Base64. */
function bodyAsValue(body: Request['body']): unknown {
  if (body === undefined) return null
  const text = textOf(body)
  if (text === undefined) return Buffer.from(body).toString('base64')
  const value = parseIfJson(text)
  return value === undefined ? text : value
}

/** Linux limits a single argument to 128 KiB. */
const longestArgument = 100_000

/** What acts on a terminal, or cannot be part of an argument; the joiner of emoji may stay. */
const active = /[^\P{C}\n\t\u200d]|[\p{Zl}\p{Zp}\ufffd]/u

/**
 * The request as a command for a shell. The key is always a reference to its variable, whatever the
 * request contains.
 */
export function curlCommand(request: Request): string {
  const { method, url, headers, body } = request
  const argument = body === undefined ? undefined : argumentText(body)
  const words = [
    `${systemCommand('curl')} --silent --show-error --globoff`,
    ...methodWords(method, body !== undefined),
    ...headerWords(headers),
    ...bodyWords(request, argument),
    shellQuoted(url)
  ]
  const command = words.join(' ')
  if (body === undefined) return command
  if (argument === undefined) {
    const encoded = Buffer.from(body).toString('base64')
    return `printf %s ${shellQuoted(encoded)} | base64 --decode | ${command}`
  }
  return isWindows ? `${quotedValue(asciiJson(argument))} | ${command}` : command
}

/** PowerShell of Windows writes only ASCII to a pipe; in JSON, other characters have escapes. */
const asciiJson = (text: string) =>
  text.replace(/[^\0-~]/g, unit => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)

/** A body that cannot be an argument comes through a pipe. */
function bodyWords({ method, headers, body }: Request, argument: string | undefined): string[] {
  if (body === undefined) return methodsWithBody.has(method) ? ["--header 'content-length: 0'"] : []
  // PowerShell of Windows drops the quotes in an argument.
  const isPiped = argument === undefined || isWindows
  const data = isPiped
    ? `--data-binary ${shellQuoted('@-')}`
    : `--data-raw ${shellQuoted(argument)}`
  // Without an explicit content type, curl would label the body as a form.
  return headers['content-type'] === undefined ? ['--header content-type:', data] : [data]
}

function methodWords(method: string, hasBody: boolean): string[] {
  if (method === 'HEAD') return ['--head']
  // These curl chooses by itself.
  return method === 'GET' && !hasBody ? [] : [`--request ${method}`]
}

function headerWords(headers: Request['headers']): string[] {
  return Object.entries(headers).map(([name, value]) => {
    if (name === 'authorization')
      return `--header "authorization: Bearer ${variableInText('PETSTORE_API_KEY')}"`
    // curl sends a header without a value only if it ends in a semicolon.
    const header = value === '' ? `${name};` : `${name}: ${value}`
    return `--header ${shellQuoted(header)}`
  })
}

/** Of these, undici sends a length even if there is no body. curl does not. */
const methodsWithBody = new Set(['POST', 'PUT', 'PATCH', 'PROPFIND', 'PROPPATCH', 'QUERY'])

/** The body as it can be written in a command line; undefined if it cannot. */
function argumentText(body: string | Uint8Array): string | undefined {
  const text = textOf(body)
  if (text === undefined || Buffer.byteLength(text) > longestArgument) return undefined
  return active.test(text) ? undefined : text
}

/** Undefined for bytes that are not UTF-8. A byte order mark stays. */
function textOf(body: string | Uint8Array): string | undefined {
  const bytes = Buffer.from(body)
  return isUtf8(bytes) ? bytes.toString() : undefined
}
