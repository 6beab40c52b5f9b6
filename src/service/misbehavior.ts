import { createHash } from 'node:crypto'
import { setMaxListeners } from 'node:events'
import type { Reply } from '../model/exchange.ts'
import { pause, settledOrAborted } from '../platform/promises.ts'
import { Refusal, type ServiceRequest } from './http.ts'

/** How to make the service slow or faulty, to test other clients. */
export interface FaultPlan {
  /** How much later every reply comes. */
  readonly latencyMilliseconds: number
  /** The share of the requests that fail: 0 for none, 1 for all. */
  readonly share: number
  readonly failWith: number | 'drop' | 'stall'
  /** The same seed makes the same requests fail: the third, say, and the eighth. */
  readonly seed: number
}

/** Happens instead of a reply: the connection is closed, or stays open and silent. */
export type ConnectionFault = 'dropped' | 'stalled'

/** Makes all replies slow. The work comes first, so that it is done even if the client gives up. */
export function delayReplies<Result>(
  answer: (request: ServiceRequest) => Promise<Result>,
  milliseconds: number,
  ending: AbortSignal,
) {
  // Each waiting request adds a listener; without this, Node would warn of a leak.
  setMaxListeners(0, ending)
  return async (request: ServiceRequest): Promise<Result> => {
    const result = await answer(request)
    if (milliseconds > 0) await settledOrAborted(pause(milliseconds, ending), ending)
    return result
  }
}

/**
 * Makes requests with a valid key faulty. A status replaces the work: nothing is changed, and 429
 * and 503 say so with `Retry-After`. A connection is dropped or stalls before or after the work,
 * equally often, because clients must handle both.
 */
export function injectFaults(plan: FaultPlan) {
  let count = 0
  return async (
    request: ServiceRequest,
    answer: () => Promise<Reply>,
  ): Promise<Reply | ConnectionFault> => {
    const number = count++
    // The route handles a body that cannot be read.
    await request.readBody().catch(() => {})
    if (chance(plan.seed, number, 'fail') >= plan.share) return answer()

    if (typeof plan.failWith === 'number') return faultReply(plan.failWith)
    if (chance(plan.seed, number, 'after') < 0.5) await answer()
    return plan.failWith === 'drop' ? 'dropped' : 'stalled'
  }
}

function faultReply(status: number): Reply {
  const headers = status === 429 || status === 503 ? { 'retry-after': '1' } : {}
  return new Refusal(status, 'made_to_fail', 'the service was started with --fail', headers).reply
}

/** A number from 0 to 1 that looks random, and is always the same for the same arguments. */
function chance(seed: number, number: number, question: string): number {
  return (
    createHash('sha256').update(`${seed} ${number} ${question}`).digest().readUInt32BE(0) / 2 ** 32
  )
}
