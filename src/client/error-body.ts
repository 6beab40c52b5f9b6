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
  return masked.length > longestText ? `${masked.slice(0, longestText)}…` : masked
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
  const page = pageTitle(body)
  if (page !== undefined) return { message: page }
  const value = body.length > largestJson ? undefined : parseIfJson(new TextDecoder().decode(body))
  if (typeof value !== 'object' || value === null) return undefined
  const { message, title, detail, code, type } = value as Readonly<Record<string, unknown>>
  // A colon joins the title and the detail, so each loses its final period.
  const parts = [title, detail].flatMap((part) => textOf(part) ?? [])
  const problem = new Set(parts.map((part) => part.replace(/\.$/, '')))
  const text = textOf(message) ?? [...problem].join(': ')
  if (text === '') return undefined
  return {
    message: text,
    code: textOf(code) ?? (type === 'about:blank' ? undefined : textOf(type)),
  }
}

/** A server such as nginx says only there what is missing, such as a client certificate. */
function pageTitle(body: Uint8Array): string | undefined {
  const text = new TextDecoder().decode(body.subarray(0, mostMasked))
  if (!/^\s*</.test(text)) return undefined
  const [, title = ''] = /<title\b[^<>]*>([^<]*)</i.exec(text) ?? []
  // The status is stated already.
  return title.replace(/\s+/g, ' ').replace(/^ ?\d{3}\b[\s:-]*/, '') || undefined
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined
}
