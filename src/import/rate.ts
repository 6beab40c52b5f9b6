/** In milliseconds: after a pause, and at most. */
const longestDistance = 100

/** In a slow start, the factor of the rate for each round of successes. */
const slowStartGrowth = 1.2
/** A failure within so many rounds after another ends the slow start. */
const fewRounds = 4

/**
 * In the steady mode, each round lets the rate grow by this share, more so if the last failure is
 * far, and a failure lets it shrink. It settles where both cancel out: where 1 in 50 requests gets a
 * 503 that leaves its row in doubt, or 1 in 25 a 429, which harms nothing. If fewer fail, for other
 * reasons, the distance vanishes. A round is as many successes as requests are in flight, because
 * the service's answer to a new rate takes that long.
 */
const steadyGrowth = 0.0022
/** After so many rounds without a failure, the rate grows twice as fast. */
const roundsToDoubleGrowth = 50
/** The factors of the rate after a failure: of a row in doubt, and of one that is sent again. */
const decrease = { doubtful: 0.85, safe: 0.935 } as const

/** How many successes make a block, over which distances and failures are measured. */
const blockSize = 32
/** This share of a block is enough to show the rate that a limit allows. */
const enoughOfBlock = 1 / 4

/** From this factor on, a longer distance counts as a different rate. */
const muchSlower = 1.3
/** Slowing down helps if the share of failures falls below this part of the former share. */
const muchFewer = 0.6

/** From this distance on, in milliseconds, slowing down counts as futile. */
const nearlyLongest = longestDistance * 0.9
/** Where slowing down is futile, failures have no effect for so many blocks. */
const ignoredBlocks = 30

/** In milliseconds. A request that is later than this is not held back by the distance. */
const lateness = 2
/** In milliseconds. Timers keep shorter distances on average only. */
const timerResolution = 1

/**
 * The distance between requests to a service that limits the rate: it grows with each failure and
 * shrinks with each success. All times are in milliseconds.
 */
export class Rate {
  /** Between two requests; 0 if there is no limit. */
  distance = 0
  /** The distance stays near the service's limit. Otherwise each success shortens it a lot. */
  #isSteady = false
  /** Slowing down did not help: so many blocks are left in which failures have no effect. */
  #blocksToIgnore = 0
  #meter = new Meter()
  /** The block that the next ones are compared with. */
  #reference: Block | undefined
  #nextAt = Number.NEGATIVE_INFINITY
  /** Whether the last request waited for the distance, and not for something else. */
  #isHeldBack = false
  #inFlightAtLast = 1
  /** Rounds of successes since the last failure that slowed down. */
  #rounds = 0

  get ignoresFailures(): boolean {
    return this.#blocksToIgnore > 0
  }

  /** How long the next request has to wait. */
  delay(now: number): number {
    return Math.max(0, this.#nextAt - now)
  }

  sent(now: number, inFlight: number): void {
    this.#inFlightAtLast = inFlight
    const late = now - this.#nextAt
    this.#isHeldBack = late <= Math.max(lateness, this.distance / 2)
    this.#nextAt =
      this.distance < timerResolution
        ? Math.max(this.#nextAt + this.distance, now - timerResolution)
        : now + this.distance
  }

  countSuccess(now: number): void {
    const block = this.#meter.countSuccess(now, this.#inFlightAtLast)
    if (block !== undefined) this.#judge(block)
  }

  countFailure(): void {
    this.#meter.countFailure()
  }

  /** After a success at this rate. */
  speedUp(): void {
    this.#rounds += 1 / this.#inFlightAtLast
    if (!this.#isHeldBack) return
    const growth = this.#isSteady
      ? 1 + steadyGrowth * (1 + this.#rounds / roundsToDoubleGrowth)
      : slowStartGrowth
    this.distance /= growth ** (1 / this.#inFlightAtLast)
  }

  /** After a failure at this rate. */
  slowDown(now: number, outcome: keyof typeof decrease): void {
    const measured = this.#meter.distance
    if (this.distance === 0 && measured === 0) {
      this.startSlowly()
    } else {
      // A distance far below that of the successes does not limit the rate.
      const effective = Math.max(this.distance, measured / 2)
      this.distance = Math.min(longestDistance, effective / decrease[outcome])
      // A single failure may be an accident.
      if (!this.#isSteady && this.#rounds <= fewRounds) {
        this.#isSteady = true
        // Until now the distance was longer than it has to be.
        this.#meter.restart()
      }
    }
    this.#rounds = 0
    this.#nextAt = Math.max(this.#nextAt, now + this.distance)
  }

  pause(): void {
    this.#meter.interrupt()
  }

  /** The first request after a pause succeeded. */
  resume(now: number): void {
    this.#nextAt = now + this.distance
  }

  startSlowly(): void {
    this.distance = longestDistance
    this.#isSteady = false
  }

  /**
   * After a limit refused everything: starts at the rate that it allowed since the last time,
   * pauses included. A long outage does not show that rate.
   */
  startAtLimit(now: number, isLongOutage: boolean): void {
    const allowed = this.#meter.distanceInAll(now)
    this.#meter = new Meter()
    this.#reference = undefined
    this.#blocksToIgnore = 0
    this.startSlowly()
    if (allowed === 0 || isLongOutage) return
    this.#isSteady = true
    this.distance = Math.min(longestDistance, allowed)
    this.#rounds = 0
  }

  /** Finds out whether slowing down has helped. */
  #judge(block: Block): void {
    if (this.ignoresFailures) {
      this.#blocksToIgnore -= 1
      return
    }
    const before = this.#reference
    const isFirstOrFaster = before === undefined || block.distance < before.distance
    const isMuchSlower = !isFirstOrFaster && block.distance >= before.distance * muchSlower
    // If the rate were the reason for the failures, far fewer requests would fail at a lower rate.
    const hasNotHelped = isMuchSlower && block.failedShare >= before.failedShare * muchFewer
    // If requests so far apart still fail, it is not because of their rate.
    const isNearlyLongest = this.distance > nearlyLongest
    if (block.failedShare === 0) {
      this.#reference = undefined
    } else if (isNearlyLongest || hasNotHelped) {
      this.#isSteady = false
      this.#blocksToIgnore = ignoredBlocks
      this.#reference = undefined
    } else if (isFirstOrFaster || isMuchSlower) {
      // A block that is only a little slower is skipped, so that several small steps are compared.
      this.#reference = block
    }
  }
}

/** What was measured over some successes. */
interface Block {
  /** Between two successes, without pauses. */
  readonly distance: number
  readonly failedShare: number
}

const emptyBlock = { elapsed: 0, successes: 0, failures: 0 }

/** Measures the distance of successes. */
class Meter {
  /** Between the successes of the last block; 0 if it is not known. */
  distance = 0
  /** The last success, unless there was a pause since. */
  #lastAt: number | undefined
  #block = { ...emptyBlock }
  /** All successes, and the time of the first. */
  #all = { since: 0, successes: 0 }

  /** Returns the block that this success completes. */
  countSuccess(now: number, inFlight: number): Block | undefined {
    if (this.#all.successes === 0) this.#all.since = now
    this.#all.successes += 1
    if (this.#lastAt !== undefined) {
      this.#block.elapsed += now - this.#lastAt
      this.#block.successes += 1
    }
    this.#lastAt = now
    const { elapsed, successes, failures } = this.#block
    if (successes < Math.max(blockSize, 2 * inFlight)) return undefined
    this.#block = { ...emptyBlock }
    this.distance = elapsed / successes
    return { distance: this.distance, failedShare: failures / (failures + successes) }
  }

  countFailure(): void {
    this.#block.failures += 1
  }

  /** A pause begins, which does not count. */
  interrupt(): void {
    this.#lastAt = undefined
  }

  /** Begins a block in which the earlier distances do not count. */
  restart(): void {
    this.distance = 0
    this.#block = { ...emptyBlock }
  }

  /** Between all successes, pauses included; 0 if there were few. */
  distanceInAll(now: number): number {
    const { since, successes } = this.#all
    return successes < blockSize * enoughOfBlock ? 0 : (now - since) / successes
  }
}
