import { backoff } from '../client/retry.ts'
import { longestWait } from '../client/retry-after.ts'
import type { Failure } from '../failure.ts'
import { pause, settledOrAborted } from '../platform/wait.ts'

/** Controls the speed: if the service is overloaded or unreachable, all requests wait together. */
export interface Pace {
  /** Undefined if a request may be sent now; otherwise resolves when the pause is over or the signal is aborted. */
  wait(): Promise<void> | undefined
  /** Starts a pause before a request is repeated. False if there were enough pauses already. */
  slowDown(failure: Failure, sentAt: number): boolean
  /** Called after each request that succeeded. */
  recover(): void
}

interface PaceOptions {
  /** How many consecutive pauses there may be. */
  readonly retries: number
  readonly signal: AbortSignal
  /** From 0 up to 1. */
  readonly random: () => number
  readonly onPause: (failure: Failure, seconds: number) => void
}

export function createPace({ retries, signal, random, onPause }: PaceOptions): Pace {
  let pauses = 0
  let pauseBegan = Number.NEGATIVE_INFINITY
  let current: Promise<void> | undefined

  return {
    wait: () => current,
    recover() {
      pauses = 0
    },
    slowDown(failure, sentAt) {
      // Requests that were in flight together and failed together cause one pause, not many.
      if (sentAt < pauseBegan) return true
      const asked = failure.waitSeconds ?? 0
      if (pauses >= retries || asked > longestWait) return false
      pauses += 1
      const seconds = failure.waitSeconds ?? backoff(pauses, random())
      pauseBegan = performance.now()
      current = settledOrAborted(pause(seconds * 1000, signal), signal).then(() => {
        current = undefined
      })
      onPause(failure, seconds)
      return true
    },
  }
}
