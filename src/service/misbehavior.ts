import { createHash } from 'node:crypto'
import { setMaxListeners } from 'node:events'
import { pause } from '../platform/promises.ts'
import { Refusal, type ServiceReply, type ServiceRequest } from './http.ts'

/** How to make the service slow or faulty, to test other clients. */
export interface FaultPlan {
  /** How much later every reply comes. */
  readonly latencyMilliseconds: number
  /** The share of the requests that fail: 0 for none, 1 for all. */
  readonly share: number
  readonly failWith: number | NonNullable<ServiceReply['fault']>
  /** The same seed makes the same requests fail: the third, say, and the eighth. */
  readonly seed: number
}

/** Makes all replies slow. The work comes first, so that it is done even if the client gives up. */
export function delayReplies(
  answer: (request: ServiceRequest) => Promise<ServiceReply>,
  milliseconds: number,
  ending: AbortSignal
): typeof answer {
  // Each waiting request adds a listener; without this, Node would warn of a leak.
  setMaxListeners(0, ending)
  return async request => {
    const reply = await answer(request)
    if (milliseconds > 0) await pause(milliseconds, ending).catch(() => {})
    return reply
  }
}

/**
 * Makes requests with a valid key faulty. A status replaces the work: nothing is changed, and 429
 * and 503 say so with `Retry-After`. A connection is dropped or stalled before or after the work,
 * equally often, because clients must handle both.
 */
export function injectFaults({ share, failWith, seed }: FaultPlan) {
  let count = 0
  return async (
    request: ServiceRequest,
    answer: () => Promise<ServiceReply>
  ): Promise<ServiceReply> => {
    if (share === 0) return answer()
    const number = count++
    // The route handles a body that cannot be read.
    await request.readBody().catch(() => {})
    if (chance(seed, number, 'fail') >= share) return answer()

    if (typeof failWith === 'number') return faultReply(failWith)
    const isCarriedOut = chance(seed, number, 'after') < 0.5
    const reply = isCarriedOut ? await answer() : faultReply(503)
    return { ...reply, fault: failWith }
  }
}

function faultReply(status: number): ServiceReply {
  const headers = status === 429 || status === 503 ? { 'retry-after': '1' } : {}
  return new Refusal(status, 'made_to_fail', 'the service was started with --fail', headers).reply
}

/** A number from 0 to 1 that looks random, and is always the same for the same arguments. */
function chance(seed: number, number: number, question: string): number {
  const digest = createHash('sha256').update(`${seed} ${number} ${question}`).digest()
  return digest.readUInt32BE(0) / 2 ** 32
}
