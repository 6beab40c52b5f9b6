import { describe, expect, it } from 'vitest'
import { type Fate, fateOf, type Outcome } from '../../src/client/retry-policy.ts'
import type { FaultKind } from '../../src/client/transport-fault.ts'

type Told = `${Fate['code']} ${Fate['again']}`

const told = (intent: 'read' | 'change', outcome: Outcome): Told => {
  const { code, again } = fateOf(intent, outcome)
  return `${code} ${again}`
}

describe('the request never started', () => {
  it.each<[FaultKind, Told]>([
    ['refused', 'unreachable repeat'],
    ['reset', 'unreachable repeat'],
    ['timeout', 'unreachable repeat'],
    ['dns-temporary', 'unreachable repeat'],
    ['dns', 'unreachable no'],
    ['tls', 'unreachable no'],
    ['proxy', 'unreachable no'],
    ['unreachable', 'unreachable no'],
    ['unsendable', 'local no'],
    ['aborted', 'interrupted allowed'],
  ])('%s: %s, whatever it was to do', (fault, fate) => {
    expect(told('read', { fault, isStarted: false })).toBe(fate)
    expect(told('change', { fault, isStarted: false })).toBe(fate)
  })
})

describe('it started, and no reply came', () => {
  it.each<[FaultKind, Told, Told]>([
    ['lost', 'unreachable repeat', 'in-doubt no'],
    ['timeout', 'unreachable allowed', 'in-doubt no'],
    ['not-http', 'service no', 'in-doubt no'],
    ['too-large', 'service no', 'in-doubt no'],
    ['aborted', 'interrupted allowed', 'interrupted no'],
  ])('%s: GET %s, POST %s', (fault, read, change) => {
    expect(told('read', { fault, isStarted: true })).toBe(read)
    expect(told('change', { fault, isStarted: true })).toBe(change)
  })
})

describe('a success', () => {
  it.each<[Extract<Outcome, { status: number }>['body'], Told, Told]>([
    ['good', 'ok no', 'ok no'],
    ['misshapen', 'service no', 'in-doubt no'],
    ['lost', 'unreachable repeat', 'in-doubt no'],
    ['timeout', 'unreachable allowed', 'in-doubt no'],
    ['not-http', 'service no', 'in-doubt no'],
    ['too-large', 'service no', 'in-doubt no'],
    ['encoding', 'service no', 'in-doubt no'],
    ['aborted', 'interrupted allowed', 'interrupted no'],
  ])('with a body that is %s: GET %s, POST %s', (body, read, change) => {
    for (const status of [200, 201, 202, 204]) {
      expect(told('read', { status, asksToWait: false, body })).toBe(read)
      expect(told('change', { status, asksToWait: false, body })).toBe(change)
    }
  })
})

describe('a status', () => {
  it.each<[string, Told, Told]>([
    ['301', 'service no', 'service no'],
    ['307', 'service no', 'service no'],
    ['400', 'rejected no', 'rejected no'],
    ['401', 'auth no', 'auth no'],
    ['403', 'auth no', 'auth no'],
    ['404', 'not-found no', 'not-found no'],
    ['405', 'rejected no', 'rejected no'],
    ['409', 'rejected no', 'rejected no'],
    ['410', 'not-found no', 'not-found no'],
    ['422', 'rejected no', 'rejected no'],
    ['429', 'service repeat', 'service repeat'],
    ['429 Retry-After', 'service repeat', 'service repeat'],
    ['499', 'rejected no', 'rejected no'],
    ['500', 'service allowed', 'in-doubt no'],
    ['501', 'service no', 'service no'],
    ['502', 'service repeat', 'in-doubt no'],
    ['502 Retry-After', 'service repeat', 'in-doubt no'],
    ['503', 'service repeat', 'in-doubt no'],
    ['503 Retry-After', 'service repeat', 'service repeat'],
    ['504', 'service repeat', 'in-doubt no'],
    ['599', 'service allowed', 'in-doubt no'],
    ['600', 'service no', 'service no'],
  ])('%s: GET %s, POST %s', (text, read, change) => {
    const [status, header] = text.split(' ')
    // How its body ended makes no difference.
    for (const body of ['good', 'misshapen', 'lost', 'timeout', 'encoding'] as const) {
      const outcome = { status: Number(status), asksToWait: header !== undefined, body }
      expect(told('read', outcome)).toBe(read)
      expect(told('change', outcome)).toBe(change)
    }
  })

  it('says nothing any more once there was an interrupt', () => {
    expect(told('change', { status: 500, asksToWait: false, body: 'aborted' })).toBe('interrupted no')
  })
})
