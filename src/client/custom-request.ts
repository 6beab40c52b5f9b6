import { Failure } from '../failure.ts'
import { parseIfJson, stringifyJson } from '../text/json.ts'

/** A field of a request. Its value is a text or a JSON value. */
type Field = [name: string, value: unknown]

/** `key=text`, to be sent as text. Other words may be misplaced secrets, so no error repeats them. */
export function textField(typed: string): Field {
  const [, name, value] = /^([^=]+)=(.*)/s.exec(typed) ?? []
  if (name === undefined) throw misuse('a field (-f, -F) must have the form key=value')
  return [name, value]
}

/** `key=value`, the value as JSON; what is not JSON is text. */
export function typedField(typed: string): Field {
  const [name, text] = textField(typed)
  const value = parseIfJson(String(text))
  return [name, value === undefined ? text : value]
}

/** Any other path could be resolved to another place than below the URL. */
const safePath = /^(?![^?]*\/(\.|%2e){1,2}([/?]|$))\/(?!\/)[^\\#\p{Cc}\p{Cs}]*$/iu

/**
 * The path and its query as they are sent, with the fields added to the query. The path stays below
 * the environment's URL.
 */
export function pathBelow(path: string, fields: readonly Field[]): string {
  if (!safePath.test(path))
    throw misuse('the path must begin with one slash and have no . or .. parts, \\ or #')
  // A URL parser removes spaces at the end.
  const url = new URL(`http://local.invalid${path.replaceAll(' ', '%20')}`)
  const added = new URLSearchParams()
  for (const [name, value] of fields) {
    const text = typeof value === 'string' ? value : stringifyJson(value)
    added.append(name, text)
  }
  url.search = [url.search, String(added)].filter(Boolean).join('&')
  return `${url.pathname}${url.search}`
}

/** These decide where a request goes, where it ends, and which replies the program can read. */
const ownHeader =
  /^(accept-encoding|connection|content-length|expect|host|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade)$/

/** `Name: value` lines as headers, with names in lower case; of the same name, the last one. */
export function readHeaders(lines: readonly string[]): Record<string, string> {
  return Object.fromEntries(lines.map(readHeader))
}

const headerLine = /^([\w!#$%&'*+.^`|~-]+):([\x20-\x7e\t]*)$/

function readHeader(line: string): [name: string, value: string] {
  const [, typed = '', value = ''] = headerLine.exec(line) ?? []
  const name = typed.toLowerCase()
  // The line may be a misplaced secret.
  if (name === '') throw misuse("a header (-H) must have the form 'Name: value', in ASCII")
  if (name === 'authorization')
    throw misuse('the API key cannot be given as a header: set PETSTORE_API_KEY instead')
  if (ownHeader.test(name)) throw misuse(`petstore sets the header '${name}' itself`)
  return [name, value.trim()]
}

const misuse = (message: string) => new Failure('usage', message)
