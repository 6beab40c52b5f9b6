import type { FailureCode } from '../failure.ts'
import { isSuccess, type Reply } from '../model/exchange.ts'
import { type FaultKind, TransportFault } from './transport-fault.ts'

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

const passingFaults: readonly AttemptResult['problem'][] = ['refused', 'timeout', 'dns-temporary']

/**
 * What a result means. Nothing else in the program decides what may be repeated: what has reached
 * the service only if it changes nothing there, or if the service says that it was refused.
 */
export function verdictOn(result: AttemptResult, intent: Intent): Verdict {
  const { isStarted, problem, status, waitSeconds } = result
  const doubt: Verdict = ['in-doubt', 'no']
  const ifRead = (verdict: Verdict): Verdict => (intent === 'read' ? verdict : doubt)
  if (problem === 'aborted')
    return ['interrupted', isStarted && intent === 'change' ? 'no' : 'allowed']
  if (!isStarted) {
    if (problem === 'unsendable') return ['local', 'no']
    return ['unreachable', passingFaults.includes(problem) ? 'automatic' : 'no']
  }
  if (status === undefined)
    return ifRead(['unreachable', problem === 'lost' ? 'automatic' : 'allowed'])
  if (status === 401 || status === 403) return ['auth', 'no']
  if (status === 404 || status === 410) return ['not-found', 'no']
  if (status === 429 || (status === 503 && waitSeconds !== undefined))
    return ['service', 'automatic']
  if (status >= 400 && status < 500) return ['rejected', 'no']
  if (status === 501 || (status >= 300 && status < 400 && status !== 304)) return ['service', 'no']
  if (status >= 500)
    return ifRead(['service', status > 501 && status < 505 ? 'automatic' : 'allowed'])
  if (!isSuccess({ status }) || problem !== undefined) return ifRead(['service', 'no'])
  return ['ok', 'no']
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
  const isFault = end instanceof TransportFault
  const head = isFault ? end.head : end
  return {
    isStarted: !isFault || end.isStarted,
    problem: isFault ? end.kind : bodyProblem,
    status: head?.status,
    waitSeconds: head && retryAfter(head)
  }
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
