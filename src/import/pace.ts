import { backoff } from '../client/retry.ts'
import { longestWait } from '../client/retry-policy.ts'
import type { Failure } from '../failure.ts'
import { pause } from '../platform/promises.ts'

/** Requests per second: after the first refusal, at least, and from where on there is no limit. */
const firstRate = 250
const lowestRate = 10
const highestRate = 5000
/** The rate settles where one in a hundred requests is refused. */
const speedUp = 0.5
const slowDown = 1.3

/**
 * Decides when the next request may be sent. A service that limits the rate gets requests farther
 * apart; one that fails several times in a row gets none for a while, each time for longer.
 */
export class Pace {
  readonly #retries: number
  readonly #concurrency: number
  #rate = Number.POSITIVE_INFINITY
  #nextAt = 0
  #pausedUntil = 0
  #failures = 0
  #pauses = 0
  #reactedAt = 0

  constructor(options: { readonly retries: number; readonly concurrency: number }) {
    this.#retries = options.retries
    this.#concurrency = options.concurrency
  }

  /** Resolves to the time at which the request may be sent. */
  async turn(signal: AbortSignal): Promise<number> {
    const now = performance.now()
    const at = Math.max(now, this.#nextAt)
    this.#nextAt = at + 1000 / this.#rate
    if (at > now) await pause(at - now, signal)
    // A pause may have begun meanwhile.
    return performance.now() < this.#pausedUntil ? this.turn(signal) : performance.now()
  }

  succeeded(): void {
    this.#failures = 0
    this.#pauses = 0
    this.#rate = this.#rate > highestRate ? Number.POSITIVE_INFINITY : this.#rate + speedUp
  }

  /** How many seconds to pause, if at all; `end` after too many pauses, or without retries. */
  failed(
    { isRetryable, waitSeconds, status }: Failure,
    sentAt: number
  ): number | 'end' | undefined {
    this.#failures += 1
    if (isRetryable && this.#retries === 0) return 'end'
    if ((waitSeconds ?? 0) > longestWait || this.#failures > 2 * this.#concurrency + 3) return 'end'
    // Requests that were in flight together are one reason to react.
    if (sentAt < this.#reactedAt) return undefined
    const now = performance.now()
    this.#reactedAt = now
    if (status === 429 || status === 503)
      this.#rate = Math.max(lowestRate, Math.min(firstRate, this.#rate / slowDown))
    if (waitSeconds === undefined && this.#failures < 3) return undefined
    this.#pauses += 1
    if (this.#pauses > this.#retries) return 'end'
    const seconds = waitSeconds ?? backoff(this.#pauses, Math.random())
    this.#pausedUntil = this.#nextAt = now + seconds * 1000
    return seconds
  }
}
