import { describe, expect, test } from 'vitest'
import {
  type AttemptResult,
  retryAfter,
  ruleFor,
  type Verdict
} from '../../src/client/retry-policy.ts'
import type { FaultKind } from '../../src/client/transport-fault.ts'

type VerdictText = `${Verdict[0]} ${Verdict[1]}`

const verdict = (intent: 'read' | 'change', result: AttemptResult): VerdictText => {
  const [code, repetition] = ruleFor(result)[intent]
  return `${code} ${repetition}`
}

describe('the request never started', () => {
  test.each<[FaultKind, VerdictText]>([
    ['refused', 'unreachable automatic'],
    ['reset', 'unreachable automatic'],
    ['timeout', 'unreachable automatic'],
    ['lookup-timeout', 'unreachable automatic'],
    ['dns-temporary', 'unreachable automatic'],
    ['dns', 'unreachable no'],
    ['tls', 'unreachable no'],
    ['client-certificate', 'unreachable no'],
    ['proxy', 'unreachable no'],
    ['unreachable', 'unreachable no'],
    ['unsendable', 'local no'],
    ['no-descriptors', 'local no'],
    ['no-system-descriptors', 'local no'],
    ['no-memory', 'local no'],
    ['no-webassembly', 'local no'],
    ['aborted', 'interrupted allowed']
  ])('%s: %s, for any request', (problem, expected) => {
    expect(verdict('read', { problem, isStarted: false })).toBe(expected)
    expect(verdict('change', { problem, isStarted: false })).toBe(expected)
  })
})

describe('the request started, and no reply arrived', () => {
  test.each<[FaultKind, VerdictText, VerdictText]>([
    ['lost', 'unreachable automatic', 'in-doubt no'],
    ['timeout', 'unreachable allowed', 'in-doubt no'],
    ['tls', 'unreachable no', 'in-doubt no'],
    ['no-tls', 'unreachable no', 'in-doubt no'],
    ['not-http', 'service no', 'in-doubt no'],
    ['too-large', 'service no', 'in-doubt no'],
    ['aborted', 'interrupted allowed', 'interrupted no']
  ])('%s: GET %s, POST %s', (problem, read, change) => {
    expect(verdict('read', { problem, isStarted: true })).toBe(read)
    expect(verdict('change', { problem, isStarted: true })).toBe(change)
  })
})

describe('a success', () => {
  test.each<[AttemptResult['problem'], VerdictText, VerdictText]>([
    [undefined, 'ok no', 'ok no'],
    ['misshapen', 'service no', 'in-doubt no'],
    ['foreign', 'service no', 'in-doubt no'],
    ['lost', 'unreachable automatic', 'in-doubt no'],
    ['timeout', 'unreachable allowed', 'in-doubt no'],
    ['not-http', 'service no', 'in-doubt no'],
    ['too-large', 'service no', 'in-doubt no'],
    ['aborted', 'interrupted allowed', 'interrupted no']
  ])('with a body that is %s: GET %s, POST %s', (problem, read, change) => {
    for (const status of [200, 201, 202, 204]) {
      expect(verdict('read', { isStarted: true, status, problem })).toBe(read)
      expect(verdict('change', { isStarted: true, status, problem })).toBe(change)
    }
  })
})

describe('a status', () => {
  test.each<[string, VerdictText, VerdictText]>([
    ['301', 'service no', 'service no'],
    ['304', 'service no', 'in-doubt no'],
    ['307', 'service no', 'service no'],
    ['399', 'service no', 'service no'],
    ['400', 'rejected no', 'rejected no'],
    ['401', 'auth no', 'auth no'],
    ['403', 'auth no', 'auth no'],
    ['404', 'not-found no', 'not-found no'],
    ['405', 'rejected no', 'rejected no'],
    ['409', 'rejected no', 'rejected no'],
    ['410', 'not-found no', 'not-found no'],
    ['422', 'rejected no', 'rejected no'],
    ['429', 'service automatic', 'service automatic'],
    ['429 Retry-After', 'service automatic', 'service automatic'],
    ['499', 'rejected no', 'rejected no'],
    ['500', 'service allowed', 'in-doubt no'],
    ['501', 'service no', 'service no'],
    ['502', 'service automatic', 'in-doubt no'],
    ['502 Retry-After', 'service automatic', 'in-doubt no'],
    ['503', 'service automatic', 'in-doubt no'],
    ['503 Retry-After', 'service automatic', 'service automatic'],
    ['504', 'service automatic', 'in-doubt no'],
    ['599', 'service allowed', 'in-doubt no'],
    ['600', 'service no', 'in-doubt no'],
    ['999', 'service no', 'in-doubt no']
  ])('%s: GET %s, POST %s', (text, read, change) => {
    const [status, header] = text.split(' ')
    // The body makes no difference.
    for (const problem of [undefined, 'misshapen', 'foreign', 'lost', 'timeout'] as const) {
      const result = {
        isStarted: true,
        status: Number(status),
        waitSeconds: header === undefined ? undefined : 1,
        problem
      }
      expect(verdict('read', result)).toBe(read)
      expect(verdict('change', result)).toBe(change)
    }
  })

  test('is ignored after an interrupt', () => {
    expect(verdict('change', { isStarted: true, status: 500, problem: 'aborted' })).toBe(
      'interrupted no'
    )
  })
})

const date = 'Tue, 01 Jan 2030 00:00:00 GMT'

describe('Retry-After', () => {
  test.each<[value: string | string[] | undefined, seconds: number | undefined]>([
    ['0', 0],
    ['7', 7],
    [' 7 ', 7],
    ['1.5', 1.5],
    ['86400', 86_400],
    ['9'.repeat(400), 2 ** 31],
    [['3', '9'], 3],
    ['Tue, 01 Jan 2030 00:00:30 GMT', 30],
    ['Mon, 31 Dec 2029 00:00:00 GMT', 0],
    [undefined, undefined],
    ['', undefined],
    ['soon', undefined],
    ['-1', undefined],
    ['1e3', undefined],
    ['7 seconds', undefined],
    ['may 1', undefined],
    ['2030-01-01T00:00:30Z', undefined],
    ['on Tue, 01 Jan 2030 00:00:30 GMT', undefined],
    ['Tue, 01 Jan 2030 00:00:30 GMT+1', undefined],
    ['Tue, 99 Xyz 2030 00:00:30 GMT', undefined]
  ])('%j is %s s', (value, seconds) => {
    expect(retryAfter({ headers: { 'retry-after': value, date } })).toBe(seconds)
  })

  test.each(['not a date', undefined])(
    'a date counts from the clock of this machine if the reply has no date: %s',
    noDate => {
      const inOneHour = new Date(Date.now() + 3_600_000).toUTCString()
      const seconds = retryAfter({ headers: { 'retry-after': inOneHour, date: noDate } })
      expect(seconds).toBeGreaterThan(3500)
      expect(seconds).toBeLessThanOrEqual(3600)
    }
  )
})
