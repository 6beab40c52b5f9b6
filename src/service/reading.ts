import type * as z from 'zod/mini'
import type { Request } from '../model/exchange.ts'
import { parseJson } from '../model/json.ts'
import { int64Limits, listLimits, type PetStatus, petStatuses } from '../model/pets.ts'
import { explainIssues } from '../model/schema.ts'
import { invalid, Refusal } from './replies.ts'

/** The largest body that is taken, in bytes. */
export const bodyLimit = 1024 * 1024

const integer = /^-?\d+$/
// JSON without a named charset, or in the only one that it knows.
const jsonType = /^application\/json[\t ]*(?:;[\t ]*charset="?utf-8"?[\t ]*)?$/i

/** The bearer key of a request, or undefined where there is none. */
export function keyOf({ headers }: Request): string | undefined {
  return /^Bearer +(\S+) *$/i.exec(headers.authorization ?? '')?.[1]
}

/** The parts of the path, decoded one by one, so that an escaped slash stays inside its part. */
export function pathOf(url: URL): string[] {
  try {
    return url.pathname.slice(1).split('/').map(decodeURIComponent)
  } catch {
    throw invalid('the path holds a percent sign that stands for no character')
  }
}

export function petIdOf(text: string): bigint {
  // An integer of int64 has at most 19 digits; what is much longer is not even converted.
  const id = integer.test(text) && text.length <= 40 ? BigInt(text) : undefined
  if (id === undefined || id < int64Limits.minimum || id > int64Limits.maximum) {
    throw invalid('petId must be an integer of 64 bits')
  }
  return id
}

export function limitOf(query: URLSearchParams): number {
  const text = onlyOne(query, 'limit')
  if (text === undefined) return listLimits.unasked
  const limit = integer.test(text) ? Number(text) : Number.NaN
  if (!(limit >= listLimits.minimum && limit <= listLimits.maximum)) {
    throw invalid(`limit must be an integer from ${listLimits.minimum} to ${listLimits.maximum}`)
  }
  return limit
}

export function statusOf(query: URLSearchParams): PetStatus | undefined {
  const text = onlyOne(query, 'status')
  const status = petStatuses.find((known) => known === text)
  if (text !== undefined && status === undefined) {
    throw invalid(`status must be one of ${petStatuses.join(', ')}`)
  }
  return status
}

function onlyOne(query: URLSearchParams, name: string): string | undefined {
  const [value, second] = query.getAll(name)
  if (second !== undefined) throw invalid(`${name} was given more than once`)
  return value
}

/** The body of a request, checked against its schema. */
export function bodyAs<Schema extends z.ZodMiniType>(schema: Schema, request: Request): z.output<Schema> {
  const result = schema.safeParse(jsonOf(request))
  if (!result.success) throw invalid(explainIssues(result.error))
  return result.data
}

/** Half a surrogate pair is no character: the database would keep something else than was sent. */
export function checkUnicode(field: string, text: string): void {
  if (/\p{Cs}/u.test(text)) throw invalid(`${field} holds half of a surrogate pair`)
}

function jsonOf({ headers, body = '' }: Request): unknown {
  const bytes = typeof body === 'string' ? Buffer.from(body) : body
  if (bytes.byteLength > bodyLimit) {
    throw new Refusal(413, 'too_large', `the body is larger than ${bodyLimit} bytes`)
  }
  if (!jsonType.test(headers['content-type'] ?? '')) throw invalid('the content type must be application/json')
  try {
    return parseJson(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch {
    throw invalid('the body is not JSON')
  }
}
