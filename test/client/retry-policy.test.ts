import { describe, expect, test } from 'vitest'
import { judge, retryAfter } from '../../src/client/retry-policy.ts'
import { type FaultKind, TransportFault } from '../../src/client/transport-fault.ts'
import type { Reply } from '../../src/model/exchange.ts'

const read = { isChange: false, hasKey: false, isInDoubt: false }
const change = { ...read, isChange: true }
const keyed = { ...change, hasKey: true }
const doubtful = { ...keyed, isInDoubt: true }

const replied = (status: number, headers: Reply['headers'] = {}, body = 'right') => ({
  status,
  headers,
  body: Buffer.from(body)
})
const started = (kind: FaultKind) => new TransportFault(kind, { isStarted: true })
const unstarted = (kind: FaultKind) => new TransportFault(kind, { isStarted: false })
const readBody = ({ body }: Reply) => (`${body}` === 'right' ? { value: 1 } : { problem: 'wrong' })

// A plus stands for a repetition. `docs/faults.md` has the columns without a doubt for all results.
test.each<
  [end: Reply | TransportFault, read: string, change: string, keyed: string, doubtful: string]
>([
  [unstarted('refused'), 'unreachable+', 'unreachable+', 'unreachable+', 'in-doubt+'],
  [unstarted('dns'), 'unreachable', 'unreachable', 'unreachable', 'in-doubt'],
  [unstarted('aborted'), 'interrupted', 'interrupted', 'interrupted', 'in-doubt'],
  [started('aborted'), 'interrupted', 'in-doubt', 'in-doubt', 'in-doubt'],
  [started('lost'), 'unreachable+', 'in-doubt', 'in-doubt+', 'in-doubt+'],
  [started('timeout'), 'unreachable', 'in-doubt', 'in-doubt+', 'in-doubt+'],
  [started('not-http'), 'service', 'in-doubt', 'in-doubt+', 'in-doubt+'],
  [started('too-large'), 'service', 'in-doubt', 'in-doubt', 'in-doubt'],
  [replied(201, {}, 'wrong'), 'service', 'in-doubt', 'in-doubt', 'in-doubt'],
  [replied(201), 'ok', 'ok', 'ok', 'ok'],
  [replied(301), 'service', 'in-doubt', 'in-doubt', 'in-doubt'],
  [replied(302), 'service', 'in-doubt', 'in-doubt', 'in-doubt'],
  [replied(303), 'service', 'in-doubt', 'in-doubt', 'in-doubt'],
  [replied(304), 'service', 'service', 'service', 'in-doubt'],
  [replied(307), 'service', 'service', 'service', 'in-doubt'],
  [replied(308), 'service', 'service', 'service', 'in-doubt'],
  [replied(400), 'rejected', 'rejected', 'rejected', 'rejected'],
  [replied(401), 'auth', 'auth', 'auth', 'in-doubt'],
  [replied(404), 'not-found', 'not-found', 'not-found', 'in-doubt'],
  [replied(408), 'rejected', 'in-doubt', 'in-doubt+', 'in-doubt+'],
  [replied(409), 'rejected', 'rejected', 'rejected', 'in-doubt+'],
  [replied(422), 'rejected', 'rejected', 'rejected', 'rejected'],
  [replied(429), 'service+', 'service+', 'service+', 'in-doubt+'],
  [replied(500), 'service', 'in-doubt', 'in-doubt+', 'in-doubt+'],
  [replied(501), 'service', 'service', 'service', 'in-doubt'],
  [replied(503), 'service+', 'in-doubt', 'in-doubt+', 'in-doubt+'],
  [replied(503, { 'retry-after': '1' }), 'service+', 'in-doubt', 'in-doubt+', 'in-doubt+'],
  [replied(504), 'service+', 'in-doubt', 'in-doubt+', 'in-doubt+'],
  [replied(666), 'service', 'in-doubt', 'in-doubt', 'in-doubt']
])('%o: GET %s, POST %s, with a key %s, in doubt %s', (end, ...expected) => {
  const verdicts = [read, change, keyed, doubtful].map(circumstances => {
    const { code, isRepeated } = judge(end, { ...circumstances, read: readBody })
    return isRepeated ? `${code}+` : code
  })
  expect(verdicts).toEqual(expected)
})

describe('Retry-After', () => {
  const inOneHour = new Date(Date.now() + 3_600_000).toUTCString()
  test.each<[value: string | string[] | undefined, seconds: unknown]>([
    ['0', 0],
    ['86400', 86_400],
    ['99999999999', 99_999_999_999],
    [['3', '9'], 3],
    [inOneHour, expect.closeTo(3600, -2)],
    ['Mon, 31 Dec 2018 00:00:00 GMT', 0],
    [undefined, undefined],
    ['', undefined],
    ['soon', undefined],
    ['-1', undefined],
    ['2030-01-01T00:00:30Z', undefined],
    ['may 1', undefined]
  ])('%j is %s s', (value, seconds) => {
    expect(retryAfter({ headers: { 'retry-after': value } })).toEqual(seconds)
  })
})
