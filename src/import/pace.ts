import { backoff } from '../client/retry.ts'
import { longestWait } from '../client/retry-after.ts'
import type { Failure } from '../failure.ts'

/** How fast everything goes: where the service is overloaded or away, all requests wait together. */
export interface Pace {
  /** Resolves when a request may be sent: at once, or when the pause is over. The signal ends the wait. */
  turn(): Promise<void> | undefined
  /** A request that did no harm is to be sent again, after a pause. False where it has been tried often enough. */
  slowDown(failure: Failure, sentAt: number): boolean
  /** A request was answered as it should be. */
  goOn(): void
}

interface PaceOptions {
  /** How many pauses in a row are made before it is given up. */
  readonly retries: number
  readonly signal: AbortSignal
  /** From 0 up to 1. */
  readonly random: () => number
  readonly onPause: (failure: Failure, seconds: number) => void
}

export function createPace({ retries, signal, random, onPause }: PaceOptions): Pace {
  let pauses = 0
  let pauseBegan = Number.NEGATIVE_INFINITY
  let over: Promise<void> | undefined

  return {
    turn: () => over,
    goOn() {
      pauses = 0
    },
    slowDown(failure, sentAt) {
      // Requests that were under way together and failed together are one reason to wait, not many.
      if (sentAt < pauseBegan) return true
      const asked = failure.waitSeconds ?? 0
      if (pauses >= retries || asked > longestWait) return false
      pauses += 1
      const seconds = failure.waitSeconds ?? backoff(pauses, random())
      pauseBegan = performance.now()
      over = pause(seconds, signal).then(() => {
        over = undefined
      })
      onPause(failure, seconds)
      return true
    },
  }
}

function pause(seconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve()
    const timer = setTimeout(finish, seconds * 1000)
    signal.addEventListener('abort', finish, { once: true })
    function finish() {
      clearTimeout(timer)
      signal.removeEventListener('abort', finish)
      resolve()
    }
  })
}
