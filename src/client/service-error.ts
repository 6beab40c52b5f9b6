import type { Reply } from '../model/exchange.ts'
import { parseJson } from '../model/json.ts'
import { serviceErrorSchema } from '../model/schema.ts'

/** The error in the body of a reply. */
export interface ServiceErrorText {
  readonly message: string
  readonly code?: string | undefined
}

const mostMessage = 1000

/**
 * Reads the service's own Error, problem details (RFC 9457, and forms of the same idea), and the title of an HTML page.
 */
export function serviceErrorOf(reply: Reply): ServiceErrorText | undefined {
  const error = readError(reply)
  if (error === undefined || error.message.length <= mostMessage) return error
  return { ...error, message: `${error.message.slice(0, mostMessage)}…` }
}

function readError(reply: Reply): ServiceErrorText | undefined {
  const title = htmlTitle(reply)
  if (title !== undefined) {
    const message = title.replace(/^\d{3}\b[\s:-]*/, '')
    return message === '' ? undefined : { message }
  }
  const value = jsonOf(reply.body)
  const error = serviceErrorSchema.safeParse(value)
  return error.success ? { message: error.data.message, code: error.data.code } : problemDetails(value)
}

const mostHtml = 64 * 1024
const mostTitle = 200

/** The title of a reply that is an HTML page. */
export function htmlTitle({ body }: Pick<Reply, 'body'>): string | undefined {
  const text = new TextDecoder().decode(body.subarray(0, mostHtml))
  if (!/^\s*</.test(text)) return undefined
  const [, title = ''] = /<title\b[^>]*>([^<]*)</i.exec(text) ?? []
  const line = title.replace(/\s+/g, ' ').trim().slice(0, mostTitle)
  return line === '' ? undefined : line
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
