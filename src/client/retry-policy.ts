import type { FailureCode } from '../failure.ts'
import type { Reply } from '../model/exchange.ts'
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
  readonly hasKey?: boolean
  /** An attempt with the same key, of this run or an earlier one, may have been carried out. */
  readonly isInDoubt?: boolean
}

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

/** Whether a change may have been made, and repeating it with its key may settle that. */
type Doubt = 'useful' | 'useless'

type Outcome = readonly [code: Verdict['code'], repetition: Repetition, doubt?: Doubt]

/**
 * By a fault, before or after the request started, or by a status or its class. A proxy may send a
 * 408, a 5xx or a redirect to the result after the service has done the work, whatever its headers
 * say.
 */
export const outcomes: Readonly<Record<string, Outcome>> = {
  '2xx': ['ok', 'no'],
  '3xx': ['service', 'no', 'useless'],
  '4xx': ['rejected', 'no'],
  '5xx': ['service', 'allowed', 'useful'],
  304: ['service', 'no'],
  307: ['service', 'no'],
  308: ['service', 'no'],
  401: ['auth', 'no'],
  403: ['auth', 'no'],
  404: ['not-found', 'no'],
  408: ['rejected', 'no', 'useful'],
  410: ['not-found', 'no'],
  429: ['service', 'automatic'],
  501: ['service', 'no'],
  502: ['service', 'automatic', 'useful'],
  503: ['service', 'automatic', 'useful'],
  504: ['service', 'automatic', 'useful'],
  'connecting: refused': ['unreachable', 'automatic'],
  'connecting: lost': ['unreachable', 'automatic'],
  'connecting: timeout': ['unreachable', 'automatic'],
  'connecting: dns-temporary': ['unreachable', 'automatic'],
  'connecting: unsendable': ['local', 'no'],
  'connecting: aborted': ['interrupted', 'allowed'],
  connecting: ['unreachable', 'no'],
  'started: lost': ['unreachable', 'automatic', 'useful'],
  'started: timeout': ['unreachable', 'allowed', 'useful'],
  'started: tls': ['unreachable', 'no', 'useful'],
  'started: not-http': ['service', 'no', 'useful'],
  'started: aborted': ['interrupted', 'allowed', 'useless'],
  started: ['service', 'no', 'useless']
}

function outcomeOf(result: AttemptResult) {
  const row = rowsFor(result).find(name => name in outcomes)
  return outcomes[row ?? 'started'] as Outcome
}

/** The rows that a result may have, the closest first. */
function rowsFor({ isStarted, problem, status = 0 }: AttemptResult) {
  const phase = isStarted ? 'started' : 'connecting'
  if (problem !== undefined) return [`${phase}: ${problem}`, phase]
  return [String(status), `${Math.floor(status / 100)}xx`]
}

/** What a result means. */
export function verdictOn(result: AttemptResult, circumstances: Circumstances): Verdict {
  const { isChange, hasKey, isInDoubt } = circumstances
  const [code, repetition, doubt] = outcomeOf(result)
  if (!isChange) return { code, repetition }
  if (doubt !== undefined)
    return { code: 'in-doubt', repetition: hasKey && doubt === 'useful' ? 'automatic' : 'no' }
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
  if (end instanceof TransportFault) return { isStarted: end.details.isStarted, problem: end.kind }
  const problem = isBodyWrong ? 'body' : undefined
  return { isStarted: true, status: end.status, waitSeconds: retryAfter(end), problem }
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
  return httpDate.test(text) ? Math.max(0, (Date.parse(text) - Date.now()) / 1000) : undefined
}
