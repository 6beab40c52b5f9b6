import { describe, expect, test } from 'vitest'
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

/** A rate that stays near a limit of one request in this time. */
function limitedTo(distance: number): Rate {
  const rate = new Rate()
  for (let count = 0; count < 8; count += 1) rate.countSuccess(0)
  rate.startAtLimit(8 * distance, false)
  rate.resume(0)
  return rate
}

test('eight successes show the rate that a limit allows, and seven do not', () => {
  expect(limitedTo(10).distance).toBe(10)
  const rate = new Rate()
  for (let count = 0; count < 7; count += 1) rate.countSuccess(0)
  rate.startAtLimit(70, false)
  expect(rate.distance).toBe(100)
})

test('a limit is never followed below ten requests per second', () => {
  expect(limitedTo(101).distance).toBe(100)
  const rate = limitedTo(99)
  rate.slowDown(0, 'safe')
  expect(rate.distance).toBe(100)
})

test.each([
  ['half the distance', 10, 5],
  ['2 ms, if that is longer', 3, 2]
])(
  'a request counts as held back by the distance if it is late by at most %s',
  (_, distance, late) => {
    for (const isLater of [false, true]) {
      const rate = limitedTo(distance)
      rate.sent(100, 1)
      expect(rate.delay(100)).toBe(distance)
      rate.sent(100 + distance + late + (isLater ? 0.1 : 0), 1)
      rate.speedUp()
      expect(rate.distance < distance).toBe(!isLater)
    }
  }
)

test('a distance that timers cannot keep is kept on average: late requests catch up by 1 ms', () => {
  const rate = limitedTo(0.5)
  const delays = [100, 100, 100, 100, 100.5, 200].map(now => {
    rate.sent(now, 1)
    return rate.delay(now)
  })
  expect(delays).toEqual([0, 0, 0, 0.5, 0.5, 0])
  const other = limitedTo(1)
  other.sent(100, 1)
  expect(other.delay(100)).toBe(1)
})

test('near a limit, the rate grows by 0.22 % for each round of successes, and twice as fast after 50', () => {
  const growths = (inFlight: number, successes: number) => {
    const rate = limitedTo(10)
    rate.sent(10, inFlight)
    return Array.from({ length: successes }, () => {
      const before = rate.distance
      rate.speedUp()
      return before / rate.distance
    })
  }
  const alone = growths(1, 50)
  expect(alone[0]).toBeCloseTo(1.0022, 3)
  expect(alone[49]).toBeCloseTo(1.0044, 8)
  const four = growths(4, 200)
  expect(four[199]).toBeCloseTo(1.0044 ** (1 / 4), 8)
})

test('a failure makes the growth slow again', () => {
  const rate = limitedTo(10)
  rate.sent(10, 1)
  for (let round = 0; round < 50; round += 1) rate.speedUp()
  rate.slowDown(0, 'safe')
  const { distance } = rate
  rate.speedUp()
  expect(distance / rate.distance).toBeCloseTo(1 + 0.0022 * (1 + 1 / 50), 8)
})

test('a row in doubt slows the requests down more than one that is sent again', () => {
  for (const [kind, factor] of [
    ['doubtful', 0.85],
    ['safe', 0.935]
  ] as const) {
    const rate = limitedTo(10)
    rate.slowDown(500, kind)
    expect(rate.distance).toBeCloseTo(10 / factor)
    expect(rate.delay(500)).toBeCloseTo(10 / factor)
  }
})

test('a failure five rounds after another does not end the slow start', () => {
  const rate = new Rate()
  fail(rate, 0)
  const now = succeed(rate, 5, 0)
  fail(rate, now)
  const { distance } = rate
  succeed(rate, 1, now)
  expect(rate.distance).toBeCloseTo(distance / 1.2)
})

test('a failure does not shorten the wait that is left', () => {
  const rate = limitedTo(50)
  rate.sent(100, 1)
  rate.distance = 1
  rate.slowDown(100, 'safe')
  expect(rate.delay(100)).toBe(50)
})

/** Blocks of 32 successes at a distance, each with so many failures. */
function measure(
  rate: Rate,
  blocks: readonly (readonly [failures: number, distance: number])[],
  size = 32
): number {
  let now = 10_000
  rate.countSuccess(now)
  for (const [failures, distance] of blocks) {
    for (let count = 0; count < failures; count += 1) rate.countFailure()
    for (let count = 0; count < size; count += 1) {
      now += distance
      rate.countSuccess(now)
    }
  }
  return now
}

describe('the first failure', () => {
  test('keeps requests apart by at least half the distance that the last successes had', () => {
    const rate = new Rate()
    measure(rate, [[0, 20]])
    rate.slowDown(0, 'safe')
    expect(rate.distance).toBeCloseTo(20 / 2 / 0.935)
    // What was measured before does not count again.
    rate.distance = 1
    rate.slowDown(0, 'safe')
    expect(rate.distance).toBeCloseTo(1 / 0.935)
  })

  test('after fewer successes than a block begins a slow start', () => {
    for (const size of [31, 32]) {
      const rate = new Rate()
      measure(rate, [[0, 20]], size)
      rate.slowDown(0, 'safe')
      expect(rate.distance === 100).toBe(size === 31)
    }
  })

  test('with many requests in flight, a block has two successes for each', () => {
    for (const size of [39, 40]) {
      const rate = new Rate()
      rate.sent(0, 20)
      measure(rate, [[0, 20]], size)
      rate.slowDown(0, 'safe')
      expect(rate.distance === 100).toBe(size === 39)
    }
  })

  test('after a pause does not count its time', () => {
    const rate = new Rate()
    const now = measure(rate, [[0, 20]], 16)
    rate.pause()
    rate.countSuccess(now + 5000)
    for (let count = 1; count <= 16; count += 1) rate.countSuccess(now + 5000 + 20 * count)
    rate.slowDown(0, 'safe')
    expect(rate.distance).toBeCloseTo(20 / 2 / 0.935)
  })
})

describe('failures have no effect any more', () => {
  const futile = [
    [4, 10],
    [4, 13]
  ] as const

  test.each([
    ['if as many fail at 1.3 times the distance', true, '4 at 10 ms, 4 at 13 ms'],
    ['but not at a shorter one', false, '4 at 10 ms, 4 at 12.9 ms'],
    ['if several small steps lead there', true, '4 at 10 ms, 4 at 12 ms, 4 at 13 ms'],
    ['if a share of more than 0.6 of that fails', true, '32 at 10 ms, 14 at 13 ms'],
    ['but not a smaller share', false, '32 at 10 ms, 13 at 13 ms'],
    ['but later ones are compared with that', true, '32 at 10 ms, 13 at 13 ms, 13 at 17 ms'],
    ['but not after a block without failures', false, '4 at 10 ms, 0 at 10 ms, 4 at 13 ms'],
    ['compared with the shortest distance', true, '4 at 13 ms, 4 at 10 ms, 4 at 13 ms'],
    ['and with its first block', false, '32 at 10 ms, 4 at 10 ms, 4 at 13 ms'],
    ['but not in the first block', false, '30 at 10 ms']
  ])('%s', (_, isFutile, blocks) => {
    const rate = limitedTo(10)
    const readBlock = (block: string) => block.split(' at ').map(Number.parseFloat)
    measure(rate, blocks.split(', ').map(readBlock) as [number, number][])
    expect(rate.ignoresFailures).toBe(isFutile)
  })

  test('if they happen at nearly the longest distance', () => {
    for (const distance of [90, 91]) {
      const rate = limitedTo(distance)
      measure(rate, [[1, distance]])
      expect(rate.ignoresFailures).toBe(distance === 91)
    }
  })

  test('so the distance shrinks fast, and later comparisons begin anew', () => {
    const rate = limitedTo(10)
    measure(rate, futile)
    rate.sent(10, 1)
    rate.speedUp()
    expect(rate.distance).toBeCloseTo(10 / 1.2)
    measure(rate, Array(30).fill([4, 10]))
    measure(rate, [[4, 13]])
    expect(rate.ignoresFailures).toBe(false)
  })

  test('until a pause shows the limit', () => {
    const rate = limitedTo(10)
    const now = measure(rate, futile)
    rate.startAtLimit(now, false)
    expect(rate.ignoresFailures).toBe(false)
    measure(rate, [[4, 17]])
    expect(rate.ignoresFailures).toBe(false)
  })
})

test('after the first request after a pause, the next one waits for the distance', () => {
  const rate = limitedTo(10)
  rate.resume(1000)
  expect(rate.delay(1000)).toBe(10)
})

test('after a pause at the limit, the growth is slow, and a new slow start is fast', () => {
  const rate = limitedTo(10)
  rate.sent(10, 1)
  for (let round = 0; round < 50; round += 1) rate.speedUp()
  for (let count = 0; count < 8; count += 1) rate.countSuccess(0)
  rate.startAtLimit(80, false)
  rate.speedUp()
  expect(10 / rate.distance).toBeCloseTo(1 + 0.0022 * (1 + 1 / 50), 8)
  rate.startSlowly()
  rate.speedUp()
  expect(rate.distance).toBeCloseTo(100 / 1.2)
})
