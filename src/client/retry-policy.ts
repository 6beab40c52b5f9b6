import type { FailureCode } from '../failure.ts'
import { isSuccess, type Reply } from '../model/exchange.ts'
import { type FaultKind, faultTable, TransportFault } from './transport-fault.ts'

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

/**
 * A complete body: it follows the contract, it is JSON that breaks the contract, or it is not from
 * this service.
 */
export type BodyResult = 'good' | 'misshapen' | 'foreign'

/**
 * `automatic`: this program repeats the request. `allowed`: running the command again is safe and
 * may help.
 */
type Repetition = 'automatic' | 'allowed' | 'no'

/** The consequence of a result for the run. */
export interface Verdict {
  readonly code: FailureCode | 'ok'
  readonly repetition: Repetition
}

type Meaning = readonly [Verdict['code'], Repetition]

interface Rule extends Readonly<Record<Intent, Meaning>> {
  /** The description in the documentation. */
  readonly situation: string
  matches(result: AttemptResult): boolean
}

const tlsFaults = (Object.keys(faultTable) as FaultKind[]).filter(
  (kind) => faultTable[kind].stage === 'TLS',
)

/**
 * What each result means, for a request that reads and for one that changes something. The first
 * rule that matches applies. Nothing else in the program decides what may be repeated.
 */
export const rules: readonly Rule[] = [
  rule(
    'refused, reset or timed out while connecting, or the name cannot be looked up right now',
    unstarted('refused', 'reset', 'timeout', 'lookup-timeout', 'dns-temporary'),
    ['unreachable', 'automatic'],
  ),
  rule(
    'this machine cannot send it: no file descriptor, too little memory, no WebAssembly, an unusable request',
    unstarted(
      'unsendable',
      'no-descriptors',
      'no-system-descriptors',
      'no-memory',
      'no-webassembly',
    ),
    ['local', 'no'],
  ),
  rule('interrupted before the request started', unstarted('aborted'), ['interrupted', 'allowed']),
  rule(
    'no connection for another reason: the name, TLS, a proxy, the network, a client certificate',
    (result) => 'fault' in result && !result.isStarted,
    ['unreachable', 'no'],
  ),
  rule(
    'started, then interrupted',
    started('aborted'),
    ['interrupted', 'allowed'],
    ['interrupted', 'no'],
  ),
  rule('401 or 403', status(401, 403), ['auth', 'no']),
  rule('404 or 410', status(404, 410), ['not-found', 'no']),
  rule('429', status(429), ['service', 'automatic']),
  rule('another 4xx', statuses(400, 499), ['rejected', 'no']),
  rule('501', status(501), ['service', 'no']),
  rule(
    '503 with Retry-After',
    (result) => 'status' in result && result.status === 503 && result.waitSeconds !== undefined,
    ['service', 'automatic'],
  ),
  rule(
    '502, 504, or 503 without Retry-After',
    status(502, 503, 504),
    ['service', 'automatic'],
    ['in-doubt', 'no'],
  ),
  rule('500 or another 5xx', statuses(500, 599), ['service', 'allowed'], ['in-doubt', 'no']),
  rule('a redirect', (result) => statuses(300, 399)(result) && !status(304)(result), [
    'service',
    'no',
  ]),
  rule(
    '304, or a status unknown to HTTP',
    (result) => 'status' in result && !isSuccess(result),
    ['service', 'no'],
    ['in-doubt', 'no'],
  ),
  rule(
    'started, then the connection was lost',
    started('lost'),
    ['unreachable', 'automatic'],
    ['in-doubt', 'no'],
  ),
  rule(
    'started, then TLS failed',
    started(...tlsFaults),
    ['unreachable', 'no'],
    ['in-doubt', 'no'],
  ),
  rule(
    'started, then timed out',
    started('timeout'),
    ['unreachable', 'allowed'],
    ['in-doubt', 'no'],
  ),
  rule('2xx, well formed', (result) => 'status' in result && result.body === 'good', ['ok', 'no']),
  rule(
    'a reply that is not HTTP, or a 2xx that is not JSON, misshapen or too large',
    () => true,
    ['service', 'no'],
    ['in-doubt', 'no'],
  ),
]

/** For most results, requests that read and changes have the same meaning. */
function rule(situation: string, matches: Rule['matches'], read: Meaning, change = read): Rule {
  return { situation, matches, read, change }
}

export function verdictOn(intent: Intent, result: AttemptResult): Verdict {
  const [code, repetition] = ruleFor(result)[intent]
  return { code, repetition }
}

export function ruleFor(result: AttemptResult): Rule {
  // The last one matches everything.
  return rules.find(({ matches }) => matches(result)) as Rule
}

/** The methods that HTTP calls safe change nothing. */
export function intentOf(method: string): Intent {
  return ['GET', 'HEAD', 'OPTIONS'].includes(method.toUpperCase()) ? 'read' : 'change'
}

/**
 * The end of an attempt in the terms of the rules. The caller judges the body, because that
 * requires the contract.
 */
export function attemptResultOf(
  end: Reply | TransportFault,
  now: Date,
  body: BodyResult = 'good',
): AttemptResult {
  if (!(end instanceof TransportFault))
    return { status: end.status, waitSeconds: retryAfter(end, now), body }
  const { kind, head, isStarted } = end
  if (head === undefined) return { fault: kind, isStarted }
  return { status: head.status, waitSeconds: retryAfter(head, now), body: kind }
}

function unstarted(...kinds: FaultKind[]): Rule['matches'] {
  return (result) => 'fault' in result && !result.isStarted && kinds.includes(result.fault)
}

/** The head of the reply may already have arrived. */
function started(...kinds: FaultKind[]): Rule['matches'] {
  const isOneOf = (kind: BodyResult | FaultKind) => kinds.some((one) => one === kind)
  return (result) =>
    'fault' in result ? result.isStarted && isOneOf(result.fault) : isOneOf(result.body)
}

/** For a refusal the status is enough, however the body ended. */
function status(...expected: number[]): Rule['matches'] {
  return (result) => 'status' in result && expected.includes(result.status)
}

function statuses(from: number, to: number): Rule['matches'] {
  return (result) => 'status' in result && result.status >= from && result.status <= to
}

/** The longest `Retry-After` that is obeyed, in seconds. */
export const longestWait = 60

/** HTTP reads larger numbers of seconds as this one (RFC 9111, 1.2.2). */
const longestNumber = 2 ** 31

/** The date that servers send (RFC 9110, 5.6.7). */
const httpDate = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/

/**
 * How many seconds a reply asks to wait: 0 if its `Retry-After` is a date that has passed,
 * undefined if it has no valid one.
 */
export function retryAfter({ headers }: Pick<Reply, 'headers'>, now: Date): number | undefined {
  const [value = ''] = [headers['retry-after']].flat()
  const text = value.trim()
  if (/^\d+(\.\d+)?$/.test(text)) return Math.min(Number(text), longestNumber)
  if (!httpDate.test(text)) return undefined
  // This machine's clock may be wrong: the service counts from the time of its reply.
  const start = dateIn(headers.date) ?? now.getTime()
  const end = Date.parse(text)
  return Number.isNaN(end) ? undefined : Math.max(0, (end - start) / 1000)
}

function dateIn(header: string | string[] | undefined): number | undefined {
  const [text = ''] = [header].flat()
  const time = httpDate.test(text) ? Date.parse(text) : Number.NaN
  return Number.isNaN(time) ? undefined : time
}
