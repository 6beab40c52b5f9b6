import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, onTestFinished, test, vi } from 'vitest'
import { Failure } from '../../src/failure.ts'
import { type Clock, realClock, sendRows } from '../../src/import/engine.ts'
import type { JournalEntry } from '../../src/import/journal-format.ts'
import { RowStates } from '../../src/import/journal-replay.ts'
import { Pace } from '../../src/import/pace.ts'
import type { RowResult } from '../../src/import/results.ts'
import type { SendableRow } from '../../src/import/rows.ts'
import { Shutdown } from '../../src/import/shutdown.ts'

interface Situation {
  /** The row numbers of each batch. */
  readonly batches: readonly (readonly number[])[]
  readonly concurrency: number
  /**
   * The failure of the request for a row, by the time of the request or after its cutoff. Undefined
   * for success.
   */
  readonly service?: (
    row: number,
    now: number,
    cutOff: AbortSignal
  ) => Failure | undefined | Promise<Failure>
  /** How long it takes to read a batch, in milliseconds. */
  readonly readTime?: number
  /** How long a write to the journal takes. */
  readonly writeTime?: number
  /** How long a request takes. */
  readonly requestTime?: (row: number) => number
  /** How much time passes whenever the clock is read. */
  readonly readingTime?: number
  readonly interruption?: AbortSignal
  readonly stopOnError?: boolean
  /** A row that an earlier run has added. */
  readonly added?: number
}

/**
 * Imports rows with a journal and a service in simulated time: a write takes 1 ms, and a request 5
 * ms by default.
 */
function simulate({ batches, concurrency, interruption, stopOnError, ...situation }: Situation) {
  const {
    service = () => undefined,
    requestTime = () => 5,
    readTime = 0,
    readingTime = 0,
    writeTime = 1
  } = situation
  const clock = simulatedClock(readingTime)
  const pass = (milliseconds: number) =>
    new Promise<void>(resolve => clock.after(milliseconds, resolve))
  const shutdown = new Shutdown(interruption ?? new AbortController().signal)
  const states = new RowStates()
  if (situation.added !== undefined) states.set(situation.added, 'added')
  const recorded: JournalEntry[] = []
  const sent: number[] = []
  const notices: string[] = []
  const pace = new Pace({ concurrency, retries: 3, random: () => 0.5 })
  async function* rows() {
    for (const batch of batches) {
      if (readTime > 0) await pass(readTime)
      yield batch.map(rowOf)
    }
  }
  const results = sendRows({
    batches: rows(),
    unit: 'line',
    journal: {
      states,
      async append(entries) {
        await pass(writeTime)
        recorded.push(...entries)
      }
    },
    async send(pet) {
      const row = Number(pet.categoryId)
      const reply = service(row, clock.now(), shutdown.cutOff)
      sent.push(row)
      await pass(requestTime(row))
      const failure = await reply
      if (failure !== undefined) throw failure
      return { id: pet.categoryId, ...pet }
    },
    pace,
    clock,
    concurrency,
    isResent: () => false,
    stopOnError,
    shutdown,
    notice: async (_, message) => void notices.push(message)
  })
  return { results, recorded, sent, notices, pace, shutdown, clock }
}

const numbersTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1)

function rowOf(number: number): SendableRow {
  return {
    raw: { number, bytes: Buffer.from('{}') },
    pet: { name: 'Rex', categoryId: BigInt(number) }
  }
}

/** Advances only when there is nothing else to do. */
function simulatedClock(readingTime: number): Clock & { readonly pending: () => number } {
  const timers = new Set<{ readonly at: number; readonly call: () => void }>()
  let now = 0
  let isRunning = false
  const run = async () => {
    isRunning = true
    while (timers.size > 0) {
      // The engine itself waits for one turn of the event loop.
      for (let turns = 0; turns < 3; turns += 1) await nextTurn()
      const [first] = [...timers].sort((one, other) => one.at - other.at)
      if (first === undefined) break
      timers.delete(first)
      now = Math.max(now, first.at)
      first.call()
    }
    isRunning = false
  }
  return {
    now: () => {
      now += readingTime
      return now
    },
    pending: () => timers.size,
    after(milliseconds, call) {
      // A real timer would fire at once.
      expect(milliseconds).toBeLessThan(Number.POSITIVE_INFINITY)
      const timer = { at: now + milliseconds, call }
      timers.add(timer)
      if (!isRunning) void run()
      return () => timers.delete(timer)
    }
  }
}

async function outcomesOf(batches: AsyncGenerator<readonly RowResult[]>): Promise<string[]> {
  const outcomes: string[] = []
  for await (const results of batches) {
    expect(results).not.toHaveLength(0)
    outcomes.push(...results.map(({ row, outcome }) => `${row.raw.number} ${outcome}`))
  }
  return outcomes
}

test('all rows are sent in order', async () => {
  const { results, sent } = simulate({ batches: [[1, 2], [], [3], [4, 5]], concurrency: 1 })
  expect(await outcomesOf(results)).toEqual([1, 2, 3, 4, 5].map(row => `${row} added`))
  expect(sent).toEqual([1, 2, 3, 4, 5])
})

test('a pause is reported when it begins, even if no row is finished', async () => {
  const busy = new Failure('service', 'too many requests', {
    status: 429,
    isRetryable: true,
    waitSeconds: 2
  })
  const noticed: number[] = []
  const { results, notices } = simulate({
    batches: [[1]],
    concurrency: 1,
    service: (_, now) => {
      noticed.push(notices.length)
      return now < 1000 ? busy : undefined
    }
  })
  expect(await outcomesOf(results)).toEqual(['1 added'])
  expect(notices).toEqual([expect.stringMatching(/^too many requests; continuing in 2/)])
  expect(noticed).toEqual([0, 1])
})

const lost = new Failure('in-doubt', 'lost; the pet may have been added; an older pet may be there')

test.each<[what: string, situation: Omit<Situation, 'service'>, end: Failure]>([
  ['are the last', { batches: [[1, 2, 3]], concurrency: 4 }, lost],
  ['end the import', { batches: [numbersTo(20)], concurrency: 4, stopOnError: true }, lost],
  [
    'come with one that ends the import',
    { batches: [numbersTo(20)], concurrency: 4 },
    new Failure('auth', 'refused')
  ]
])('a pause that no row waits for is not reported: the failures %s', async (_, situation, end) => {
  const { results, notices, pace, clock } = simulate({
    ...situation,
    service: row => (row === 4 ? end : lost)
  })
  expect((await outcomesOf(results)).slice(0, 3)).toEqual([
    '1 doubtful',
    '2 doubtful',
    '3 doubtful'
  ])
  const isPaused = pace.capacity(clock.now()) === 0
  expect({ isPaused, notices }).toEqual({ isPaused: true, notices: [] })
})

test('the notice of a pause says what failed, without the advice about a single pet', async () => {
  const { results, notices } = simulate({
    batches: [numbersTo(4)],
    concurrency: 1,
    service: row => (row < 3 ? lost : undefined)
  })
  expect((await outcomesOf(results)).at(-1)).toBe('4 added')
  expect(notices).toEqual([expect.stringMatching(/^lost; continuing in [\d.]+ m?s$/)])
})

test('an import continues after a pause, even if that ends while a turn looks for rows to send', async () => {
  // The other request in flight ends at any moment around the end of the pause.
  for (let duration = 50; duration < 58; duration += 0.05) {
    const { results } = simulate({
      batches: [[1, 2, 3]],
      concurrency: 2,
      readingTime: 0.02,
      requestTime: row => (row === 2 ? duration : 5),
      service: (row, now) =>
        row === 1 && now < 20
          ? new Failure('service', 'busy', { status: 429, isRetryable: true, waitSeconds: 0.05 })
          : undefined
    })
    expect(await outcomesOf(results)).toHaveLength(3)
  }
}, 10_000)

test('no timer is left at the end', async () => {
  const { results, clock } = simulate({
    batches: [[1, 2]],
    concurrency: 1,
    service: (_, now) =>
      now < 1000
        ? new Failure('service', 'busy', { status: 429, isRetryable: true, waitSeconds: 2 })
        : new Failure('rejected', 'made up', { status: 422 }),
    stopOnError: true
  })
  expect(await outcomesOf(results)).toEqual(['1 rejected'])
  expect(clock.pending()).toBe(0)
})

test.each([
  ['the only row', [1], 8],
  ['the first row of many', numbersTo(300), 1]
])('nothing runs while the reply for %s is awaited', async (_, rows, concurrency) => {
  const readings: number[] = []
  const { results, clock } = simulate({
    batches: [rows],
    concurrency,
    service: row => (row === 1 ? late() : undefined)
  })
  const late = async () => {
    for (let turns = 0; turns < 40; turns += 1) {
      await nextTurn()
      readings.push(now.mock.calls.length)
    }
    return new Failure('rejected', 'made up', { status: 422 })
  }
  // A turn of the loop asks for the time.
  const now = vi.spyOn(clock, 'now')
  expect(await outcomesOf(results)).toContain('1 rejected')
  expect(new Set(readings.slice(20))).toEqual(new Set([readings[20]]))
})

test('the first write announces as many rows as may be sent', async () => {
  const sentAt: number[] = []
  const { results } = simulate({
    batches: [numbersTo(20)],
    concurrency: 8,
    service: (_, now) => void sentAt.push(now)
  })
  await outcomesOf(results)
  expect(sentAt.slice(0, 9)).toEqual([1, 1, 1, 1, 1, 1, 1, 1, 6])
})

test('after a pause, no row is announced but the one that is sent', async () => {
  const open: number[] = []
  const { results, recorded } = simulate({
    batches: [numbersTo(100)],
    concurrency: 8,
    service: (_, now) => {
      const known = new Map(recorded.map(({ number, kind }) => [number, kind]))
      if (now > 400) open.push([...known.values()].filter(kind => kind === 'intended').length)
      return now < 1000 ? new Failure('unreachable', 'refused', { isRetryable: true }) : undefined
    }
  })
  await outcomesOf(results)
  expect(open.slice(0, 2)).toEqual([1, 1])
})

const missing = new Failure('not-found', 'no such thing', { status: 404 })

test.each([
  ['ends the import', undefined, []],
  ['is about its row if an earlier run has added one', 9, ['1 rejected', '2 added', '3 rejected']]
])('a 404 for the first row %s', async (_, added, outcomes) => {
  const { results, shutdown } = simulate({
    batches: [[1, 2, 3]],
    concurrency: 1,
    service: row => (row === 2 ? undefined : missing),
    ...(added === undefined ? {} : { added })
  })
  expect(await outcomesOf(results)).toEqual(outcomes)
  expect(shutdown.signal.reason).toBe(added === undefined ? missing : undefined)
})

test('a 404 is about its row after another one was added', async () => {
  const { results } = simulate({
    batches: [[1, 2, 3]],
    concurrency: 1,
    service: row => (row === 2 ? missing : undefined)
  })
  expect(await outcomesOf(results)).toEqual(['1 added', '2 rejected', '3 added'])
})

test('after a failure that ends the import, no announced row is sent', async () => {
  const refused = new Failure('auth', 'refused', { status: 401 })
  const { results, sent, recorded, shutdown } = simulate({
    batches: [numbersTo(20)],
    concurrency: 2,
    service: row => (row === 1 ? refused : undefined)
  })
  expect(await outcomesOf(results)).toEqual(['2 added'])
  expect(shutdown.signal.reason).toBe(refused)
  expect(sent).toEqual([1, 2])
  expect(recorded).toContainEqual({ kind: 'free', number: 3 })
})

test.each([
  [429, true],
  [undefined, false]
])(
  'after a pause for failures with the status %s, the rate is that of a limit: %s',
  async (status, isLimit) => {
    let failures = 2
    const { results, pace } = simulate({
      batches: [numbersTo(31)],
      concurrency: 1,
      service: row => {
        if (row < 31 || failures === 0) return undefined
        failures -= 1
        return new Failure('service', 'made up', { status, isRetryable: true })
      }
    })
    await outcomesOf(results)
    expect(pace.interval < 100).toBe(isLimit)
  }
)

test('a timer of the real clock is a millisecond early, unless it is very short', () => {
  vi.useFakeTimers({
    toFake: ['setTimeout', 'clearTimeout', 'setImmediate', 'clearImmediate']
  })
  onTestFinished(() => {
    vi.useRealTimers()
  })
  for (const [milliseconds, waits] of [
    [10, 9],
    [2, 1],
    [1.9, 0]
  ] as const) {
    const call = vi.fn()
    const cancelled = vi.fn()
    realClock.after(milliseconds, call)
    realClock.after(milliseconds, cancelled)()
    if (waits > 0) vi.advanceTimersByTime(waits - 1)
    expect(call).toHaveBeenCalledTimes(0)
    vi.advanceTimersByTime(waits > 0 ? 1 : 0)
    expect(call).toHaveBeenCalledTimes(1)
    expect(cancelled).toHaveBeenCalledTimes(0)
  }
})

test('an import whose consumer stops early sends no more rows and records those in flight', async () => {
  const { results, recorded, sent, shutdown } = simulate({
    batches: [numbersTo(300)],
    concurrency: 4
  })
  for await (const _ of results) break
  expect(shutdown.signal.reason).toMatchObject({ code: 'interrupted' })
  expect(sent.length).toBeLessThan(30)
  const added = recorded.filter(({ kind }) => kind === 'added').map(({ number }) => number)
  expect(added.sort((one, other) => one - other)).toEqual(sent)
})

test('under a rate limit, few rows are doubtful, and few are recorded as intended ahead of time', async () => {
  const overload = new Failure('in-doubt', 'overloaded', { status: 503 })
  let last = Number.NEGATIVE_INFINITY
  const service = (_: number, now: number) => {
    if (now - last < 4) return overload
    last = now
    return undefined
  }
  const { results, recorded, sent, pace } = simulate({
    batches: [numbersTo(600)],
    concurrency: 8,
    service
  })
  const early: number[] = []
  let doubtful = 0
  for await (const batch of results) {
    doubtful += batch.filter(({ outcome }) => outcome === 'doubtful').length
    const countOf = (kind: JournalEntry['kind']) =>
      recorded.filter(entry => entry.kind === kind).length
    // Rows that were taken back are announced again.
    const announced = countOf('intended') - countOf('free')
    if (pace.interval > 0 && announced > 100) early.push(announced - sent.length)
  }
  expect({ sent: sent.length, wasLimited: early.length > 100 }).toEqual({
    sent: 600,
    wasLimited: true
  })
  expect(doubtful).toBeLessThanOrEqual(30)
  expect(Math.max(...early)).toBeLessThanOrEqual(3)
})

test('rows are recorded as intended ahead of time if the service would otherwise wait for the disk', async () => {
  const situation = { batches: [numbersTo(400)], concurrency: 8 }
  const fast = simulate({ ...situation, requestTime: () => 1 })
  await outcomesOf(fast.results)
  // One write of 1 ms for each 8 requests, but at the same time as they.
  expect(fast.clock.now()).toBeLessThan((400 / 8) * 1.2)

  // However few rows a read returns.
  const single = simulate({
    ...situation,
    batches: numbersTo(400).map(row => [row]),
    requestTime: () => 1
  })
  await outcomesOf(single.results)
  expect(single.clock.now()).toBeLessThan((400 / 8) * 1.2)

  const slow = simulate({ ...situation, requestTime: row => 400 + ((row * 37) % 100) })
  const ahead: number[] = []
  for await (const _ of slow.results) {
    ahead.push(slow.recorded.filter(({ kind }) => kind === 'intended').length - slow.sent.length)
  }
  expect(Math.max(...ahead.slice(20))).toBeLessThan(4)
})

test('with stopOnError, every row before the one that failed is settled, and none after it is sent', async () => {
  const busy = new Failure('service', 'too many requests', { status: 429, isRetryable: true })
  let isFirst = true
  const service = (row: number) => {
    if (row === 4) return new Failure('rejected', 'made up', { status: 422 })
    if (row !== 2 || !isFirst) return undefined
    isFirst = false
    return busy
  }
  const { results, sent, shutdown } = simulate({
    batches: [numbersTo(5), numbersTo(300).slice(5)],
    concurrency: 4,
    service,
    stopOnError: true
  })
  const outcomes = await outcomesOf(results)
  expect(outcomes.filter(outcome => Number.parseInt(outcome, 10) <= 4).sort()).toEqual([
    '1 added',
    '2 added',
    '3 added',
    '4 rejected'
  ])
  expect(sent.length).toBeLessThan(12)
  expect(shutdown.signal.reason).toMatchObject({ code: 'partial', message: 'line 4: made up' })
})

test('with stopOnError, rows that are read while a row fails are not sent', async () => {
  const { results, sent } = simulate({
    batches: [[1, 2], [3, 4], numbersTo(300).slice(4)],
    readTime: 10,
    concurrency: 2,
    service: row => (row === 1 ? new Failure('rejected', 'made up', { status: 422 }) : undefined),
    stopOnError: true
  })
  expect(await outcomesOf(results)).toContain('1 rejected')
  expect(sent.filter(row => row > 4)).toEqual([])
})

test('with stopOnError, rows that are announced while a row fails are not sent', async () => {
  const sentAt = new Map<number, number>()
  const { results, recorded } = simulate({
    batches: [numbersTo(20)],
    concurrency: 4,
    stopOnError: true,
    writeTime: 20,
    requestTime: () => 10,
    service: (row, now) => {
      sentAt.set(row, now)
      return row === 2 ? new Failure('rejected', 'made up', { status: 422 }) : undefined
    }
  })
  expect(await outcomesOf(results)).toContain('2 rejected')
  // The first rows are sent after the first write.
  expect(Math.max(...sentAt.values())).toBeLessThanOrEqual(20 + 10)
  const known = new Set(
    recorded.filter(({ kind }) => kind !== 'intended').map(({ number }) => number)
  )
  expect(recorded.filter(({ number }) => !known.has(number))).toEqual([])
})

test('half a second after Ctrl-C, requests are cut off: unstarted ones are free, the others doubtful', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => {
    vi.useRealTimers()
  })
  const interruption = new AbortController()
  const interrupted = new Failure('interrupted', 'interrupted')
  const cut = new Failure('interrupted', 'it may have been added')
  const { results, recorded, sent, shutdown } = simulate({
    batches: [[1, 2, 3]],
    concurrency: 2,
    service: (row, _, cutOff) =>
      new Promise(resolve => {
        cutOff.addEventListener('abort', () => resolve(row === 1 ? interrupted : cut))
      }),
    interruption: interruption.signal
  })
  const outcomes = outcomesOf(results)
  while (sent.length < 2) await nextTurn()
  interruption.abort(interrupted)
  await vi.advanceTimersByTimeAsync(499)
  expect(shutdown.cutOff.aborted).toBe(false)
  await vi.advanceTimersByTimeAsync(1)
  expect(await outcomes).toEqual(['2 doubtful'])
  expect(recorded.filter(({ kind, number }) => kind !== 'intended' && number < 3)).toEqual([
    { kind: 'free', number: 1 },
    { kind: 'doubtful', number: 2 }
  ])
})

test('requests that are cut off after another end of the import are free too if they have not started', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => {
    vi.useRealTimers()
  })
  const interruption = new AbortController()
  const interrupted = new Failure('interrupted', 'interrupted')
  const { results, recorded, shutdown } = simulate({
    batches: [[1, 2]],
    concurrency: 2,
    service: (row, _, cutOff) =>
      row === 1
        ? new Failure('auth', 'the API key was refused', { status: 401 })
        : new Promise(resolve => {
            cutOff.addEventListener('abort', () => resolve(interrupted))
          }),
    interruption: interruption.signal
  })
  const outcomes = outcomesOf(results)
  while (!shutdown.signal.aborted) await nextTurn()
  interruption.abort(interrupted)
  await vi.advanceTimersByTimeAsync(500)
  expect(await outcomes).toEqual([])
  expect(recorded.filter(({ number, kind }) => number === 2 && kind !== 'intended')).toEqual([
    { kind: 'free', number: 2 }
  ])
})
