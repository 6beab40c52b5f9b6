import type { Reply } from '../model/exchange.ts'
import { largestJson, parseIfJson } from '../model/json.ts'
import type { Redact } from '../model/visible.ts'

/** The error in the body of a reply. */
export interface ServiceErrorText {
  readonly message: string
  readonly code?: string | undefined
}

/**
 * A text is shortened to this length once it is masked: a key that is cut off would no longer be
 * found.
 */
const longestText = 1000
/** What is beyond is not even masked. */
const mostMasked = 64 * 1024

function shortened(text: string, redact: Redact): string {
  const masked = redact(text.slice(0, mostMasked))
  if (masked.length <= longestText) return masked
  return `${masked.slice(0, longestText)}…`
}

/** Reads the service's own Error, problem details (RFC 9457), and the title of a server's page. */
export function serviceErrorOf(reply: Reply, redact: Redact): ServiceErrorText | undefined {
  const error = readError(reply)
  if (error === undefined) return undefined
  const { message, code } = error
  return {
    message: shortened(message, redact),
    code: code === undefined ? undefined : shortened(code, redact),
  }
}

function readError({ body }: Reply): ServiceErrorText | undefined {
  const title = pageTitle(body)
  if (title !== undefined) return { message: title }
  if (body.length > largestJson) return undefined
  const value = parseIfJson(new TextDecoder().decode(body))
  if (typeof value !== 'object' || value === null) return undefined
  return errorIn(value as ErrorFields)
}

/** Those of the service's own Error, and those of problem details. */
interface ErrorFields {
  readonly message?: unknown
  readonly code?: unknown
  readonly title?: unknown
  readonly detail?: unknown
  readonly type?: unknown
}

function errorIn(fields: ErrorFields): ServiceErrorText | undefined {
  const message = textOf(fields.message) ?? problemIn(fields)
  if (!message) return undefined
  // Problem details of this type have none of their own.
  const type = fields.type === 'about:blank' ? undefined : textOf(fields.type)
  const code = textOf(fields.code) ?? type
  return { message, code }
}

/** A colon joins the title and the detail, so each loses its final period. */
function problemIn(fields: ErrorFields): string | undefined {
  const title = sentenceOf(fields.title)
  const detail = sentenceOf(fields.detail)
  if (title && detail && title !== detail) return `${title}: ${detail}`
  return title || detail
}

const sentenceOf = (value: unknown) => textOf(value)?.replace(/\.$/, '')

/** A server such as nginx says only there what is missing, such as a client certificate. */
function pageTitle(body: Uint8Array): string | undefined {
  const text = new TextDecoder().decode(body.subarray(0, mostMasked))
  if (!/^\s*</.test(text)) return undefined
  const [, title = ''] = /<title\b[^<>]*>([^<]*)</i.exec(text) ?? []
  const line = title.replace(/\s+/g, ' ')
  // The status is stated already.
  const withoutStatus = line.replace(/^ ?\d{3}\b[\s:-]*/, '')
  return withoutStatus || undefined
}

function textOf(value: unknown): string | undefined {
  const text = typeof value === 'string' ? value.trim() : ''
  return text || undefined
}
