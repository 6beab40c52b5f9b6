import type { FailureCode } from '../failure.ts'
import { isSuccess, type Reply } from '../model/exchange.ts'
import { type FaultKind, TransportFault } from './fault.ts'
import { retryAfter } from './retry-after.ts'

/** Whether a request only reads, or changes something at the service. */
export type Intent = 'read' | 'change'

/** How one attempt at a request ended: with a fault before the head of a reply, or with a reply. */
export type AttemptResult =
  | { readonly fault: FaultKind; readonly isStarted: boolean }
  | {
      readonly status: number
      /** From a `Retry-After` that can be read. */
      readonly waitSeconds: number | undefined
      readonly body: BodyResult | FaultKind
    }

/** A whole body: as the contract says, JSON that breaks the contract, or nothing that this service would send. */
export type BodyResult = 'good' | 'misshapen' | 'foreign'

/** `automatic`: this program repeats the request. `allowed`: running the command again is safe and may help. */
export type Repetition = 'automatic' | 'allowed' | 'no'

/** What a result means for the run. */
export interface Verdict {
  readonly code: FailureCode | 'ok'
  readonly repetition: Repetition
}

interface Rule extends Readonly<Record<Intent, readonly [Verdict['code'], Repetition]>> {
  /** In words, for the documentation. */
  readonly situation: string
  matches(result: AttemptResult): boolean
}

/**
 * What each result means, for a request that reads and for one that changes something. The first rule that matches
 * applies. Nothing else in the program decides what may be repeated.
 */
export const rules: readonly Rule[] = [
  {
    situation: 'refused, reset or timed out while connecting, or the name cannot be looked up right now',
    matches: unstarted('refused', 'reset', 'timeout', 'dns-temporary'),
    read: ['unreachable', 'automatic'],
    change: ['unreachable', 'automatic'],
  },
  {
    situation:
      'this machine cannot send it: no file descriptor, too little memory, no WebAssembly, an unusable request',
    matches: unstarted('unsendable', 'no-descriptors', 'no-memory', 'no-webassembly'),
    read: ['local', 'no'],
    change: ['local', 'no'],
  },
  {
    situation: 'interrupted before the request started',
    matches: unstarted('aborted'),
    read: ['interrupted', 'allowed'],
    change: ['interrupted', 'allowed'],
  },
  {
    situation: 'no connection for another reason: the name, TLS, a proxy, the network, a client certificate',
    matches: (result) => 'fault' in result && !result.isStarted,
    read: ['unreachable', 'no'],
    change: ['unreachable', 'no'],
  },
  {
    situation: 'started, then interrupted',
    matches: started('aborted'),
    read: ['interrupted', 'allowed'],
    change: ['interrupted', 'no'],
  },
  { situation: '401 or 403', matches: status(401, 403), read: ['auth', 'no'], change: ['auth', 'no'] },
  { situation: '404 or 410', matches: status(404, 410), read: ['not-found', 'no'], change: ['not-found', 'no'] },
  { situation: '429', matches: status(429), read: ['service', 'automatic'], change: ['service', 'automatic'] },
  { situation: 'another 4xx', matches: statuses(400, 499), read: ['rejected', 'no'], change: ['rejected', 'no'] },
  { situation: '501', matches: status(501), read: ['service', 'no'], change: ['service', 'no'] },
  {
    situation: '503 with Retry-After',
    matches: (result) => 'status' in result && result.status === 503 && result.waitSeconds !== undefined,
    read: ['service', 'automatic'],
    change: ['service', 'automatic'],
  },
  {
    situation: '502, 504, or 503 without Retry-After',
    matches: status(502, 503, 504),
    read: ['service', 'automatic'],
    change: ['in-doubt', 'no'],
  },
  {
    situation: '500 or another 5xx',
    matches: statuses(500, 599),
    read: ['service', 'allowed'],
    change: ['in-doubt', 'no'],
  },
  {
    situation: 'a redirect, or a status unknown to HTTP',
    matches: (result) => 'status' in result && !isSuccess(result),
    read: ['service', 'no'],
    change: ['service', 'no'],
  },
  {
    situation: 'started, then the connection was lost',
    matches: started('lost'),
    read: ['unreachable', 'automatic'],
    change: ['in-doubt', 'no'],
  },
  {
    situation: 'started, then TLS failed',
    matches: started('tls'),
    read: ['unreachable', 'no'],
    change: ['in-doubt', 'no'],
  },
  {
    situation: 'started, then the proxy failed',
    matches: started('proxy'),
    read: ['unreachable', 'automatic'],
    change: ['in-doubt', 'no'],
  },
  {
    situation: 'started, then timed out',
    matches: started('timeout'),
    read: ['unreachable', 'allowed'],
    change: ['in-doubt', 'no'],
  },
  {
    situation: '2xx, well formed',
    matches: (result) => 'status' in result && result.body === 'good',
    read: ['ok', 'no'],
    change: ['ok', 'no'],
  },
  {
    situation: 'a reply that is not HTTP, or a 2xx that is not JSON, misshapen, too large or cannot be decoded',
    matches: () => true,
    read: ['service', 'no'],
    change: ['in-doubt', 'no'],
  },
]

export function verdictOn(intent: Intent, result: AttemptResult): Verdict {
  const [code, repetition] = ruleFor(result)[intent]
  return { code, repetition }
}

export function ruleFor(result: AttemptResult): Rule {
  const rule = rules.find(({ matches }) => matches(result))
  if (rule === undefined) throw new TypeError('the last rule matches everything')
  return rule
}

/** A method that HTTP calls safe changes nothing. */
export function intentOf(method: string): Intent {
  return ['GET', 'HEAD', 'OPTIONS'].includes(method.toUpperCase()) ? 'read' : 'change'
}

/** The end of an attempt in the terms of the rules. The caller judges the body, since it knows the contract. */
export function resultOf(end: Reply | TransportFault, now: Date, body: BodyResult = 'good'): AttemptResult {
  if (!(end instanceof TransportFault)) return { status: end.status, waitSeconds: retryAfter(end, now), body }
  const { kind, head, isStarted } = end
  if (head === undefined) return { fault: kind, isStarted }
  return { status: head.status, waitSeconds: retryAfter(head, now), body: kind }
}

function unstarted(...kinds: FaultKind[]): Rule['matches'] {
  return (result) => 'fault' in result && !result.isStarted && kinds.includes(result.fault)
}

/** The head of the reply may have come by then. */
function started(kind: FaultKind): Rule['matches'] {
  return (result) => ('fault' in result ? result.isStarted && result.fault === kind : result.body === kind)
}

/** A status that refuses says all that matters, however its body ended. */
function status(...expected: number[]): Rule['matches'] {
  return (result) => 'status' in result && expected.includes(result.status)
}

function statuses(from: number, to: number): Rule['matches'] {
  return (result) => 'status' in result && result.status >= from && result.status <= to
}
