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

const mostProblems = 3

function problemDetails(value: unknown): ServiceErrorText | undefined {
  if (!isObject(value)) return undefined
  const { type } = value
  // Colons join the parts, so each loses its final period.
  const summary = ['title', 'detail'].flatMap((name) => firstText(value, [name])?.replace(/\.$/, '') ?? [])
  const problems = validationErrors(value)
  const shown = problems.slice(0, mostProblems)
  if (problems.length > mostProblems) shown.push(`and ${problems.length - mostProblems} more`)
  const message = [...new Set([...summary, ...(shown.length === 0 ? [] : [shown.join('; ')])])].join(': ')
  if (message === '') return undefined
  return { message, code: firstText(value, ['code']) ?? (type === 'about:blank' ? undefined : textOf(type)) }
}

/** The members that frameworks add to problem details for what is wrong in the request. */
function validationErrors(value: Fields): string[] {
  for (const name of ['errors', 'validation', 'invalid-params', 'invalidParams', 'violations', 'detail']) {
    const entries = value[name]
    if (Array.isArray(entries)) return entries.flatMap((entry) => validationError(entry) ?? [])
    if (isObject(entries)) {
      return Object.entries(entries).flatMap(([field, texts]) =>
        [texts].flat().flatMap((text) => (typeof text === 'string' ? `${field}: ${text}` : [])),
      )
    }
  }
  return []
}

function validationError(entry: unknown): string | undefined {
  if (typeof entry === 'string') return entry
  if (!isObject(entry)) return undefined
  const message = firstText(entry, ['message', 'detail', 'reason', 'msg', 'defaultMessage', 'title'])
  const place = firstText(entry, ['field', 'name', 'location', 'loc', 'pointer', 'path', 'propertyPath', 'parameter'])
  return message === undefined || place === undefined ? message : `${place}: ${message}`
}

/** The first of these members that is a text, or a path given as an array. */
function firstText(value: Fields, names: readonly string[]): string | undefined {
  for (const name of names) {
    const member = value[name]
    const text =
      Array.isArray(member) && member.every((part) => ['string', 'number'].includes(typeof part))
        ? member.join('.')
        : textOf(member)
    if (text !== undefined) return text
  }
  return undefined
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined
}

function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
