import { createHash } from 'node:crypto'
import type { Reply } from '../model/exchange.ts'
import { type Around, headerOf, jsonHeaders, Refusal, type ServiceRequest } from './http.ts'
import type { Tables } from './tables.ts'

const keyOf = ({ headers }: ServiceRequest) => headerOf(headers, 'idempotency-key')

/** While the first request with a key is in progress, others with this key are refused. */
export function oneAtATime(): Around {
  const inProgress = new Set<string>()
  return async (request, answer) => {
    const key = keyOf(request)
    if (key === '') return answer()
    if (inProgress.has(key))
      throw new Refusal(409, 'in_progress', 'the first request with this key is in progress')
    inProgress.add(key)
    try {
      return await answer()
    } finally {
      inProgress.delete(key)
    }
  }
}

/** The first reply to the key of this request; undefined if there is none. */
export function replyBefore(tables: Tables, request: ServiceRequest): Reply | undefined {
  const key = keyOf(request)
  const first = key === '' ? undefined : tables.firstReply(key)
  if (first === undefined) return undefined
  if (first.request !== digestOf(request))
    throw new Refusal(422, 'key_reused', 'this idempotency key belongs to another request')
  const body = Buffer.from(first.body)
  return { status: first.status, headers: jsonHeaders(body), body }
}

/** Keeps the reply in the transaction of its change, so that there is never one without the other. */
export function keepReply(tables: Tables, request: ServiceRequest, reply: Reply): Reply {
  const key = keyOf(request)
  if (key !== '') {
    const body = Buffer.from(reply.body).toString()
    tables.keepReply(key, { request: digestOf(request), status: reply.status, body })
  }
  return reply
}

function digestOf({ url, body }: ServiceRequest): string {
  // Without the host: the same database may be used at an address and in this program.
  const { pathname } = new URL(url, 'http://local')
  return createHash('sha256').update(`${pathname}\n`).update(body).digest('hex')
}
