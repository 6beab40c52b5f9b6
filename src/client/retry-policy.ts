import type { FailureCode } from '../failure.ts'
import { isSuccess, type Reply } from '../model/exchange.ts'
import { type FaultKind, TransportFault } from './transport-fault.ts'

/** How one attempt at a request ended. */
export interface AttemptResult {
  /** Whether bytes of the request may have been sent. */
  readonly isStarted: boolean
  /** A fault, or a body that is not what it should be. */
  readonly problem?: FaultKind | 'body' | undefined
  /** Of a reply. */
  readonly status?: number | undefined
  /** From a `Retry-After` that can be read. */
  readonly waitSeconds?: number | undefined
}

/** What decides beside the result. */
export interface Circumstances {
  /** Whether the request changes something at the service. */
  readonly isChange: boolean
  /** The service carries out a request with an idempotency key once, however often it arrives. */
  readonly hasKey: boolean
  /** An attempt with the same key, of this run or an earlier one, may have been carried out. */
  readonly isInDoubt: boolean
}

/**
 * `automatic`: this program repeats the request. `allowed`: running the command again is safe and
 * may help.
 */
export type Repetition = 'automatic' | 'allowed' | 'no'

/** The consequence of a result for the run. */
export interface Verdict {
  readonly code: FailureCode | 'ok'
  readonly repetition: Repetition
}

interface Rule extends Verdict {
  /** The description in the documentation. */
  readonly situation: string
  readonly matches: (result: AttemptResult) => boolean
  /** Set if a change may have been made: whether repeating it with its key may settle that. */
  readonly afterDoubt?: 'useful' | 'useless' | undefined
}

/** The first rule that matches applies. Nothing else decides what may be repeated. */
export const rules: readonly Rule[] = [
  rule('2xx, well formed', isWellFormed, ['ok', 'no']),
  rule(
    'refused, lost or timed out while connecting, or EAI_AGAIN',
    result => !result.isStarted && isPassing(result),
    ['unreachable', 'automatic']
  ),
  rule('interrupted before it started', unstarted('aborted'), ['interrupted', 'allowed']),
  rule('this machine cannot send it', unstarted('unsendable'), ['local', 'no']),
  rule('no connection for another reason', ({ isStarted }) => !isStarted, ['unreachable', 'no']),
  rule('started, then interrupted', fault('aborted'), ['interrupted', 'allowed'], 'useless'),
  rule('401 or 403', statuses(401, 403), ['auth', 'no']),
  rule('404 or 410', statuses(404, 410), ['not-found', 'no']),
  rule('429, or 503 with Retry-After', isRefusedForNow, ['service', 'automatic']),
  rule('another 4xx', ofClass(4), ['rejected', 'no']),
  rule('3xx or 501', result => ofClass(3)(result) || result.status === 501, ['service', 'no']),
  rule('502, 503 or 504', statuses(502, 503, 504), ['service', 'automatic'], 'useful'),
  rule('another 5xx', ofClass(5), ['service', 'allowed'], 'useful'),
  rule('started, then lost', fault('lost'), ['unreachable', 'automatic'], 'useful'),
  rule('started, then timed out', fault('timeout'), ['unreachable', 'allowed'], 'useful'),
  rule('started, then TLS failed', fault('tls'), ['unreachable', 'no'], 'useful'),
  rule('a reply that is not HTTP', fault('not-http'), ['service', 'no'], 'useful'),
  rule('any other reply', () => true, ['service', 'no'], 'useless')
]

function rule(
  situation: string,
  matches: Rule['matches'],
  [code, repetition]: [code: Verdict['code'], repetition: Repetition],
  afterDoubt?: Rule['afterDoubt']
): Rule {
  return { situation, matches, code, repetition, afterDoubt }
}

/** What a result means. */
export function verdictOn(result: AttemptResult, circumstances: Circumstances): Verdict {
  const { isChange, hasKey, isInDoubt } = circumstances
  // The last rule matches everything.
  const { code, repetition, afterDoubt } = rules.find(({ matches }) => matches(result)) as Rule
  if (!isChange) return { code, repetition }
  if (afterDoubt !== undefined)
    return { code: 'in-doubt', repetition: hasKey && afterDoubt === 'useful' ? 'automatic' : 'no' }
  const { status = 0 } = result
  // A 400 or 422 is about the contents, so no attempt with them was carried out.
  if (!isInDoubt || code === 'ok' || status === 400 || status === 422) return { code, repetition }
  // 409: the first attempt is still in progress.
  const isRepeated = repetition === 'automatic' || status === 409
  return { code: 'in-doubt', repetition: isRepeated ? 'automatic' : 'no' }
}

/** The methods that HTTP calls safe change nothing. */
export function isChangingMethod(method: string): boolean {
  return !['GET', 'HEAD', 'OPTIONS'].includes(method.toUpperCase())
}

/** The caller judges the body, because that requires the contract. */
export function attemptResultOf(end: Reply | TransportFault, isBodyWrong = false): AttemptResult {
  if (end instanceof TransportFault) return { isStarted: end.isStarted, problem: end.kind }
  const problem = isBodyWrong ? 'body' : undefined
  return { isStarted: true, status: end.status, waitSeconds: retryAfter(end), problem }
}

function isWellFormed({ isStarted, problem, status = 0 }: AttemptResult): boolean {
  return isStarted && problem === undefined && isSuccess({ status })
}

function isPassing({ problem = 'aborted' }: AttemptResult): boolean {
  return ['refused', 'lost', 'timeout', 'dns-temporary'].includes(problem)
}

function isRefusedForNow({ status, waitSeconds }: AttemptResult): boolean {
  return status === 429 || (status === 503 && waitSeconds !== undefined)
}

function unstarted(kind: FaultKind): Rule['matches'] {
  return ({ isStarted, problem }) => !isStarted && problem === kind
}

function fault(kind: FaultKind): Rule['matches'] {
  return ({ problem }) => problem === kind
}

function statuses(...expected: AttemptResult['status'][]): Rule['matches'] {
  return ({ status }) => expected.includes(status)
}

function ofClass(digit: number): Rule['matches'] {
  return ({ status = 0 }) => Math.floor(status / 100) === digit
}

/** The longest `Retry-After` that is obeyed, in seconds. */
export const longestWait = 60

/** The date that servers send (RFC 9110, 5.6.7). */
const httpDate = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/

/**
 * How many seconds a reply asks to wait: 0 if its `Retry-After` is a date that has passed,
 * undefined if it has no valid one.
 */
export function retryAfter({ headers }: Pick<Reply, 'headers'>): number | undefined {
  const [text = ''] = [headers['retry-after']].flat()
  if (/^\d{1,9}$/.test(text)) return Number(text)
  // This machine's clock may be wrong: the service counts from the time of its reply.
  const start = dateIn(headers.date) || Date.now()
  const end = dateIn(text)
  return Number.isNaN(end) ? undefined : Math.max(0, (end - start) / 1000)
}

function dateIn(header: string | string[] | undefined): number {
  const [text = ''] = [header].flat()
  return httpDate.test(text) ? Date.parse(text) : Number.NaN
}
