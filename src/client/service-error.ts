import type { Reply } from '../model/exchange.ts'
import { parseJson } from '../model/json.ts'
import { serviceErrorSchema } from '../model/schema.ts'

/** The error in the body of a reply. */
export interface ServiceErrorText {
  readonly message: string
  readonly code?: string | undefined
}

/** A text is shortened to this length once it is masked: a key that is cut off would no longer be found. */
const mostCharacters = 1000
/** What is beyond is not even masked. */
const mostMasked = 64 * 1024

export type Redact = (text: string) => string

function shortened(text: string, redact: Redact): string {
  const masked = redact(text.slice(0, mostMasked))
  return masked.length > mostCharacters ? `${masked.slice(0, mostCharacters)}…` : masked
}

/** Reads the service's own Error, problem details (RFC 9457), and the title of a server's page. */
export function serviceErrorOf(reply: Reply, redact: Redact): ServiceErrorText | undefined {
  const error = readError(reply)
  if (error === undefined) return undefined
  const { message, code } = error
  return { message: shortened(message, redact), code: code === undefined ? undefined : shortened(code, redact) }
}

function readError({ body }: Reply): ServiceErrorText | undefined {
  const title = pageTitle(body)
  if (title !== undefined) return { message: title }
  const value = hasTooManyValues(body) ? undefined : jsonOf(body)
  const error = serviceErrorSchema.safeParse(value)
  return error.success ? { message: error.data.message, code: error.data.code } : problemDetails(value)
}

/** A server such as nginx says only there what is missing, such as a client certificate. */
function pageTitle(body: Uint8Array): string | undefined {
  const text = new TextDecoder().decode(body.subarray(0, mostMasked))
  const [, title = ''] = /^\s*</.test(text) ? (/<title\b[^<>]*>([^<]*)</i.exec(text) ?? []) : []
  // The status is stated already.
  return title.replace(/\s+/g, ' ').replace(/^ ?\d{3}\b[\s:-]*/, '') || undefined
}

/** More than any reply of the service has. Each takes a hundred bytes and more. */
const mostValues = 1_000_000
const [comma, bracket, brace, quote, backslash] = [0x2c, 0x5b, 0x7b, 0x22, 0x5c]

/** Whether a body is JSON that would fill the memory: 32 MB of `[{},{},…]` are ten million objects. */
export function hasTooManyValues(body: Uint8Array): boolean {
  if (body.length < mostValues) return false
  let count = 0
  let isText = false
  for (let index = 0; index < body.length && count <= mostValues; index += 1) {
    const byte = body[index]
    if (byte === quote) isText = !isText
    else if (isText && byte === backslash) index += 1
    else if (!isText && (byte === comma || byte === bracket || byte === brace)) count += 1
  }
  return count > mostValues
}

function jsonOf(body: Uint8Array): unknown {
  try {
    return parseJson(new TextDecoder().decode(body))
  } catch {
    return undefined
  }
}

type Fields = Readonly<Record<string, unknown>>

/** The title and the detail of problem details, whatever else they have. */
function problemDetails(value: unknown): ServiceErrorText | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  const { title, detail, code, type } = value as Fields
  // A colon joins them, so each loses its final period.
  const summary = [title, detail].flatMap((part) => textOf(part)?.replace(/\.$/, '') ?? [])
  const message = [...new Set(summary)].join(': ')
  if (message === '') return undefined
  return { message, code: textOf(code) ?? (type === 'about:blank' ? undefined : textOf(type)) }
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined
}
