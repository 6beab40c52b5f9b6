import { backoff } from '../client/retry.ts'
import { longestWait } from '../client/retry-policy.ts'

/** How a request failed, as far as the pace depends on it. */
export interface PaceFailure {
  readonly sentAt: number
  /** What happens to the row: it may have been added, it will be sent again, or neither. */
  readonly row: 'unknown' | 'repeated' | 'rejected'
  /** Whether the service may be limiting the rate: 429, or 503 of any kind. */
  readonly isLimit: boolean
  /** How many seconds the service asked to wait. */
  readonly waitSeconds?: number | undefined
}

type PaceDecision =
  | { readonly kind: 'continue' }
  | { readonly kind: 'pause'; readonly seconds: number }
  /** There were too many pauses: the import has to end. */
  | { readonly kind: 'end' }

export interface Pace {
  /** How long a request has to wait; infinite while the only request allowed is in flight. */
  delay(now: number, inFlight: number): number
  /** How many requests may be in flight: none during a pause, one right after it, few at first. */
  capacity(now: number): number
  /** The distance between two requests; 0 if there is no limit. */
  readonly interval: number
  sent(now: number, inFlight: number): void
  succeeded(sentAt: number, now: number): void
  failed(failure: PaceFailure, now: number): PaceDecision
}

interface PaceOptions {
  readonly concurrency: number
  /** The maximum number of pauses in a row. */
  readonly retries: number
  /** From 0 to 1, without 1. */
  readonly random: () => number
  /** Whether single rows are sent until one succeeds, as after a pause. */
  readonly isCautious?: boolean
}

/** The distance after a pause, in milliseconds. Each success divides it, until the next failure. */
const slowStart = 100
const slowStartGrowth = 1.2
/** A failure so soon after another ends the slow start. */
const fewRounds = 4
/** The number of pauses that are shorter than two seconds. */
const shortPauses = 2

/** How many requests may be in flight at first; each success allows one more. */
const firstWindow = 8

/**
 * After that, each success lets the rate grow, more so if the last failure is far, and a failure
 * lets it shrink. It settles where both cancel out: where 1 in 50 requests gets a 503 that leaves
 * its row in doubt, or 1 in 25 a 429, which harms nothing. If fewer fail, for other reasons, the
 * distance vanishes. A round is as many successes as requests are in flight, because the service's
 * answer to a new rate takes that long.
 */
const growth = (rounds: number) => 1 + 0.0022 * (1 + rounds / 50)
const decreaseIfUnknown = 0.85
const decreaseIfSafe = 0.935

/**
 * How many successes make a block, over which their distance and the share of failures are
 * measured.
 */
const block = 32

/**
 * If the successes of a block are so much further apart than before, fewer requests should fail.
 */
const slower = 1.3
const fewer = 0.6
/**
 * Otherwise the rate is not the reason for the failures, and they do not slow down the next blocks.
 */
const ignoredBlocks = 30

/**
 * How late a request may be, in milliseconds, and still count as held back by the distance to the
 * one before.
 */
const lateness = 2

/** Shorter distances, in milliseconds, are kept on average only: timers are not exact enough. */
const timerResolution = 1

/**
 * Decides when the next request may be sent, from the results of the earlier ones. After a few
 * failures in a row it pauses, each time for longer, and then sends single rows until one succeeds.
 * While only some requests fail because the service limits the rate, it keeps the requests apart
 * instead, at a distance that grows with each failure and shrinks with each success.
 *
 * It has no timers: callers pass the time, in milliseconds.
 */
export function createPace({
  concurrency,
  retries,
  random,
  isCautious = false,
}: PaceOptions): Pace {
  const fewFailures = concurrency < 3 ? 2 : 3
  // A failing service leaves the requests in flight in doubt, and those that replace them until
  // this is noticed. With single rows after pauses, these must not be more than three times the
  // concurrency.
  const mostUnknown = Math.max(3, concurrency * 2)
  let meter = createMeter()
  let interval = 0
  let isSlowStart = true
  let nextAt = Number.NEGATIVE_INFINITY
  let isHeldBack = false
  let inFlightAtLast = 1
  let window = Math.min(concurrency, firstWindow)
  let failuresInARow = 0
  let unknownInARow = 0
  let pauses = 0
  let pausedUntil = Number.NEGATIVE_INFINITY
  let isProbing = isCautious
  /** How to continue after the pause. */
  let resume = (_now: number) => {}
  /** Failures of requests sent before this moment have been reacted to. */
  let reactedAt = Number.NEGATIVE_INFINITY
  /** Rounds of success since the last reaction to a failure. */
  let rounds = 0

  const pause = (now: number, seconds: number): PaceDecision => {
    if (pauses >= retries || unknownInARow >= mostUnknown) return { kind: 'end' }
    pauses += 1
    pausedUntil = now + seconds * 1000
    reactedAt = now
    isProbing = true
    window = Math.min(concurrency, firstWindow)
    meter.interrupt()
    return { kind: 'pause', seconds }
  }
  const startSlowly = () => {
    interval = slowStart
    isSlowStart = true
  }
  /**
   * After a limit refused everything: at the rate that it allowed since the last time, pauses
   * included.
   */
  const startLimited = (now: number) => {
    const allowed = meter.distanceInAll(now)
    meter = createMeter()
    startSlowly()
    // A long outage does not show the rate.
    if (allowed === 0 || pauses > shortPauses) return
    interval = Math.min(slowStart, allowed)
    isSlowStart = false
    rounds = 0
  }
  const slowDown = (now: number, factor: number) => {
    const distance = meter.distance()
    if (interval === 0 && distance === 0) {
      startSlowly()
    } else {
      // A distance far below that of the successes does not limit the rate.
      interval = Math.min(slowStart, Math.max(interval, distance / 2) / factor)
      // A single failure may be an accident.
      if (isSlowStart && rounds <= fewRounds) {
        isSlowStart = false
        // Until now the distance was longer than it has to be.
        meter.restart()
      }
    }
    rounds = 0
    reactedAt = now
    nextAt = Math.max(nextAt, now + interval)
  }

  return {
    delay(now: number, inFlight: number) {
      if (now < pausedUntil) return pausedUntil - now
      if (isProbing) return inFlight > 0 ? Number.POSITIVE_INFINITY : 0
      return Math.max(0, nextAt - now)
    },
    capacity: (now: number) => (now < pausedUntil ? 0 : isProbing ? 1 : window),
    get interval() {
      return interval
    },
    sent(now: number, inFlight: number) {
      inFlightAtLast = inFlight
      isHeldBack = now - nextAt <= Math.max(lateness, interval / 2)
      nextAt =
        interval < timerResolution
          ? Math.max(nextAt + interval, now - timerResolution)
          : now + interval
    },
    succeeded(sentAt: number, now: number) {
      failuresInARow = 0
      if (meter.succeeded(now, interval, inFlightAtLast)) isSlowStart = true
      if (isProbing) {
        // A request from before the pause says nothing about the service now.
        if (sentAt < pausedUntil) return
        isProbing = false
        resume(now)
        nextAt = now + interval
      } else if (sentAt > reactedAt) {
        rounds += 1 / inFlightAtLast
        // Otherwise, something other than the distance limits the rate.
        if (isHeldBack) {
          interval /= (isSlowStart ? slowStartGrowth : growth(rounds)) ** (1 / inFlightAtLast)
        }
      }
      window = Math.min(concurrency, window + 1)
      unknownInARow = 0
      pauses = 0
    },
    failed({ row, sentAt, isLimit, waitSeconds }: PaceFailure, now: number): PaceDecision {
      const isUnknown = row === 'unknown'
      if (isUnknown) unknownInARow += 1
      if (waitSeconds !== undefined && waitSeconds > longestWait) return { kind: 'end' }
      // Requests that were in flight together and failed together are one reason to react, not
      // many.
      const isNew = sentAt > reactedAt && (!isProbing || sentAt >= pausedUntil)
      if (isNew || row !== 'repeated') failuresInARow += 1
      const isAboutRate = isLimit || row === 'repeated'
      if (isNew && isAboutRate && !isProbing) meter.failed()
      if (isProbing && !isNew) return { kind: 'continue' }
      if (row === 'repeated' && retries === 0) return { kind: 'end' }
      if (waitSeconds !== undefined) {
        if (!meter.isIgnoring()) slowDown(now, decreaseIfSafe)
        resume = () => {}
        return pause(now, waitSeconds)
      }
      if (isProbing || failuresInARow >= fewFailures) {
        resume = isLimit ? startLimited : startSlowly
        return pause(now, backoff(pauses + 1, random()))
      }
      if (isNew && isAboutRate && !meter.isIgnoring())
        slowDown(now, isUnknown ? decreaseIfUnknown : decreaseIfSafe)
      return { kind: 'continue' }
    },
  }
}

/**
 * Measures the distance of successes in blocks, without pauses, and finds out whether slowing down
 * has helped.
 */
function createMeter() {
  let last: number | undefined
  let elapsed = 0
  let successes = 0
  let failures = 0
  let distance = 0
  let reference: { distance: number; share: number } | undefined
  let ignored = 0
  /** All successes, and the time of the first. */
  const all = { since: 0, successes: 0 }
  const begin = () => {
    elapsed = 0
    successes = 0
    failures = 0
  }
  return {
    /** Between all successes, pauses included; 0 if there were few. */
    distanceInAll: (now: number) =>
      all.successes < block / 4 ? 0 : (now - all.since) / all.successes,
    /** Between the successes of the last block; 0 if it is not known. */
    distance: () => distance,
    isIgnoring: () => ignored > 0,
    interrupt() {
      last = undefined
    },
    /** Begins a block in which the earlier distances do not count. */
    restart() {
      distance = 0
      begin()
    },
    failed() {
      failures += 1
    },
    /** Whether slowing down has not helped. */
    succeeded(now: number, interval: number, inFlight: number): boolean {
      if (last !== undefined) {
        elapsed += now - last
        successes += 1
      }
      last = now
      if (all.successes === 0) all.since = now
      all.successes += 1
      if (successes < Math.max(block, 2 * inFlight)) return false
      distance = elapsed / successes
      const share = failures / (failures + successes)
      begin()
      if (ignored > 0) {
        ignored -= 1
        return false
      }
      const isSlower = reference !== undefined && distance >= reference.distance * slower
      const isFutile =
        (isSlower && share >= (reference?.share ?? 0) * fewer) || interval > slowStart * 0.9
      if (share === 0) reference = undefined
      else if (isSlower || distance < (reference?.distance ?? Number.POSITIVE_INFINITY))
        reference = { distance, share }
      if (share === 0 || !isFutile) return false
      ignored = ignoredBlocks
      reference = undefined
      return true
    },
  }
}
