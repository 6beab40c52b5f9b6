import { expect, test } from 'vitest'
import { withRetries } from '../../src/client/retry.ts'
import { type FaultKind, TransportFault } from '../../src/client/transport-fault.ts'
import type { Reply } from '../../src/model/exchange.ts'

const reply = (status: number, retryAfter?: string): Reply => ({
  status,
  headers: { 'retry-after': retryAfter },
  body: new Uint8Array()
})
const fault = (kind: FaultKind, isStarted = false) => new TransportFault(kind, { isStarted })

const keyed = { isChange: true, hasKey: true, isInDoubt: false }
const read = { ...keyed, isChange: false, hasKey: false }

/** Each attempt has the next of these ends, and later ones repeat the last. Waits take no time. */
async function run(
  ends: readonly (Reply | Error)[],
  { circumstances = read, retries = 3, random = 1 } = {}
) {
  const waits: number[] = []
  const notices: string[] = []
  let sent = 0
  const repeating = withRetries({
    send: async () => {
      const end = ends[Math.min(sent, ends.length - 1)] as Reply | Error
      sent += 1
      if (end instanceof Error) throw end
      return end
    },
    retries,
    random: () => random,
    sleep: async milliseconds => void waits.push(milliseconds / 1000),
    notice: async message => void notices.push(message)
  })
  const request = { method: 'POST', url: 'https://pets.example/v1/pets', headers: {} }
  return { ...(await repeating(request, circumstances)), sent, waits, notices }
}

test('a request is repeated until it succeeds, at most as often as it may', async () => {
  const ends = [fault('refused'), reply(429), reply(200)]
  expect(await run(ends)).toMatchObject({ sent: 3, status: 200 })
  expect(await run([reply(429)], { retries: 2 })).toMatchObject({ sent: 3, status: 429 })
  expect(await run([reply(429)], { retries: 0 })).toMatchObject({ sent: 1, notices: [] })
})

test('the doubt about an attempt stays', async () => {
  const ends = [reply(500), reply(409), fault('refused'), reply(404)]
  const first = await run(ends, { circumstances: keyed })
  expect(first).toMatchObject({ sent: 4, status: 404, code: 'in-doubt' })
})

test('the wait doubles up to a limit, and is reduced by up to half at random', async () => {
  const { waits } = await run([reply(502)], { retries: 8 })
  expect(waits).toEqual([0.5, 1, 2, 4, 8, 16, 20, 20])
  expect((await run([reply(502)], { retries: 2, random: 0 })).waits).toEqual([0.25, 0.5])
})

test.each([
  ['0', [0.5]],
  ['17', [17]],
  ['60', [60]],
  ['61', []]
])('with Retry-After: %s it is %j', async (header, waits) => {
  expect((await run([reply(429, header)], { retries: 1 })).waits).toEqual(waits)
})

test.each([
  [fault('refused'), 'https://pets.example refused the connection; retrying in 0.5 s (1 of 1)'],
  [reply(503, '7'), 'the service replied with 503; retrying in 7 s (1 of 1)']
])('each wait has a notice: %o', async (end, notice) => {
  expect((await run([end], { retries: 1 })).notices).toEqual([notice])
})
