import type { Reply } from '../model/exchange.ts'
import { largestJson, parseIfJson } from '../model/json.ts'
import type { Redact } from '../model/visible.ts'

/** The error in the body of a reply. */
interface ServiceErrorText {
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
export function serviceErrorOf({ body }: Reply, redact: Redact): ServiceErrorText | undefined {
  const heading = pageTitle(body)
  if (heading !== undefined) return { message: shortened(heading, redact) }
  if (body.length > largestJson) return undefined
  const value = parseIfJson(new TextDecoder().decode(body))
  if (typeof value !== 'object' || value === null) return undefined

  const fields = new Map<string, unknown>(Object.entries(value))
  const textOf = (name: string) => {
    const text = fields.get(name)
    return typeof text === 'string' ? shortened(text.trim(), redact) : ''
  }
  // A colon joins the two, so each loses its final period.
  const title = textOf('title').replace(/\.$/, '')
  const detail = textOf('detail').replace(/\.$/, '')
  const problem = new Set([title, detail].filter(Boolean))
  const message = textOf('message') || [...problem].join(': ')
  if (message === '') return undefined
  // Problem details of the type "about:blank" have none of their own.
  const type = textOf('type').replace(/^about:blank$/, '')
  return { message, code: textOf('code') || type || undefined }
}

/** A server such as nginx says only there what is missing, such as a client certificate. */
function pageTitle(body: Uint8Array): string | undefined {
  const text = new TextDecoder().decode(body.subarray(0, mostMasked))
  if (!/^\s*</.test(text)) return undefined
  const [, title = ''] = /<title\b[^<>]*>([^<]*)</i.exec(text) ?? []
  const line = title.replace(/\s+/g, ' ')
  // The status is stated already.
  return line.replace(/^ ?\d{3}\b[\s:-]*/, '') || undefined
}
