import { isUtf8 } from 'node:buffer'
import type { Request } from '../model/exchange.ts'
import { parseIfJson } from '../model/json.ts'
import { shellQuoted } from '../platform/shell.ts'

/**
 * The request without secrets, which a body, a header or a query may have: what is shown may be
 * copied into a ticket. Its own key is not one of them, because only its variable is shown.
 */
export function withoutSecrets(
  { method, url, headers, body }: Request,
  hide: (text: string) => string,
): Request {
  const shown = Object.entries(headers).map(([name, value]) => {
    return [hide(name), name === 'authorization' ? value : hide(value)]
  })
  const isBytes = body !== undefined && typeof body !== 'string'
  // Latin-1 keeps every byte.
  const hidden = isBytes
    ? Buffer.from(hide(Buffer.from(body).toString('latin1')), 'latin1')
    : body && hide(body)
  return { method, url: hide(url), headers: Object.fromEntries(shown), body: hidden }
}

/** How curl takes the route that this program would take. */
export interface CurlRoute {
  /**
   * The variable with the URL of the proxy, which may hold a password; undefined for a direct
   * connection.
   */
  readonly proxyVariable: string | undefined
  /** Whether curl could read another route from the variables. */
  readonly isExplicit: boolean
}

/** The request as a value for programs. */
export function requestAsValue(request: Request, route: CurlRoute) {
  const body = bodyAsValue(request.body)
  return { ...request, body, curl: curlCommand(request, route) }
}

/** JSON as a value, other text as it is, and bytes in Base64. */
function bodyAsValue(body: Request['body']): unknown {
  if (body === undefined) return null
  const text = typeof body === 'string' ? body : utf8Text(body)
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
export function curlCommand({ method, url, headers, body }: Request, route: CurlRoute): string {
  const words = ['curl', '--silent', '--show-error', '--globoff']
  if (method === 'HEAD') words.push('--head')
  else if (method !== 'GET' || body !== undefined) words.push('--request', method)
  for (const [name, value] of Object.entries(headers)) {
    // curl sends a header without a value only if it ends in a semicolon.
    const header = value === '' ? `${name};` : `${name}: ${value}`
    words.push('--header', name === 'authorization' ? keyHeader : shellQuoted(header))
  }
  if (body === undefined && methodsWithBody.has(method))
    words.push('--header', shellQuoted('content-length: 0'))
  // Without an explicit content type, curl would label the body as a form.
  if (body !== undefined && headers['content-type'] === undefined)
    words.push('--header', shellQuoted('content-type:'))
  const text = body === undefined ? undefined : argumentText(body)
  if (text !== undefined) words.push('--data-raw', shellQuoted(text))
  const isEncoded = body !== undefined && text === undefined
  if (isEncoded) words.push('--data-binary', '@-')
  words.push(...routeWords(route), shellQuoted(url))
  const command = words.join(' ')
  return isEncoded
    ? `printf %s ${shellQuoted(Buffer.from(body).toString('base64'))} | base64 --decode | ${command}`
    : command
}

/** Of these, undici sends a length even if there is no body. curl does not. */
const methodsWithBody = new Set(['POST', 'PUT', 'PATCH', 'PROPFIND', 'PROPPATCH', 'QUERY'])

/** curl ignores HTTP_PROXY in capitals, and proxies loopback. */
function routeWords({ proxyVariable, isExplicit }: CurlRoute): string[] {
  if (!isExplicit) return []
  return proxyVariable === undefined
    ? ['--noproxy', "'*'"]
    : ['--proxy', `"$${proxyVariable}"`, '--noproxy', "''"]
}

const keyHeader = '"authorization: Bearer $PETSTORE_API_KEY"'

/** The body as it can be written in a command line; undefined if it cannot. */
function argumentText(body: string | Uint8Array): string | undefined {
  const text = typeof body === 'string' ? body : utf8Text(body)
  return text === undefined || Buffer.byteLength(text) > longestArgument || active.test(text)
    ? undefined
    : text
}

/** Undefined for bytes that are not UTF-8. A byte order mark stays. */
const utf8Text = (bytes: Uint8Array) => (isUtf8(bytes) ? Buffer.from(bytes).toString() : undefined)
