import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { Pace, type Setback } from '../../src/import/pace.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const refused = { status: 429 }
/** In doubt. */
const lost = { status: 500 }

/** Asks for turns all the time; each request takes `latency`, and `answer` says how it ends. */
function run(
  answer: (sent: number) => Setback | undefined,
  { concurrency = 8, retries = 3, latency = 1 } = {}
) {
  const ending = new AbortController()
  const pace = new Pace({ retries, concurrency, signal: ending.signal })
  const seen = { sent: 0, refused: 0, pauses: [] as number[] }
  const send = async () => {
    await pace.turn()
    if (ending.signal.aborted) return
    const sentAt = performance.now()
    seen.sent += 1
    const setback = answer(seen.sent)
    await new Promise(resolve => setTimeout(resolve, latency))
    if (setback === undefined) pace.succeeded()
    else {
      seen.refused += 1
      const reaction = pace.failed(setback, setback.status !== 429, sentAt)
      if (reaction === 'end') ending.abort()
      else if (reaction !== undefined) seen.pauses.push(reaction)
    }
    await send()
  }
  for (let index = 0; index < concurrency; index += 1) void send()
  return { seen, signal: ending.signal }
}

/** A limiter that lets one request pass in so many milliseconds. */
function limiter(milliseconds: number) {
  let nextAt = 0
  return () => {
    const now = performance.now()
    if (now < nextAt) return refused
    nextAt = now + milliseconds
    return undefined
  }
}

test.each<[milliseconds: number, options: { latency: number; concurrency?: number }]>([
  [4, { latency: 1 }],
  [10, { latency: 30, concurrency: 16 }],
  [50, { latency: 1, concurrency: 1 }]
])(
  'finds the rate of one in %i ms, and has one request in a hundred refused (%j)',
  async (milliseconds, options) => {
    const { seen } = run(limiter(milliseconds), options)
    const burst = 8 + 2 * (options.concurrency ?? 8)
    await vi.advanceTimersByTimeAsync(2000 * milliseconds)
    expect(seen.sent - seen.refused).toBeGreaterThan(2000 * 0.7)
    expect(seen.refused).toBeLessThan(burst + seen.sent / 100)
  }
)

test('drops to one request at a time, pauses longer and longer, then ends', async () => {
  const { seen, signal } = run(sent => (sent > 40 ? lost : undefined), { latency: 10 })
  await vi.advanceTimersByTimeAsync(60_000)
  expect(signal.aborted).toBe(true)
  expect(seen.refused).toBeLessThanOrEqual(3 * 8)
  expect(seen.pauses).toHaveLength(3)
  expect(seen.pauses).toEqual([...seen.pauses].sort((one, other) => one - other))
})

test.each([1, 2, 3, 8])('has no more than 3 × %d requests fail in a row', async concurrency => {
  for (const status of [500, 503]) {
    const { seen, signal } = run(() => ({ ...lost, status }), { concurrency, retries: 99 })
    await vi.advanceTimersByTimeAsync(600_000)
    expect([signal.aborted, seen.refused]).toEqual([true, 3 * concurrency])
  }
})

test('obeys a wait of up to a minute, and ends at a longer one', async () => {
  const { seen, signal } = run(sent => ({ ...refused, waitSeconds: sent === 1 ? 60 : 61 }))
  await vi.advanceTimersByTimeAsync(59_000)
  expect([seen.sent, seen.pauses]).toEqual([1, [60]])
  await vi.advanceTimersByTimeAsync(2000)
  expect([seen.sent, signal.aborted]).toEqual([2, true])
})

test('without retries, ends instead of a pause', async () => {
  const { seen, signal } = run(() => ({ ...refused, waitSeconds: 1 }), { retries: 0 })
  await vi.advanceTimersByTimeAsync(10)
  expect([seen.sent, signal.aborted]).toEqual([1, true])
})
