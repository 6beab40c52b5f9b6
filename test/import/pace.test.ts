import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Pace, type PaceFailure } from '../../src/import/pace.ts'

type Reply = 'added' | Omit<PaceFailure, 'sentAt'>

const lost: Reply = { outcome: 'doubtful', isLimit: false }
const bare503: Reply = { outcome: 'doubtful', isLimit: true }
const tooMany: Reply = { outcome: 'repeated', isLimit: true }
const refused: Reply = { outcome: 'repeated', isLimit: false }

interface Simulation {
  readonly rows: number
  readonly concurrency: number
  readonly retries?: number
  readonly isCautious?: boolean
  /** In milliseconds. */
  readonly latency?: number
  /** The longest delay of a request, in milliseconds. */
  readonly jitter?: number
  /** The reply to a request that arrives at this time. */
  readonly service: (now: number) => Reply
}

/** Sends rows at the given pace to a simulated service, in simulated time. */
function simulate({
  rows,
  concurrency,
  retries = 3,
  isCautious = false,
  latency = 5,
  jitter = 0,
  service
}: Simulation) {
  const pace = new Pace({ concurrency, retries, isCautious, random: () => 0.5 })
  const inFlight: { sentAt: number; endsAt: number; reply: Reply }[] = []
  const sentAt: number[] = []
  const counts = { added: 0, doubtful: 0, repeated: 0, pauses: 0 }
  const random = randomNumbers()
  let hasEnded = false
  let waiting = rows
  let now = 0
  while (inFlight.length > 0 || (waiting > 0 && !hasEnded)) {
    const delay = pace.delay(now, inFlight.length)
    const hasMore = waiting > 0 && !hasEnded
    const [first] = inFlight
    if (hasMore && delay > 0 && now + delay < (first?.endsAt ?? Number.POSITIVE_INFINITY)) {
      now += delay
      continue
    }
    if (
      first === undefined ||
      (hasMore && delay === 0 && inFlight.length < pace.capacity(now) && now <= first.endsAt)
    ) {
      waiting -= 1
      sentAt.push(now)
      pace.sent(now, inFlight.length + 1)
      inFlight.push({ sentAt: now, endsAt: now + latency, reply: service(now + jitter * random()) })
      continue
    }
    inFlight.shift()
    now = Math.max(now, first.endsAt)
    if (first.reply === 'added') {
      counts.added += 1
      pace.succeeded(first.sentAt, now)
      continue
    }
    if (first.reply.outcome === 'repeated') waiting += 1
    if (first.reply.outcome !== 'rejected') counts[first.reply.outcome] += 1
    const decision = pace.failed({ ...first.reply, sentAt: first.sentAt }, now)
    if (decision === 'end') hasEnded = true
    else if (decision !== undefined) counts.pauses += 1
  }
  return { ...counts, hasEnded, seconds: now / 1000, sentAt }
}

/** Reproducible random numbers from 0 to 1. */
function randomNumbers(): () => number {
  let seed = 7
  return () => {
    seed = (seed * 48_271) % 2_147_483_647
    return seed / 2_147_483_647
  }
}

/** Limits requests to a minimum distance, as nginx does without a burst. */
function limiter(perSecond: number, refusal: Reply): Simulation['service'] {
  let last = Number.NEGATIVE_INFINITY
  return now => {
    if (now - last < 1000 / perSecond) return refusal
    last = now
    return 'added'
  }
}

describe('a service that fails for every row', () => {
  test('leaves at most three times the concurrency in doubt, whenever the failures begin', () => {
    fc.assert(
      fc.property(
        fc.record({
          concurrency: fc.integer({ min: 1, max: 256 }),
          retries: fc.integer({ min: 0, max: 12 }),
          latency: fc.integer({ min: 1, max: 500 }),
          healthy: fc.integer({ min: 0, max: 5000 })
        }),
        ({ healthy, ...simulation }) => {
          let requests = 0
          const service = () => {
            requests += 1
            return requests <= healthy ? 'added' : lost
          }
          const { doubtful, hasEnded, pauses } = simulate({ ...simulation, rows: 10_000, service })
          expect(hasEnded).toBe(true)
          expect(doubtful).toBeLessThanOrEqual(3 * simulation.concurrency)
          expect(pauses).toBeLessThanOrEqual(simulation.retries)
        }
      ),
      { numRuns: 200 }
    )
  })

  test('gets single rows after growing pauses', () => {
    const { sentAt } = simulate({ rows: 1000, concurrency: 8, retries: 4, service: () => lost })
    const waits = sentAt.slice(1).map((at, index) => at - (sentAt[index] ?? 0))
    const pauses = waits.filter(wait => wait > 100)
    expect(pauses.map(Math.round)).toEqual([375, 755, 1505, 3005])
  })

  test('that failed before gets single rows from the beginning', () => {
    const outage = { rows: 1000, concurrency: 8, isCautious: true }
    const { doubtful, pauses, hasEnded } = simulate({ ...outage, service: () => lost })
    expect({ doubtful, pauses, hasEnded }).toEqual({ doubtful: 4, pauses: 3, hasEnded: true })
    const { added, seconds } = simulate({ ...outage, service: () => 'added' })
    expect(added).toBe(1000)
    // At full speed after the first: 1000 rows, 8 at a time, 5 ms each.
    expect(seconds).toBeLessThan(0.66)
  })

  test('gets rows at full speed again after it recovers', () => {
    const service = (now: number) => (now > 1000 && now < 3000 ? lost : 'added')
    const { added, doubtful, hasEnded, seconds } = simulate({
      rows: 20_000,
      concurrency: 8,
      service
    })
    expect({ hasEnded, sum: added + doubtful }).toEqual({ hasEnded: false, sum: 20_000 })
    expect(doubtful).toBeLessThanOrEqual(24)
    // 12.5 s of work at full speed, 2 s of outage, and the time to speed up again.
    expect(seconds).toBeLessThan(17)
  })
})

describe('a service that cannot be reached', () => {
  test('ends the import after one pause for each retry, with no row in doubt', () => {
    const { hasEnded, pauses, doubtful } = simulate({
      rows: 100,
      concurrency: 8,
      service: () => refused
    })
    expect({ hasEnded, pauses, doubtful }).toEqual({ hasEnded: true, pauses: 3, doubtful: 0 })
  })

  test('ends the import at once if there are no retries', () => {
    const { sentAt, hasEnded } = simulate({
      rows: 9,
      concurrency: 1,
      retries: 0,
      service: () => refused
    })
    expect({ sent: sentAt.length, hasEnded }).toEqual({ sent: 1, hasEnded: true })
  })
})

describe('a service that limits the rate', () => {
  test('with 503 leaves at most one row in twenty in doubt at any rate, concurrency and latency', () => {
    fc.assert(
      fc.property(
        fc.record({
          concurrency: fc.integer({ min: 1, max: 256 }),
          latency: fc.integer({ min: 1, max: 300 }),
          rate: fc.integer({ min: 20, max: 1000 })
        }),
        ({ rate, ...simulation }) => {
          const jitter = 1000 / rate / 8
          const report = simulate({
            ...simulation,
            rows: 5000,
            jitter,
            service: limiter(rate, bare503)
          })
          expect(report.doubtful).toBeLessThanOrEqual(250)
        }
      ),
      { numRuns: 100 }
    )
  })

  test.each([
    [1, 1],
    [8, 1],
    [50, 1],
    [50, 20]
  ])('with 429 is used near its limit: concurrency %d, latency %d ms', (concurrency, latency) => {
    const { added, seconds, doubtful } = simulate({
      rows: 5000,
      concurrency,
      latency,
      service: limiter(300, tooMany)
    })
    expect({ added, doubtful }).toEqual({ added: 5000, doubtful: 0 })
    expect(added / seconds).toBeGreaterThan(240)
  })

  // The end of the slow start must not depend on replies that take longer than the distance between
  // two requests.
  test.each([1, 3, 5, 8])(
    'with 429 is used near its limit if requests are delayed: latency %d ms',
    latency => {
      const { seconds } = simulate({
        rows: 1000,
        concurrency: 50,
        latency,
        jitter: 1,
        service: limiter(250, tooMany)
      })
      expect(1000 / seconds).toBeGreaterThan(140)
    }
  )

  test.each([5, 40, 1000, 5000])('of %d per second is used near its limit', rate => {
    const { added, seconds } = simulate({
      rows: rate * 30,
      concurrency: 50,
      latency: 2,
      service: limiter(rate, tooMany)
    })
    expect(added).toBe(rate * 30)
    expect(added / seconds).toBeGreaterThan(rate * 0.6)
  })

  test('leaves few rows in doubt if the limit starts after a minute at full speed', () => {
    const limit = limiter(300, bare503)
    const service = (now: number) => (now < 60_000 ? 'added' : limit(now))
    const { added, doubtful } = simulate({
      rows: 100_000,
      concurrency: 8,
      latency: 5,
      service
    })
    expect(added + doubtful).toBe(100_000)
    expect(doubtful).toBeLessThan(100_000 * 0.05 * 0.1)
  })
})

describe('Retry-After', () => {
  const busyUntil = (end: number, waitSeconds: number) => (now: number) =>
    now < end ? { ...tooMany, waitSeconds } : ('added' as const)

  test('delays all requests, and leaves no row in doubt', () => {
    const { sentAt, added, doubtful, pauses } = simulate({
      rows: 100,
      concurrency: 8,
      service: busyUntil(900, 1)
    })
    expect({ added, doubtful, pauses }).toEqual({ added: 100, doubtful: 0, pauses: 1 })
    expect(sentAt.filter(at => at > 5 && at < 1005)).toEqual([])
  })

  test('of up to a minute is obeyed, and a longer one ends the import', () => {
    expect(simulate({ rows: 100, concurrency: 8, service: busyUntil(900, 60) })).toMatchObject({
      hasEnded: false,
      added: 100
    })
    expect(simulate({ rows: 100, concurrency: 8, service: busyUntil(900, 61) })).toMatchObject({
      hasEnded: true,
      added: 0
    })
  })
})

test('scattered failures do not slow an import down', () => {
  let requests = 0
  const service = () => {
    requests += 1
    return requests % 20 === 0 ? lost : 'added'
  }
  const { seconds, pauses } = simulate({ rows: 10_000, concurrency: 8, latency: 10, service })
  expect(pauses).toBe(0)
  expect(seconds).toBeCloseTo(12.5, 1)
})

describe('failures that do not depend on the rate', () => {
  test.each([
    ['one 503 in thirty', 30, bare503],
    ['one 503 in ten', 10, bare503],
    ['one 429 in ten', 10, tooMany],
    ['one 429 in thirty with Retry-After', 30, { ...tooMany, waitSeconds: 0.05 }]
  ])('%s', (_, every, failure) => {
    let requests = 0
    const service = () => {
      requests += 1
      return requests % every === 0 ? failure : 'added'
    }
    const { seconds, hasEnded } = simulate({
      rows: 10_000,
      concurrency: 8,
      latency: 10,
      retries: 9,
      service
    })
    expect(hasEnded).toBe(false)
    // 12.5 s of work at full speed.
    expect(seconds).toBeLessThan(50)
  })

  test('of every kind, at random', () => {
    const random = randomNumbers()
    const kinds = [
      lost,
      bare503,
      tooMany,
      { ...tooMany, waitSeconds: 0.05 },
      { outcome: 'rejected', isLimit: false }
    ]
    const service = () => (random() < 0.1 ? (kinds[Math.floor(random() * 5)] as Reply) : 'added')
    const { seconds, hasEnded } = simulate({
      rows: 10_000,
      concurrency: 8,
      latency: 10,
      retries: 9,
      service
    })
    // A tenth of the rows fail, and about 200 of them with Retry-After.
    expect(hasEnded).toBe(false)
    expect(seconds).toBeLessThan(100)
  })
})

/** Allows a number of requests in each second of the clock. */
function fixedWindow(perSecond: number, refusal: Reply): Simulation['service'] {
  let second = 0
  let requests = 0
  return now => {
    if (Math.floor(now / 1000) !== second) requests = 0
    second = Math.floor(now / 1000)
    requests += 1
    return requests > perSecond ? refusal : 'added'
  }
}

/** Allows a number of requests in any period of one second. */
function slidingWindow(perSecond: number, refusal: Reply): Simulation['service'] {
  let allowed: readonly number[] = []
  return now => {
    allowed = allowed.filter(at => at > now - 1000)
    if (allowed.length >= perSecond) return refusal
    allowed = [...allowed, now]
    return 'added'
  }
}

describe.each([
  ['each second', fixedWindow],
  ['any second', slidingWindow]
])('a service that allows 300 requests in %s', (_, limit) => {
  test.each([
    [8, 1],
    [8, 2],
    [8, 20],
    [50, 1],
    [50, 5],
    [50, 20]
  ])(
    'is used well below and near its limit: concurrency %d, latency %d ms',
    (concurrency, latency) => {
      const limited = { rows: 5000, concurrency, latency, jitter: 1 }
      const with503 = simulate({ ...limited, service: limit(300, bare503) })
      const with429 = simulate({ ...limited, service: limit(300, tooMany) })
      expect(with503.hasEnded || with429.hasEnded).toBe(false)
      expect(with503.doubtful).toBeLessThanOrEqual(250)
      expect(5000 / with429.seconds).toBeGreaterThan(200)
    }
  )
})

/** Allows a burst of requests after a time without requests. */
function bucket(perSecond: number, burst: number, refusal: Reply): Simulation['service'] {
  let excess = 0
  let last = 0
  return now => {
    const next = Math.max(0, excess - ((now - last) * perSecond) / 1000) + 1
    if (next > burst + 1) return refusal
    excess = next
    last = now
    return 'added'
  }
}

describe('a service that limits the rate and allows bursts', () => {
  test.each([5, 20, 100, 600])('of %d is used near its limit, with few rows in doubt', burst => {
    for (const concurrency of [8, 50]) {
      const limited = { rows: 5000, concurrency, latency: 2 }
      const with503 = simulate({ ...limited, service: bucket(300, burst, bare503) })
      const with429 = simulate({ ...limited, service: bucket(300, burst, tooMany) })
      expect(with503.hasEnded || with429.hasEnded).toBe(false)
      expect(with503.doubtful).toBeLessThanOrEqual(250)
      expect(5000 / with429.seconds).toBeGreaterThan(200)
    }
  })
})

const paceOf = (options: Partial<ConstructorParameters<typeof Pace>[0]> = {}) =>
  new Pace({ concurrency: 8, retries: 3, random: () => 0.5, ...options })

/** Fails requests that were sent at this time. Returns the last decision. */
function fail(pace: Pace, reply: Exclude<Reply, 'added'>, count: number, sentAt: number) {
  const decisions = Array.from({ length: count }, () =>
    pace.failed({ ...reply, sentAt }, sentAt + 5)
  )
  return decisions.at(-1)
}

/** Sends requests as far apart as the rate wants, or at least this far, and all succeed. */
function succeed(pace: Pace, count: number, start: number, distance = 1): number {
  let now = start
  for (let index = 0; index < count; index += 1) {
    now += Math.max(pace.delay(now, 0), distance)
    pace.sent(now, 1)
    pace.succeeded(now, now)
  }
  return now
}

test.each([
  [4, 4],
  [50, 8]
])(
  'at a concurrency of %d, %d requests are allowed at first, and one more for each success',
  (concurrency, first) => {
    const pace = paceOf({ concurrency })
    const capacities = [pace.capacity(0)]
    for (let index = 0; index < 50; index += 1) {
      pace.succeeded(index, index)
      capacities.push(pace.capacity(index))
    }
    const expected = capacities.map((_, index) => Math.min(concurrency, first + index))
    expect(capacities).toEqual(expected)
    const now = 1000
    fail(pace, lost, 3, now)
    pace.succeeded(now + 2000, now + 2000)
    expect(pace.capacity(now + 2000)).toBe(Math.min(concurrency, first + 1))
  }
)

test.each([
  [1, 2],
  [2, 2],
  [3, 3],
  [8, 3]
])('at a concurrency of %d, %d failures in a row begin a pause', (concurrency, count) => {
  const pace = paceOf({ concurrency })
  expect(fail(pace, lost, count - 1, 1)).toBeUndefined()
  pace.succeeded(1, 6)
  expect(fail(pace, lost, count - 1, 1)).toBeUndefined()
  expect(fail(pace, lost, 1, 1)).toBe(0.375)
})

test('without retries, a row in doubt does not end the import, and the third one in a row does', () => {
  const pace = paceOf({ retries: 0 })
  expect(fail(pace, lost, 2, 0)).toBeUndefined()
  expect(fail(pace, lost, 1, 0)).toBe('end')
})

test('rows that are sent again and failed together count as one failure', () => {
  const pace = paceOf()
  expect(fail(pace, tooMany, 8, 1)).toBeUndefined()
  expect(fail(pace, tooMany, 8, 7)).toBeUndefined()
  expect(fail(pace, tooMany, 1, 13)).toBe(0.375)
})

test('during a pause nothing is sent, then a single request until one succeeds', () => {
  const pace = paceOf()
  fail(pace, lost, 3, 0)
  const end = 5 + 375
  expect([pace.capacity(end - 1), pace.delay(end - 1, 0)]).toEqual([0, 1])
  expect([pace.capacity(end), pace.delay(end, 0)]).toEqual([1, 0])
  expect(pace.delay(end, 1)).toBe(Number.POSITIVE_INFINITY)
  // These were sent before the pause.
  pace.succeeded(end - 1, end)
  expect(fail(pace, lost, 3, 0)).toBeUndefined()
  expect(pace.capacity(end)).toBe(1)
  pace.succeeded(end, end + 5)
  expect(pace.capacity(end + 5)).toBe(8)
})

test('a failure after a pause begins a longer one', () => {
  const pace = paceOf()
  fail(pace, lost, 3, 0)
  expect(fail(pace, lost, 1, 380)).toBe(0.75)
  pace.succeeded(2000, 2000)
  expect(fail(pace, lost, 3, 2001)).toBe(0.375)
})

test.each([
  [1, 3],
  [8, 16]
])('at a concurrency of %d, %d rows in doubt in a row end the import', (concurrency, most) => {
  for (const before of [most - 2, most - 1]) {
    const pace = paceOf({ concurrency })
    fail(pace, lost, before, 0)
    expect(fail(pace, lost, 1, 1000) === 'end').toBe(before === most - 1)
  }
})

test('after a pause for failures that a limit does not explain, the start is slow', () => {
  const pace = paceOf()
  const now = succeed(pace, 20, 0, 10)
  fail(pace, lost, 3, now)
  expect(pace.interval).toBe(0)
  pace.succeeded(now + 2000, now + 2000)
  expect(pace.interval).toBe(100)
})

test.each([1, 2, 3])(
  'after %d pauses for a limit, the start is at the limit if there were few',
  pauses => {
    const pace = paceOf()
    let now = succeed(pace, 1000, 0, 10)
    fail(pace, bare503, 3, now)
    for (let index = 1; index < pauses; index += 1) {
      now += 2000
      fail(pace, bare503, 1, now)
    }
    now += 4000
    pace.succeeded(now, now)
    expect(pace.interval).toBeCloseTo(pauses <= 2 ? (now - 10) / 1001 : 100, 5)
  }
)

test('after Retry-After, requests are as far apart as a single failure makes them', () => {
  const pace = paceOf()
  expect(fail(pace, { ...tooMany, waitSeconds: 2 }, 1, 0)).toBe(2)
  expect(pace.delay(5, 0)).toBe(2000)
  pace.succeeded(2005, 2010)
  expect([pace.interval, pace.delay(2010, 0)]).toEqual([100, 100])
})

test('only failures that a rate limit explains keep requests apart, by more if they leave doubt', () => {
  const intervalAfter = (reply: Exclude<Reply, 'added'>) => {
    const pace = paceOf()
    fail(pace, tooMany, 1, 0)
    const now = succeed(pace, 10, 5)
    const before = pace.interval
    fail(pace, reply, 1, now)
    return pace.interval / before
  }
  expect(intervalAfter(lost)).toBe(1)
  expect(intervalAfter({ outcome: 'rejected', isLimit: false })).toBe(1)
  expect(intervalAfter(refused)).toBeCloseTo(1 / 0.935)
  expect(intervalAfter(tooMany)).toBeCloseTo(1 / 0.935)
  expect(intervalAfter(bare503)).toBeCloseTo(1 / 0.85)
})

test('requests that were sent before a reaction say nothing about it', () => {
  const pace = paceOf()
  fail(pace, tooMany, 1, 0)
  pace.sent(105, 1)
  pace.succeeded(5, 106)
  fail(pace, tooMany, 1, 5)
  expect(pace.interval).toBe(100)
  pace.succeeded(6, 107)
  expect(pace.interval).toBeLessThan(100)
})

describe('failures that do not become fewer at a lower rate have no effect any more', () => {
  test.each<[what: string, isFutile: boolean, reply: Exclude<Reply, 'added'>, stale: number]>([
    ['with 429', true, tooMany, 0],
    ['with 503', true, bare503, 0],
    ['but not others', false, lost, 0],
    ['nor those of requests that were sent before the last reaction', false, tooMany, 2]
  ])('%s', (_, isFutile, reply, stale) => {
    const pace = paceOf()
    let now = succeed(pace, 33, 0, 10)
    // A block at each distance, with four failures among 32 successes.
    for (const distance of [10, 13]) {
      for (let index = 0; index < 4; index += 1) {
        const isStale = distance === 13 && index < stale
        pace.failed({ ...reply, sentAt: isStale ? 0 : now }, now)
        now = succeed(pace, 8, now, distance)
      }
    }
    const before = pace.interval
    pace.failed({ ...tooMany, sentAt: now }, now)
    expect(pace.interval === before).toBe(isFutile)
  })

  test('nor those of a single request after a pause', () => {
    const pace = paceOf()
    let now = succeed(pace, 33, 0, 10)
    const failOnce = (waitSeconds?: number) =>
      pace.failed({ ...tooMany, sentAt: now, waitSeconds }, now)
    // Two failures soon after another end the slow start, which begins a block.
    for (const failures of [2, 4]) {
      for (let index = 0; index < failures; index += 1) {
        failOnce()
        now = succeed(pace, failures === 2 ? 1 : 8, now, 10)
      }
    }
    failOnce()
    now = succeed(pace, 1, now, 14)
    for (let index = 0; index < 3; index += 1) {
      failOnce(1)
      now += 1000
    }
    now = succeed(pace, 32, now, 14)
    const before = pace.interval
    failOnce()
    expect(pace.interval).toBeGreaterThan(before)
  })
})
