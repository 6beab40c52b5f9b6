import { expect, test } from 'vitest'
import { Rate } from '../../src/import/rate.ts'

/** Sends requests one after another, each at the distance of the rate, and all succeed. */
function succeed(rate: Rate, count: number, start: number): number {
  let now = start
  for (let index = 0; index < count; index += 1) {
    now += Math.max(rate.delay(now), 1)
    rate.sent(now, 1)
    rate.countSuccess(now)
    rate.speedUp()
  }
  return now
}

function fail(rate: Rate, now: number): void {
  rate.countFailure()
  rate.slowDown(now, 'safe')
}

test('there is no distance before the first failure', () => {
  const rate = new Rate()
  succeed(rate, 100, 0)
  expect(rate.distance).toBe(0)
})

test('a first failure begins a slow start, in which the distance shrinks fast', () => {
  const rate = new Rate()
  fail(rate, 0)
  expect([rate.distance, rate.delay(0)]).toEqual([100, 100])
  succeed(rate, 10, 0)
  expect(rate.distance).toBeCloseTo(100 / 1.2 ** 10)
})

test('a second failure soon after ends the slow start: the distance shrinks by little', () => {
  const rate = new Rate()
  fail(rate, 0)
  const now = succeed(rate, 4, 0)
  fail(rate, now)
  const { distance } = rate
  expect(distance).toBeCloseTo(100 / 1.2 ** 4 / 0.935)
  succeed(rate, 4, now)
  expect(rate.distance).toBeLessThan(distance)
  expect(rate.distance).toBeGreaterThan(distance * 0.98)
})

test('a request that waits for something else does not shorten the distance', () => {
  const rate = new Rate()
  fail(rate, 0)
  rate.sent(1000, 1)
  rate.countSuccess(1000)
  rate.speedUp()
  expect(rate.distance).toBe(100)
})

test('if slowing down does not help, failures have no effect for 30 blocks of 32 successes', () => {
  const rate = new Rate()
  let now = 0
  for (let index = 0; index < 200 && !rate.ignoresFailures; index += 1) {
    fail(rate, now)
    now = succeed(rate, 3, now)
  }
  expect(rate.ignoresFailures).toBe(true)
  now = succeed(rate, 29 * 32, now)
  expect(rate.ignoresFailures).toBe(true)
  succeed(rate, 32, now)
  expect(rate.ignoresFailures).toBe(false)
})

test('after a pause, the rate is the one that a limit allowed before, pauses included', () => {
  const measured = () => {
    const rate = new Rate()
    const now = succeed(rate, 10, 0)
    rate.pause()
    return { rate, now: now + 300 }
  }
  const short = measured()
  short.rate.startAtLimit(short.now, false)
  expect(short.rate.distance).toBeCloseTo((short.now - 1) / 10)
  const long = measured()
  long.rate.startAtLimit(long.now, true)
  expect(long.rate.distance).toBe(100)
})
