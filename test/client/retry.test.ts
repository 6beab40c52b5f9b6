import { describe, expect, test } from 'vitest'
import { withRetries } from '../../src/client/retry.ts'
import {
  type AttemptPhase,
  type FaultKind,
  TransportFault
} from '../../src/client/transport-fault.ts'
import type { Reply, Send } from '../../src/model/exchange.ts'

const answer = (status: number, retryAfter?: string): Reply => ({
  status,
  headers: { 'retry-after': retryAfter, date: 'Tue, 01 Jan 2030 00:00:00 GMT' },
  body: new Uint8Array()
})
const fault = (kind: FaultKind, phase: AttemptPhase = 'connecting', head?: Reply) =>
  new TransportFault(kind, { phase, head })

interface Options {
  readonly placeName?: string
  readonly retries?: number
  readonly random?: number
  readonly sleep?: (milliseconds: number) => Promise<void>
}

/**
 * Sends one request with retries. Each attempt has the next of these results, and later ones repeat
 * the last. Waits take no time.
 */
async function run(method: string, ends: readonly (Reply | Error)[], options: Options = {}) {
  const { placeName, retries = 3, random = 0.5, sleep = async () => {} } = options
  const waits: number[] = []
  const notices: string[] = []
  let sent = 0
  const send: Send = async () => {
    const end = ends[Math.min(sent, ends.length - 1)] as Reply | Error
    sent += 1
    if (end instanceof Error) throw end
    return end
  }
  const repeating = withRetries({
    send,
    placeName,
    retries,
    random: () => random,
    sleep: async milliseconds => {
      waits.push(milliseconds / 1000)
      await sleep(milliseconds)
    },
    notice: async message => void notices.push(message)
  })
  const end: unknown = await repeating({
    method,
    url: 'https://pets.example/v1/pets',
    headers: {}
  }).catch((error: unknown) => error)
  return { sent, waits, notices, end }
}

describe('a request is repeated', () => {
  // The tests of the retry policy show which results are repeated.
  test('if the result allows it for any request', async () => {
    for (const end of [fault('refused'), answer(429), answer(503, '1')]) {
      for (const method of ['GET', 'POST']) {
        const result = await run(method, [end], { retries: 2 })
        expect(result).toMatchObject({ sent: 3, end })
        expect(result.notices).toHaveLength(2)
        expect(result.waits).toHaveLength(2)
      }
    }
  })

  test('if the result allows it for a request that changes nothing', async () => {
    const end = fault('lost', 'receiving', answer(200))
    for (const method of ['GET', 'HEAD'])
      expect(await run(method, [end], { retries: 1 })).toMatchObject({ sent: 2, end })
    for (const method of ['POST', 'PUT', 'DELETE', 'PATCH']) {
      expect(await run(method, [end])).toMatchObject({ sent: 1, end, notices: [], waits: [] })
    }
  })

  test('after a truncated reply, according to its status and Retry-After', async () => {
    const end = fault('lost', 'receiving', answer(503, '4'))
    expect(await run('POST', [end], { retries: 1 })).toMatchObject({ sent: 2, waits: [4], end })
  })

  test('until it succeeds', async () => {
    const last = answer(201)
    expect(await run('POST', [fault('refused'), answer(429), last])).toMatchObject({
      sent: 3,
      end: last
    })
  })

  test('never after an unexpected error', async () => {
    const error = new TypeError('no')
    expect(await run('GET', [error])).toMatchObject({ sent: 1, end: error })
  })
})

describe('the wait', () => {
  test('doubles, up to a limit', async () => {
    const { waits } = await run('GET', [answer(502)], { retries: 8, random: 1 })
    expect(waits).toEqual([0.5, 1, 2, 4, 8, 16, 20, 20])
  })

  test('is random, between half of that value and all of it', async () => {
    expect((await run('GET', [answer(502)], { retries: 2, random: 0 })).waits).toEqual([0.25, 0.5])
    expect((await run('GET', [answer(502)], { retries: 2, random: 0.5 })).waits).toEqual([
      0.375, 0.75
    ])
  })

  test.each([
    // Never shorter than without the header.
    ['0', 0.375],
    ['Mon, 31 Dec 2029 00:00:00 GMT', 0.375],
    ['17', 17],
    ['60', 60],
    ['Tue, 01 Jan 2030 00:00:42 GMT', 42]
  ])('follows Retry-After: %s', async (header, seconds) => {
    expect((await run('GET', [answer(429, header)], { retries: 1 })).waits).toEqual([seconds])
  })

  test.each(['61', 'Tue, 01 Jan 2030 00:01:01 GMT', '99999999999999999999'])(
    'is never more than a minute: with Retry-After %s, there is no retry',
    async header => {
      for (const status of [429, 503]) {
        expect(await run('GET', [answer(status, header)])).toMatchObject({
          sent: 1,
          waits: [],
          notices: []
        })
      }
    }
  )
})

describe('the notice of a wait', () => {
  test.each([
    [fault('refused'), 'https://pets.example refused the connection; retrying in 0.4 s (1 of 1)'],
    [answer(503, '7'), 'https://pets.example replied with 503; retrying in 7 s (1 of 1)'],
    [
      fault('lost', 'receiving', answer(200)),
      'the connection to https://pets.example was lost before the reply was complete; retrying in 0.4 s (1 of 1)'
    ],
    [
      fault('lost', 'receiving', answer(429)),
      'https://pets.example replied with 429; retrying in 0.4 s (1 of 1)'
    ]
  ])('%s', async (end, notice) => {
    expect((await run('GET', [end], { retries: 1 })).notices).toEqual([notice])
  })

  test('does not show the URL that stands for the local service', async () => {
    const { notices } = await run('GET', [answer(503, '1')], {
      retries: 1,
      placeName: 'the local service'
    })
    expect(notices).toEqual(['the local service replied with 503; retrying in 1 s (1 of 1)'])
  })
})

test('an interrupt ends a wait, and no request follows', async () => {
  const cause = new Error('SIGINT')
  const { sent, end } = await run('POST', [answer(429)], { sleep: () => Promise.reject(cause) })
  expect(sent).toBe(1)
  expect(end).toMatchObject({ kind: 'aborted', isStarted: false, cause })
})
