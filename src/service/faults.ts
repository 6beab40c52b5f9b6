import { createHash } from 'node:crypto'
import { setMaxListeners } from 'node:events'
import { setTimeout as wait } from 'node:timers/promises'
import type { Request } from '../model/exchange.ts'
import type { Handler } from './handler.ts'
import { keyOf } from './reading.ts'
import { Refusal, refusalReply } from './replies.ts'
import type { Outcome } from './server.ts'

/** How a service is made slow and faulty, for the tests of other clients. */
export interface FaultPlan {
  readonly latencyMilliseconds: number
  /** How many of the requests fail: 0 for none, 1 for all. */
  readonly share: number
  readonly failWith: number | 'drop' | 'stall'
  /** The same seed makes the same requests fail: the third, say, and the eighth to come. */
  readonly seed: number
}

interface FaultyParts {
  readonly handler: Handler
  readonly plan: FaultPlan
  acceptsKey(key: string): boolean
  /** Aborted when the server ends: nobody is made to wait any more then. */
  readonly ending: AbortSignal
}

/**
 * A handler with faults. A status comes instead of the work: nothing was changed, and 429 and 503 say so with
 * `Retry-After`. A connection is dropped, or stalls, before the work is done or after it, one as often as the other:
 * that is what a client has to live with. Requests without the key are left alone, and so is `/health`.
 */
export function withFaults({ handler, plan, acceptsKey, ending }: FaultyParts): (request: Request) => Promise<Outcome> {
  // Each request that waits listens to it; without this Node suspects a leak.
  setMaxListeners(0, ending)
  let count = 0
  return async (request) => {
    const key = keyOf(request)
    if (key === undefined || !acceptsKey(key) || isForHealth(request)) return handler(request)

    const number = count++
    // Ending early is what the signal is for.
    if (plan.latencyMilliseconds > 0)
      await wait(plan.latencyMilliseconds, undefined, { signal: ending }).catch(() => {})
    if (chance(plan.seed, number, 'fail') >= plan.share) return handler(request)

    if (typeof plan.failWith === 'number') return faultReply(plan.failWith)
    if (chance(plan.seed, number, 'after') < 0.5) await handler(request)
    return plan.failWith === 'drop' ? 'dropped' : 'stalled'
  }
}

/** Whoever waits for the service to come up asks there. */
function isForHealth({ url }: Request): boolean {
  return URL.canParse(url) && new URL(url).pathname === '/health'
}

function faultReply(status: number): Outcome {
  const promises = status === 429 || status === 503 ? { 'retry-after': '1' } : {}
  return refusalReply(new Refusal(status, 'made_to_fail', 'the service was started with --fail', promises))
}

/** A number from 0 to 1 that looks like chance and is the same each time. */
function chance(seed: number, number: number, question: string): number {
  return createHash('sha256').update(`${seed} ${number} ${question}`).digest().readUInt32BE(0) / 2 ** 32
}
