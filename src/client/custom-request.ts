import { Failure } from '../failure.ts'
import type { ServiceName } from '../model/endpoint.ts'
import type { Request } from '../model/exchange.ts'
import { parseIfJson, stringifyJson } from '../model/json.ts'

/** A request that the user composes. */
export interface CustomRequest {
  readonly service: ServiceName
  readonly method: string
  /** Includes the query; added to the URL unchanged. */
  readonly path: string
  readonly headers: Request['headers']
  readonly body?: Request['body']
}

/** A field of a request. Its value is a text or a JSON value. */
export interface Field {
  readonly name: string
  readonly value: unknown
}

/** `key=text`, to be sent as text. Other words may be misplaced secrets, so no error repeats them. */
export function textField(typed: string): Field {
  const [, name, value] = /^([^=]+)=(.*)$/s.exec(typed) ?? []
  if (name === undefined || value === undefined)
    throw misuse('a field (-f, -F) must have the form key=value')
  return { name, value }
}

/**
 * `key=value`, the value as JSON; a bare word is text. A value that begins like JSON but is not
 * JSON is a typing error.
 */
export function typedField(typed: string): Field {
  const { name, value } = textField(typed)
  const text = String(value)
  const parsed = parseIfJson(text)
  if (parsed !== undefined) return { name, value: parsed }
  if (!/^\s*(?:[[{"]|-?\d)/.test(text)) return { name, value }
  // V8's own error would repeat a part of the value, which may be secret.
  throw misuse(`the value of '${name}' is not JSON`)
}

/** The fields as a body, digit for digit. */
export function fieldsAsJson(fields: readonly Field[]): string {
  const names = new Set<string>()
  for (const { name } of fields) {
    if (names.has(name)) throw misuse(`the field '${name}' is given twice`)
    names.add(name)
  }
  const entries = fields.map(({ name, value }) => [name, value])
  return stringifyJson(Object.fromEntries(entries))
}

/**
 * The path and its query as they are sent, with the fields added to the query. The path stays below
 * the environment's URL: a path that any URL parser could resolve to another place is refused.
 */
export function pathBelow(path: string, fields: readonly Field[]): string {
  if (!path.startsWith('/')) throw misuse('the path must start with a slash')
  if (path.startsWith('//'))
    throw misuse('the path must not start with //, which would name a host')
  if (/[\\\p{Cc}\p{Cs}]/u.test(path))
    throw misuse('the path must not contain backslashes or control characters')
  if (path.includes('#')) throw misuse('the path must not contain a fragment: write # as %23')
  const [pathname = '', ...query] = path.split('?')
  if (pathname.split('/').some((part) => /^(?:\.|%2e){1,2}$/i.test(part))) {
    throw misuse('the path must not contain . or .. between its slashes')
  }
  const url = new URL(`http://local.invalid${pathname}`)
  const added = new URLSearchParams(
    fields.map(({ name, value }): [string, string] => [name, asText(value)]),
  )
  const queries = [query.join('?'), added.toString()]
  url.search = queries.filter((part) => part !== '').join('&')
  return `${url.pathname}${url.search}`
}

/**
 * `Name: value` lines as headers, with names in lower case. Headers that this program sets itself
 * are refused.
 */
export function readHeaders(lines: readonly string[]): Record<string, string> {
  const headers = new Map<string, string>()
  for (const line of lines) {
    const [, name = '', value = ''] =
      /^([\w!#$%&'*+.^`|~-]+):[ \t]*([\x20-\x7e\t]*)$/.exec(line) ?? []
    const key = name.toLowerCase()
    // The line may be a misplaced secret.
    if (name === '') throw misuse("a header (-H) must have the form 'Name: value', in ASCII")
    if (key === 'authorization')
      throw misuse('the API key cannot be given as a header: set PETSTORE_API_KEY instead')
    if (ownHeaders.has(key)) throw misuse(`petstore sets the header '${key}' itself`)
    const before = headers.get(key)
    // Cookies are the one list without commas (RFC 9113, 8.2.3).
    const separator = key === 'cookie' ? '; ' : ', '
    const added = value.trim()
    headers.set(key, before === undefined ? added : `${before}${separator}${added}`)
  }
  return Object.fromEntries(headers)
}

/** These decide where a request goes, where it ends, and which replies the program can read. */
const ownHeaders = new Set([
  'accept-encoding',
  'connection',
  'content-length',
  'expect',
  'host',
  'keep-alive',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])

const asText = (value: unknown) => (typeof value === 'string' ? value : stringifyJson(value))

export const misuse = (message: string) =>
  new Failure('usage', message, { hint: 'petstore api --help' })
