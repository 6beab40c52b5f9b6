import { backoff } from '../client/retry.ts'
import { longestWait, type Outcome } from '../client/retry-policy.ts'

/** Requests per second: what a rate is at least, and from where on there is no limit. */
const lowestRate = 1
const highestRate = 5000
/** Where it begins if next to nothing succeeded before a refusal. */
const slowestStart = 20
/** What a refusal divides a rate by. */
const slowDown = 2
/** After so many failures in a row, nothing is sent for a while. */
const patience = 4
/** An outage leaves at most so many times the requests that are sent at a time in doubt. */
const mostDoubts = 3

interface PaceOptions {
  /** How many pauses in a row there may be. */
  readonly retries: number
  readonly concurrency: number
  /** Aborted when no more rows are to be sent. */
  readonly signal: AbortSignal
}

/** What a reply says about the pace. */
export type Setback = Partial<Pick<Outcome, 'status' | 'waitSeconds'>>

/** What to do after a setback: go on at once, after so many seconds, or not at all. */
export type Reaction = number | 'end' | undefined

/**
 * When the next request may be sent. It begins with one request at a time, and adds one for each
 * success. A limiter gets requests farther apart; a service that fails gets one at a time, then
 * none for a while, each time for longer.
 */
export class Pace {
  readonly #options: PaceOptions
  readonly #waiting: (() => void)[] = []
  #timer: NodeJS.Timeout | undefined
  #width = 1
  #inFlight = 0
  #rate = Number.POSITIVE_INFINITY
  /** The rate at which the latest refusal came, and how many requests it was. */
  #refusedRate = Number.POSITIVE_INFINITY
  #refusals = 0
  #nextAt = 0
  #firstAt: number | undefined
  #successes = 0
  #reactedAt = -1
  /** In a row. */
  #doubts = 0
  #reactions = 0
  #pauses = 0

  constructor(options: PaceOptions) {
    this.#options = options
    const releaseAll = () => {
      clearTimeout(this.#timer)
      this.#release()
    }
    options.signal.addEventListener('abort', releaseAll)
  }

  /** Resolves when a request may be sent, or when the import ends. */
  turn(): Promise<void> {
    return new Promise(resolve => {
      this.#waiting.push(resolve)
      this.#release()
    })
  }

  succeeded(): void {
    this.#inFlight -= 1
    this.#successes += 1
    this.#doubts = this.#reactions = this.#pauses = 0
    this.#width = Math.min(this.#width + 1, this.#options.concurrency)
    this.#speedUp()
    this.#release()
  }

  /** A request in doubt may have been carried out. `sentAt` is when it was sent. */
  failed(setback: Setback, isInDoubt: boolean, sentAt: number): Reaction {
    this.#inFlight -= 1
    this.#doubts += isInDoubt ? 1 : 0
    const reaction = this.#reactTo(setback, sentAt)
    this.#release()
    return reaction
  }

  #reactTo({ status, waitSeconds }: Setback, sentAt: number): Reaction {
    const { concurrency, retries } = this.#options
    if (this.#doubts >= mostDoubts * concurrency || (waitSeconds ?? 0) > longestWait) return 'end'
    const isRefused = status === 429 || status === 503
    this.#refusals += isRefused ? 1 : 0
    // Requests that were in flight together are one reason to react.
    if (sentAt <= this.#reactedAt) return undefined
    const now = performance.now()
    this.#reactedAt = now
    this.#reactions += 1
    if (!isRefused) this.#width = 1
    // What refuses even the first request after a pause is no limiter.
    else if (this.#pauses === 0) this.#slowDown(now)
    const isPatient = this.#reactions < Math.min(patience, 2 * concurrency)
    if (waitSeconds === undefined && isPatient) return undefined
    this.#width = 1
    this.#pauses += 1
    if (this.#pauses > retries) return 'end'
    const pauseSeconds = waitSeconds ?? backoff(this.#pauses, Math.random())
    this.#nextAt = now + pauseSeconds * 1000
    return pauseSeconds
  }

  #slowDown(now: number) {
    this.#refusals = 1
    // More refusals in a row say how far the rate is from the limit, not where the limit is.
    if (this.#reactions === 1) this.#refusedRate = this.#rate
    const measured = (1000 * this.#successes) / (now - (this.#firstAt ?? 0))
    const rate = Number.isFinite(this.#rate) ? this.#rate : Math.max(slowestStart, measured)
    this.#rate = Math.max(lowestRate, rate / slowDown)
    this.#nextAt = now + 1000 / this.#rate
  }

  /**
   * Quickly to nine tenths of the refused rate, by a tenth while those in flight end; from there on
   * slowly: each request that was refused is then one of more than two hundred.
   */
  #speedUp() {
    const quick = this.#rate * (1 + 0.1 / Math.max(1, this.#inFlight))
    const slow = this.#rate * (1 + 1 / (2000 * this.#refusals))
    const nearLimit = 0.9 * this.#refusedRate
    if (this.#rate < nearLimit) this.#rate = Math.min(quick, nearLimit)
    else this.#rate = this.#rate < 1.05 * this.#refusedRate ? slow : quick
    if (this.#rate > highestRate) this.#rate = Number.POSITIVE_INFINITY
  }

  #isRoomForOne() {
    // Each request in flight may end in doubt.
    const possibleDoubts = this.#doubts + this.#inFlight
    const isBounded = possibleDoubts < mostDoubts * this.#options.concurrency
    return isBounded && this.#inFlight < this.#width
  }

  /** Lets those go on whose turn it is, and comes back for the next one. */
  #release() {
    const { aborted } = this.#options.signal
    while (this.#waiting.length > 0 && (aborted || this.#isRoomForOne())) {
      const now = performance.now()
      if (this.#nextAt > now && !aborted) {
        this.#timer ??= setTimeout(() => {
          this.#timer = undefined
          this.#release()
        }, this.#nextAt - now)
        return
      }
      this.#firstAt ??= now
      this.#inFlight += 1
      this.#nextAt = now + 1000 / this.#rate
      this.#waiting.shift()?.()
    }
  }
}
