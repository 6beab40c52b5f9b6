import { createHash } from 'node:crypto'
import { isSuccess, type Reply } from '../model/exchange.ts'
import { type Around, headerOf, Refusal, type ServiceRequest, textReply } from './http.ts'
import type { Tables } from './tables.ts'

const keyOf = ({ headers }: ServiceRequest) => headerOf(headers, 'idempotency-key')

const replayed = { 'idempotent-replayed': 'true' }

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

/**
 * The first reply to the key of a request, marked as such. Otherwise that of the work is kept, in the
 * transaction of its change, so that there is never one without the other.
 */
export function onceForKey(
  tables: Tables,
  request: ServiceRequest,
  status: number,
  work: () => Reply
): Reply {
  const key = keyOf(request)
  if (key === '') return work()
  const { method, path, body: sent } = request
  const digest = createHash('sha256').update(`${method} ${path}\n`).update(sent).digest('hex')
  const first = tables.firstReply(key)
  if (first === undefined) {
    const reply = work()
    const body = Buffer.from(reply.body).toString()
    if (isSuccess(reply)) tables.keepReply(key, { request: digest, body })
    return reply
  }
  if (first.request === digest) return textReply(status, first.body, replayed)
  return new Refusal(422, 'key_reused', 'this idempotency key belongs to another request').reply
}
