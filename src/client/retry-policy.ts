import type { FailureCode } from '../failure.ts'
import type { FaultKind } from './transport-fault.ts'

/** Whether a request only reads, or changes something at the service. */
export type Intent = 'read' | 'change'

/** What became of an attempt: a fault before there was the head of a reply, or a reply. */
export type Outcome =
  | { readonly fault: FaultKind; readonly isStarted: boolean }
  | {
      readonly status: number
      /** Whether the reply has a `Retry-After` that can be read. */
      readonly asksToWait: boolean
      /** Whole and as the contract says, whole and otherwise, or ended by a fault. */
      readonly body: 'good' | 'misshapen' | FaultKind
    }

/** `repeat`: this program may repeat the request by itself. `allowed`: its user may, with no look at what became of it. */
export type Again = 'repeat' | 'allowed' | 'no'

export interface Fate {
  readonly code: FailureCode | 'ok'
  readonly again: Again
}

interface Row extends Readonly<Record<Intent, readonly [Fate['code'], Again]>> {
  /** In words; the documentation prints them. */
  readonly happened: string
  fits(outcome: Outcome): boolean
}

/**
 * What every attempt's end means, for a request that reads and for one that changes something. The first row that fits
 * counts. Nothing else in the program decides what may be repeated.
 */
export const fates: readonly Row[] = [
  {
    happened: 'refused, reset or timed out while connecting, or the name could not be looked up for the moment',
    fits: unstarted('refused', 'reset', 'timeout', 'dns-temporary'),
    read: ['unreachable', 'repeat'],
    change: ['unreachable', 'repeat'],
  },
  {
    happened: 'there was nothing that could be sent',
    fits: unstarted('unsendable'),
    read: ['local', 'no'],
    change: ['local', 'no'],
  },
  {
    happened: 'interrupted before the request started',
    fits: unstarted('aborted'),
    read: ['interrupted', 'allowed'],
    change: ['interrupted', 'allowed'],
  },
  {
    happened: 'no connection for another reason: the name, TLS, a proxy, the network',
    fits: (outcome) => 'fault' in outcome && !outcome.isStarted,
    read: ['unreachable', 'no'],
    change: ['unreachable', 'no'],
  },
  {
    happened: 'started, then interrupted',
    fits: started('aborted'),
    read: ['interrupted', 'allowed'],
    change: ['interrupted', 'no'],
  },
  { happened: '401 or 403', fits: status(401, 403), read: ['auth', 'no'], change: ['auth', 'no'] },
  { happened: '404 or 410', fits: status(404, 410), read: ['not-found', 'no'], change: ['not-found', 'no'] },
  { happened: '429', fits: status(429), read: ['service', 'repeat'], change: ['service', 'repeat'] },
  { happened: 'another 4xx', fits: statuses(400, 499), read: ['rejected', 'no'], change: ['rejected', 'no'] },
  { happened: '501', fits: status(501), read: ['service', 'no'], change: ['service', 'no'] },
  {
    happened: '503 with Retry-After',
    fits: (outcome) => 'status' in outcome && outcome.status === 503 && outcome.asksToWait,
    read: ['service', 'repeat'],
    change: ['service', 'repeat'],
  },
  {
    happened: '502, 504, or 503 without Retry-After',
    fits: status(502, 503, 504),
    read: ['service', 'repeat'],
    change: ['in-doubt', 'no'],
  },
  {
    happened: '500 or another 5xx',
    fits: statuses(500, 599),
    read: ['service', 'allowed'],
    change: ['in-doubt', 'no'],
  },
  {
    happened: 'a redirect, or a status that HTTP does not have',
    fits: (outcome) => 'status' in outcome && !isSuccess(outcome.status),
    read: ['service', 'no'],
    change: ['service', 'no'],
  },
  {
    happened: 'started, then the connection was lost',
    fits: started('lost'),
    read: ['unreachable', 'repeat'],
    change: ['in-doubt', 'no'],
  },
  {
    happened: 'started, then timed out',
    fits: started('timeout'),
    read: ['unreachable', 'allowed'],
    change: ['in-doubt', 'no'],
  },
  {
    happened: '2xx, well formed',
    fits: (outcome) => 'status' in outcome && outcome.body === 'good',
    read: ['ok', 'no'],
    change: ['ok', 'no'],
  },
  {
    happened: 'an answer that is not HTTP, or a 2xx that is not JSON, is misshapen, compressed or too large',
    fits: () => true,
    read: ['service', 'no'],
    change: ['in-doubt', 'no'],
  },
]

export function fateOf(intent: Intent, outcome: Outcome): Fate {
  const [code, again] = rowOf(outcome)[intent]
  return { code, again }
}

/** A method that HTTP calls safe changes nothing. */
export function intentOf(method: string): Intent {
  return ['GET', 'HEAD', 'OPTIONS'].includes(method.toUpperCase()) ? 'read' : 'change'
}

export function isSuccess(status: number): boolean {
  return status >= 200 && status <= 299
}

export function rowOf(outcome: Outcome): Row {
  const fitting = fates.find((row) => row.fits(outcome))
  if (fitting === undefined) throw new TypeError('the last row fits everything')
  return fitting
}

function unstarted(...kinds: FaultKind[]): Row['fits'] {
  return (outcome) => 'fault' in outcome && !outcome.isStarted && kinds.includes(outcome.fault)
}

/** The head of the reply may have come by then. */
function started(kind: FaultKind): Row['fits'] {
  return (outcome) => ('fault' in outcome ? outcome.isStarted && outcome.fault === kind : outcome.body === kind)
}

/** A status that refuses says all that matters, however its body ended. */
function status(...expected: number[]): Row['fits'] {
  return (outcome) => 'status' in outcome && expected.includes(outcome.status)
}

function statuses(from: number, to: number): Row['fits'] {
  return (outcome) => 'status' in outcome && outcome.status >= from && outcome.status <= to
}
