import type { FailureCode } from '../failure.ts'
import { isSuccess, type Reply } from '../model/exchange.ts'
import { type FaultKind, type ReplyHead, TransportFault } from './transport-fault.ts'

/** Whether a request only reads, or changes something at the service. */
export type Intent = 'read' | 'change'

/** A complete body that breaks the contract: in JSON, or in what is not from this service. */
export type BodyProblem = 'misshapen' | 'foreign'

/** How one attempt at a request ended. */
export interface AttemptResult {
  /** Whether bytes of the request may have been sent. */
  readonly isStarted: boolean
  readonly problem?: FaultKind | BodyProblem | undefined
  /** Of the reply, whose body may be incomplete. */
  readonly status?: number | undefined
  /** From a `Retry-After` that can be read. */
  readonly waitSeconds?: number | undefined
}

/**
 * `automatic`: this program repeats the request. `allowed`: running the command again is safe and
 * may help.
 */
type Repetition = 'automatic' | 'allowed' | 'no'

/** The consequence of a result for the run. */
export type Verdict = readonly [code: FailureCode | 'ok', repetition: Repetition]

interface Rule extends Readonly<Record<Intent, Verdict>> {
  /** The description in the documentation. */
  readonly situation: string
  matches(result: AttemptResult): boolean
}

/**
 * What each result means, for a request that reads and for one that changes something. The first
 * rule that matches applies. Nothing else in the program decides what may be repeated.
 */
export const rules: readonly Rule[] = [
  rule(
    'refused, reset or timed out while connecting, or the name cannot be looked up right now',
    unstarted('refused', 'reset', 'timeout', 'lookup-timeout', 'dns-temporary'),
    ['unreachable', 'automatic']
  ),
  rule(
    'this machine cannot send it: no file descriptor, too little memory, no WebAssembly, an unusable request',
    unstarted(
      'unsendable',
      'no-descriptors',
      'no-system-descriptors',
      'no-memory',
      'no-webassembly'
    ),
    ['local', 'no']
  ),
  rule('interrupted before the request started', unstarted('aborted'), ['interrupted', 'allowed']),
  rule(
    'no connection for another reason: the name, TLS, a proxy, the network, a client certificate',
    ({ isStarted }) => !isStarted,
    ['unreachable', 'no']
  ),
  rule(
    'started, then interrupted',
    problemIs('aborted'),
    ['interrupted', 'allowed'],
    ['interrupted', 'no']
  ),
  rule('401 or 403', status(401, 403), ['auth', 'no']),
  rule('404 or 410', status(404, 410), ['not-found', 'no']),
  rule('429', status(429), ['service', 'automatic']),
  rule('another 4xx', statuses(400, 499), ['rejected', 'no']),
  rule('501', status(501), ['service', 'no']),
  rule('503 with Retry-After', result => status(503)(result) && result.waitSeconds !== undefined, [
    'service',
    'automatic'
  ]),
  rule(
    '502, 504, or 503 without Retry-After',
    status(502, 503, 504),
    ['service', 'automatic'],
    ['in-doubt', 'no']
  ),
  rule('500 or another 5xx', statuses(500, 599), ['service', 'allowed'], ['in-doubt', 'no']),
  rule('a redirect', result => statuses(300, 399)(result) && !status(304)(result), [
    'service',
    'no'
  ]),
  rule(
    '304, or a status unknown to HTTP',
    ({ status }) => status !== undefined && !isSuccess({ status }),
    ['service', 'no'],
    ['in-doubt', 'no']
  ),
  rule(
    'started, then the connection was lost',
    problemIs('lost'),
    ['unreachable', 'automatic'],
    ['in-doubt', 'no']
  ),
  rule(
    'started, then TLS failed',
    problemIs('tls', 'no-tls'),
    ['unreachable', 'no'],
    ['in-doubt', 'no']
  ),
  rule(
    'started, then timed out',
    problemIs('timeout'),
    ['unreachable', 'allowed'],
    ['in-doubt', 'no']
  ),
  rule('2xx, well formed', problemIs(undefined), ['ok', 'no']),
  rule(
    'a reply that is not HTTP, or a 2xx that is not JSON, misshapen or too large',
    () => true,
    ['service', 'no'],
    ['in-doubt', 'no']
  )
]

/** For most results, requests that read and changes have the same meaning. */
function rule(situation: string, matches: Rule['matches'], read: Verdict, change = read): Rule {
  return { situation, matches, read, change }
}

export function ruleFor(result: AttemptResult): Rule {
  // The last one matches everything.
  return rules.find(({ matches }) => matches(result)) as Rule
}

/** The methods that HTTP calls safe change nothing. */
export function intentOf(method: string): Intent {
  return ['GET', 'HEAD', 'OPTIONS'].includes(method.toUpperCase()) ? 'read' : 'change'
}

/** The caller judges the body, because that requires the contract. */
export function attemptResultOf(
  end: Reply | TransportFault,
  bodyProblem?: BodyProblem
): AttemptResult {
  if (!(end instanceof TransportFault)) return { ...endOf(end), problem: bodyProblem }
  const { kind: problem, head, isStarted } = end
  return { ...(head && endOf(head)), isStarted, problem }
}

function endOf(head: ReplyHead) {
  return { isStarted: true, status: head.status, waitSeconds: retryAfter(head) }
}

function unstarted(...kinds: FaultKind[]): Rule['matches'] {
  return result => !result.isStarted && problemIs(...kinds)(result)
}

/** The head of the reply may already have arrived. */
function problemIs(...kinds: AttemptResult['problem'][]): Rule['matches'] {
  return ({ problem }) => kinds.includes(problem)
}

/** For a refusal the status is enough, however the body ended. */
function status(...expected: AttemptResult['status'][]): Rule['matches'] {
  return result => expected.includes(result.status)
}

function statuses(from: number, to: number): Rule['matches'] {
  return ({ status = 0 }) => status >= from && status <= to
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
export function retryAfter({ headers }: Pick<Reply, 'headers'>): number | undefined {
  const [text = ''] = [headers['retry-after']].flat()
  if (/^\s*\d+(\.\d+)?\s*$/.test(text)) return Math.min(Number(text), longestNumber)
  // This machine's clock may be wrong: the service counts from the time of its reply.
  const start = dateIn(headers.date) || Date.now()
  const end = dateIn(text)
  return Number.isNaN(end) ? undefined : Math.max(0, (end - start) / 1000)
}

function dateIn(header: string | string[] | undefined): number {
  const [text = ''] = [header].flat()
  return httpDate.test(text) ? Date.parse(text) : Number.NaN
}
