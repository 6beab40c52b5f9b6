import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createPace, type PaceFailure } from '../../src/import/pace.ts'

type Reply = 'added' | Omit<PaceFailure, 'sentAt'>

const unknown: Reply = { row: 'unknown', isLimit: false }
const bare503: Reply = { row: 'unknown', isLimit: true }
const tooMany: Reply = { row: 'repeated', isLimit: true }
const refused: Reply = { row: 'repeated', isLimit: false }

interface Simulation {
  readonly rows: number
  readonly concurrency: number
  readonly retries?: number
  /** In milliseconds. */
  readonly latency?: number
  /** By how much requests arrive late, at most. */
  readonly jitter?: number
  /** What the service does with a request that arrives at this time. */
  readonly service: (now: number) => Reply
}

/** Sends rows at the given pace to a simulated service, in simulated time. */
function simulate({ rows, concurrency, retries = 3, latency = 5, jitter = 0, service }: Simulation) {
  const pace = createPace({ concurrency, retries, random: () => 0.5 })
  const inFlight: { sentAt: number; endsAt: number; reply: Reply }[] = []
  const sentAt: number[] = []
  const counts = { added: 0, unknown: 0, repeated: 0, pauses: 0 }
  const random = someNumbers()
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
    if (first.reply.row === 'repeated') waiting += 1
    if (first.reply.row !== 'rejected') counts[first.reply.row] += 1
    const decision = pace.failed({ ...first.reply, sentAt: first.sentAt }, now)
    if (decision.kind === 'end') hasEnded = true
    if (decision.kind === 'pause') counts.pauses += 1
  }
  return { ...counts, hasEnded, seconds: now / 1000, sentAt }
}

/** From 0 up to 1, the same each time. */
function someNumbers(): () => number {
  let seed = 7
  return () => {
    seed = (seed * 48_271) % 2_147_483_647
    return seed / 2_147_483_647
  }
}

/** Allows requests at least this far apart, as nginx does without a burst. */
function limiter(perSecond: number, refusal: Reply): Simulation['service'] {
  let last = Number.NEGATIVE_INFINITY
  return (now) => {
    if (now - last < 1000 / perSecond) return refusal
    last = now
    return 'added'
  }
}

describe('a service that fails for every row', () => {
  test('leaves at most three times the concurrency in doubt, whenever it begins', () => {
    fc.assert(
      fc.property(
        fc.record({
          concurrency: fc.integer({ min: 1, max: 256 }),
          retries: fc.integer({ min: 0, max: 12 }),
          latency: fc.integer({ min: 1, max: 500 }),
          healthy: fc.integer({ min: 0, max: 5000 }),
        }),
        ({ healthy, ...simulation }) => {
          let requests = 0
          const service = () => {
            requests += 1
            return requests <= healthy ? 'added' : unknown
          }
          const { unknown: doubtful, hasEnded, pauses } = simulate({ ...simulation, rows: 10_000, service })
          expect(hasEnded).toBe(true)
          expect(doubtful).toBeLessThanOrEqual(3 * simulation.concurrency)
          expect(pauses).toBeLessThanOrEqual(simulation.retries)
        },
      ),
      { numRuns: 200 },
    )
  })

  test('is tried with single rows after pauses that grow', () => {
    const { sentAt } = simulate({ rows: 1000, concurrency: 8, retries: 4, service: () => unknown })
    const waits = sentAt.slice(1).map((at, index) => at - (sentAt[index] ?? 0))
    const pauses = waits.filter((wait) => wait > 100)
    expect(pauses.map(Math.round)).toEqual([375, 755, 1505, 3005])
  })

  test('and recovers is used at full speed again', () => {
    const service = (now: number) => (now > 1000 && now < 3000 ? unknown : 'added')
    const { added, unknown: doubtful, hasEnded, seconds } = simulate({ rows: 20_000, concurrency: 8, service })
    expect({ hasEnded, sum: added + doubtful }).toEqual({ hasEnded: false, sum: 20_000 })
    expect(doubtful).toBeLessThanOrEqual(24)
    // 12.5 s of work at full speed, 2 s of outage, and the way back.
    expect(seconds).toBeLessThan(17)
  })
})

describe('a service that cannot be reached', () => {
  test('ends the import after as many pauses as there are retries, with no row in doubt', () => {
    const { hasEnded, pauses, unknown: doubtful } = simulate({ rows: 100, concurrency: 8, service: () => refused })
    expect({ hasEnded, pauses, doubtful }).toEqual({ hasEnded: true, pauses: 3, doubtful: 0 })
  })

  test('ends it at once without retries', () => {
    const { sentAt, hasEnded } = simulate({ rows: 9, concurrency: 1, retries: 0, service: () => refused })
    expect({ sent: sentAt.length, hasEnded }).toEqual({ sent: 1, hasEnded: true })
  })
})

describe('a service that limits the rate', () => {
  test.each([
    [1, 1],
    [8, 1],
    [50, 1],
    [50, 20],
    [256, 100],
  ])('with 503 and %d at a time, %d ms each, leaves at most one row in twenty in doubt', (concurrency, latency) => {
    const { added, unknown: doubtful } = simulate({
      rows: 5000,
      concurrency,
      latency,
      service: limiter(300, bare503),
    })
    expect(added + doubtful).toBe(5000)
    expect(doubtful).toBeLessThanOrEqual(250)
  })

  test('with 503 leaves at most one row in twenty in doubt, whatever its rate and its speed', () => {
    fc.assert(
      fc.property(
        fc.record({
          concurrency: fc.integer({ min: 1, max: 256 }),
          latency: fc.integer({ min: 1, max: 300 }),
          rate: fc.integer({ min: 20, max: 1000 }),
        }),
        ({ rate, ...simulation }) => {
          const jitter = 1000 / rate / 8
          const report = simulate({ ...simulation, rows: 5000, jitter, service: limiter(rate, bare503) })
          expect(report.unknown).toBeLessThanOrEqual(250)
        },
      ),
      { numRuns: 100 },
    )
  })

  test.each([
    [1, 1],
    [8, 1],
    [50, 1],
    [50, 20],
  ])('with 429 and %d at a time, %d ms each, is used near its limit', (concurrency, latency) => {
    const {
      added,
      seconds,
      unknown: doubtful,
    } = simulate({
      rows: 5000,
      concurrency,
      latency,
      service: limiter(300, tooMany),
    })
    expect({ added, doubtful }).toEqual({ added: 5000, doubtful: 0 })
    expect(added / seconds).toBeGreaterThan(240)
  })

  // A slow start that ends early must not make the rest slow: the replies take longer than the distance between two of them.
  test.each([1, 3, 5, 8])('with 429 is used near its limit while requests of %d ms arrive late', (latency) => {
    const { seconds } = simulate({ rows: 1000, concurrency: 50, latency, jitter: 1, service: limiter(250, tooMany) })
    expect(1000 / seconds).toBeGreaterThan(140)
  })

  test.each([5, 40, 1000, 5000])('is found at %d per second, too', (rate) => {
    const { added, seconds } = simulate({
      rows: rate * 30,
      concurrency: 50,
      latency: 2,
      service: limiter(rate, tooMany),
    })
    expect(added).toBe(rate * 30)
    expect(added / seconds).toBeGreaterThan(rate * 0.6)
  })

  test('after an hour at full speed is noticed as fast', () => {
    const limit = limiter(300, bare503)
    const service = (now: number) => (now < 60_000 ? 'added' : limit(now))
    const { added, unknown: doubtful } = simulate({ rows: 100_000, concurrency: 8, latency: 5, service })
    expect(added + doubtful).toBe(100_000)
    expect(doubtful).toBeLessThan(100_000 * 0.05 * 0.1)
  })
})

describe('Retry-After', () => {
  const busyUntil = (end: number, waitSeconds: number) => (now: number) =>
    now < end ? { ...tooMany, waitSeconds } : ('added' as const)

  test('is obeyed by all requests, and leaves no row in doubt', () => {
    const {
      sentAt,
      added,
      unknown: doubtful,
      pauses,
    } = simulate({ rows: 100, concurrency: 8, service: busyUntil(900, 1) })
    expect({ added, doubtful, pauses }).toEqual({ added: 100, doubtful: 0, pauses: 1 })
    expect(sentAt.filter((at) => at > 5 && at < 1005)).toEqual([])
  })

  test('of a minute is obeyed, and one of more ends the import', () => {
    expect(simulate({ rows: 100, concurrency: 8, service: busyUntil(900, 60) })).toMatchObject({
      hasEnded: false,
      added: 100,
    })
    expect(simulate({ rows: 100, concurrency: 8, service: busyUntil(900, 61) })).toMatchObject({
      hasEnded: true,
      added: 0,
    })
  })
})

test('single failures among successes do not slow an import down', () => {
  let requests = 0
  const service = () => {
    requests += 1
    return requests % 20 === 0 ? unknown : 'added'
  }
  const { seconds, pauses } = simulate({ rows: 10_000, concurrency: 8, latency: 10, service })
  expect(pauses).toBe(0)
  expect(seconds).toBeCloseTo(12.5, 1)
})

test('rare 503s that do not depend on the rate do not slow it down for long', () => {
  let requests = 0
  const service = () => {
    requests += 1
    return requests % 70 === 0 ? bare503 : 'added'
  }
  const { seconds } = simulate({ rows: 10_000, concurrency: 8, latency: 10, service })
  expect(seconds).toBeLessThan(15)
})

describe('failures that do not depend on the rate', () => {
  test.each([
    ['one 503 in thirty', 30, bare503],
    ['one 503 in ten', 10, bare503],
    ['one 429 in ten', 10, tooMany],
    ['one 429 in thirty that asks to wait', 30, { ...tooMany, waitSeconds: 0.05 }],
  ])('%s', (_, every, failure) => {
    let requests = 0
    const service = () => {
      requests += 1
      return requests % every === 0 ? failure : 'added'
    }
    const { seconds, hasEnded } = simulate({ rows: 10_000, concurrency: 8, latency: 10, retries: 9, service })
    expect(hasEnded).toBe(false)
    // 12.5 s of work at full speed.
    expect(seconds).toBeLessThan(50)
  })

  test('of every kind, at random', () => {
    const random = someNumbers()
    const kinds = [unknown, bare503, tooMany, { ...tooMany, waitSeconds: 0.05 }, { row: 'rejected', isLimit: false }]
    const service = () => (random() < 0.1 ? (kinds[Math.floor(random() * 5)] as Reply) : 'added')
    const { seconds, hasEnded } = simulate({ rows: 10_000, concurrency: 8, latency: 10, retries: 9, service })
    // A tenth of the rows, and a pause for each of the 200 that ask for one.
    expect(hasEnded).toBe(false)
    expect(seconds).toBeLessThan(100)
  })
})

/** Allows so many requests in each second of the clock. */
function fixedWindow(perSecond: number, refusal: Reply): Simulation['service'] {
  let second = 0
  let requests = 0
  return (now) => {
    if (Math.floor(now / 1000) !== second) requests = 0
    second = Math.floor(now / 1000)
    requests += 1
    return requests > perSecond ? refusal : 'added'
  }
}

/** Allows so many requests in any second. */
function slidingWindow(perSecond: number, refusal: Reply): Simulation['service'] {
  let allowed: readonly number[] = []
  return (now) => {
    allowed = allowed.filter((at) => at > now - 1000)
    if (allowed.length >= perSecond) return refusal
    allowed = [...allowed, now]
    return 'added'
  }
}

describe.each([
  ['each second', fixedWindow],
  ['any second', slidingWindow],
])('a service that allows 300 requests in %s', (_, limit) => {
  test.each([
    [8, 1],
    [8, 2],
    [8, 20],
    [50, 1],
    [50, 5],
    [50, 20],
  ])('with %d at a time, %d ms each', (concurrency, latency) => {
    const limited = { rows: 5000, concurrency, latency, jitter: 1 }
    const with503 = simulate({ ...limited, service: limit(300, bare503) })
    const with429 = simulate({ ...limited, service: limit(300, tooMany) })
    expect(with503.hasEnded || with429.hasEnded).toBe(false)
    expect(with503.unknown).toBeLessThanOrEqual(250)
    expect(5000 / with429.seconds).toBeGreaterThan(200)
  })
})

/** Allows so many more requests at once after a time without requests. */
function bucket(perSecond: number, burst: number, refusal: Reply): Simulation['service'] {
  let excess = 0
  let last = 0
  return (now) => {
    const next = Math.max(0, excess - ((now - last) * perSecond) / 1000) + 1
    if (next > burst + 1) return refusal
    excess = next
    last = now
    return 'added'
  }
}

describe('a service that limits the rate and allows bursts', () => {
  test.each([5, 20, 100, 600])('of %d', (burst) => {
    for (const concurrency of [8, 50]) {
      const limited = { rows: 5000, concurrency, latency: 2 }
      const with503 = simulate({ ...limited, service: bucket(300, burst, bare503) })
      const with429 = simulate({ ...limited, service: bucket(300, burst, tooMany) })
      expect(with503.hasEnded || with429.hasEnded).toBe(false)
      expect(with503.unknown).toBeLessThanOrEqual(250)
      expect(5000 / with429.seconds).toBeGreaterThan(200)
    }
  })
})
