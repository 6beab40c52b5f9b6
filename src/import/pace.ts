import { backoff } from '../client/retry.ts'
import { longestWait } from '../client/retry-policy.ts'
import { Rate } from './rate.ts'

/** How a request failed, as far as the pace depends on it. */
export interface PaceFailure {
  readonly sentAt: number
  /** What happens to the row: it may have been added, it will be sent again, or neither. */
  readonly outcome: 'doubtful' | 'repeated' | 'rejected'
  /** Whether the service may be limiting the rate: 429, or 503 of any kind. */
  readonly isLimit: boolean
  /** How many seconds the service asked to wait. */
  readonly waitSeconds?: number | undefined
}

/**
 * How many seconds to pause; undefined to carry on. The import has to end after too many pauses or
 * rows in doubt, if the service asks for a wait that is too long, or without retries.
 */
type PaceDecision = number | 'end' | undefined

interface PaceOptions {
  readonly concurrency: number
  /** The maximum number of pauses in a row. */
  readonly retries: number
  /** From 0 to 1, without 1. */
  readonly random: () => number
  /** Whether single rows are sent until one succeeds, as after a pause. */
  readonly isCautious?: boolean
}

/** No requests until this moment, then one at a time. The first success sets the rate. */
interface Probe {
  readonly from: number
  readonly rate: RateAfterPause
}

type RateAfterPause = 'as before' | 'slow' | 'at the limit'

/** How many requests may be in flight at first; each success allows one more. */
const firstWindow = 8

/**
 * Decides when the next request may be sent, from the results of the earlier ones. After a few
 * failures in a row it pauses, each time for longer, and then sends single rows until one succeeds.
 * While only some requests fail because the service limits the rate, it keeps the requests apart
 * instead.
 *
 * It has no timers: callers pass the time, in milliseconds.
 */
export class Pace {
  readonly #options: PaceOptions
  readonly #rate = new Rate()
  /** Undefined if as many requests may be in flight as the window allows. */
  #probe: Probe | undefined
  #window: number
  #failuresInARow = 0
  #doubtfulInARow = 0
  #pausesInARow = 0
  /** Failures of requests that were sent before this moment have been reacted to. */
  #reactedAt = Number.NEGATIVE_INFINITY

  constructor(options: PaceOptions) {
    this.#options = options
    this.#window = Math.min(options.concurrency, firstWindow)
    if (options.isCautious) this.#probe = { from: Number.NEGATIVE_INFINITY, rate: 'as before' }
  }

  /** The distance between two requests; 0 if there is no limit. */
  get interval(): number {
    return this.#rate.distance
  }

  /** How long a request has to wait; infinite while the only request allowed is in flight. */
  delay(now: number, inFlight: number): number {
    if (this.#probe === undefined) return this.#rate.delay(now)
    if (now < this.#probe.from) return this.#probe.from - now
    return inFlight > 0 ? Number.POSITIVE_INFINITY : 0
  }

  /** How many requests may be in flight: none during a pause, one right after it, few at first. */
  capacity(now: number): number {
    if (this.#probe === undefined) return this.#window
    return now < this.#probe.from ? 0 : 1
  }

  sent(now: number, inFlight: number): void {
    this.#rate.sent(now, inFlight)
  }

  succeeded(sentAt: number, now: number): void {
    this.#failuresInARow = 0
    this.#rate.countSuccess(now)
    if (this.#probe !== undefined) {
      // A request from before the pause says nothing about the service now.
      if (sentAt < this.#probe.from) return
      this.#resume(this.#probe.rate, now)
    } else if (sentAt > this.#reactedAt) {
      this.#rate.speedUp()
    }
    const { concurrency } = this.#options
    this.#window = Math.min(concurrency, this.#window + 1)
    this.#doubtfulInARow = 0
    this.#pausesInARow = 0
  }

  failed(failure: PaceFailure, now: number): PaceDecision {
    const { outcome, isLimit, waitSeconds } = failure
    const { concurrency, retries, random } = this.#options
    const isProbing = this.#probe !== undefined
    // Requests that were in flight together and failed together are one reason to react, not many.
    const isNew = failure.sentAt > this.#reactedAt
    this.#count(failure, isNew)
    if (waitSeconds !== undefined && waitSeconds > longestWait) return 'end'
    // The request was sent before the pause, which was the reaction to such failures.
    if (isProbing && !isNew) return undefined
    if (outcome === 'repeated' && retries === 0) return 'end'
    if (waitSeconds !== undefined) {
      this.#slowDown(now, 'safe')
      return this.#pause(now, waitSeconds, 'as before')
    }
    // During a probe, every failure shows that the service does not work yet.
    const fewFailures = concurrency < 3 ? 2 : 3
    if (isProbing || this.#failuresInARow >= fewFailures) {
      const seconds = backoff(this.#pausesInARow + 1, random())
      return this.#pause(now, seconds, isLimit ? 'at the limit' : 'slow')
    }
    if (isNew && isAboutRate(failure))
      this.#slowDown(now, outcome === 'doubtful' ? outcome : 'safe')
    return undefined
  }

  #count(failure: PaceFailure, isNew: boolean): void {
    const { outcome } = failure
    if (outcome === 'doubtful') this.#doubtfulInARow += 1
    if (isNew || outcome !== 'repeated') this.#failuresInARow += 1
    const isRunning = this.#probe === undefined
    if (isRunning && isNew && isAboutRate(failure)) this.#rate.countFailure()
  }

  #slowDown(now: number, outcome: 'doubtful' | 'safe'): void {
    if (this.#rate.ignoresFailures) return
    this.#rate.slowDown(now, outcome)
    this.#reactedAt = now
  }

  #pause(now: number, seconds: number, rate: RateAfterPause): PaceDecision {
    const { concurrency, retries } = this.#options
    const hasRetries = this.#pausesInARow < retries
    // A failing service leaves the requests in flight in doubt, and those that replace them until
    // this is noticed. With single rows after pauses, these must not be more than three times the
    // concurrency.
    const mostDoubtful = Math.max(3, concurrency * 2)
    const isHarmful = this.#doubtfulInARow >= mostDoubtful
    if (!hasRetries || isHarmful) return 'end'
    this.#probe = { from: now + seconds * 1000, rate }
    this.#pausesInARow += 1
    this.#reactedAt = now
    this.#window = Math.min(concurrency, firstWindow)
    this.#rate.pause()
    return seconds
  }

  #resume(rate: RateAfterPause, now: number): void {
    this.#probe = undefined
    if (rate === 'slow') this.#rate.startSlowly()
    const isLongOutage = this.#pausesInARow > shortPauses
    if (rate === 'at the limit') this.#rate.startAtLimit(now, isLongOutage)
    this.#rate.resume(now)
  }
}

/** So many pauses are shorter than two seconds. */
const shortPauses = 2

const isAboutRate = ({ isLimit, outcome }: PaceFailure) => isLimit || outcome === 'repeated'
