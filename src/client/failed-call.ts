import { Failure } from '../failure.ts'
import { isSuccess, type Reply } from '../model/exchange.ts'
import { duration } from '../model/quantities.ts'
import type { ServiceErrorText } from './error-body.ts'
import { type FailedCall, isUrlSuspect, nextCommand } from './next-command.ts'
import { type SentCall, withoutQuery } from './operations.ts'
import {
  type AttemptResult,
  attemptResultOf,
  type BodyProblem,
  intentOf,
  ruleFor,
} from './retry-policy.ts'
import { faultSentence, TransportFault } from './transport-fault.ts'

/** The error for a fault of the network. */
export function faultFailure(fault: TransportFault, call: SentCall, now: Date): Failure {
  const { kind, head } = fault
  if (kind === 'aborted') return interruption(fault, call)

  const isRefusal = head !== undefined && !isSuccess(head)
  const sentence = isRefusal
    ? statusSentence(head.status, call)
    : faultSentence(fault, call.endpoint.url)
  return failureOf(fault, sentence, { call, now })
}

/** The error for a reply with a status other than a success. */
export function statusFailure(
  reply: Reply,
  serviceError: ServiceErrorText | undefined,
  call: SentCall,
  now: Date,
): Failure {
  const sentence = statusSentence(reply.status, call, redirectTarget(reply, call))
  // Some services only repeat the text that this program shows anyway.
  const isNew = serviceError !== undefined && !sentence.includes(serviceError.message)
  const message = isNew ? `${sentence}: ${serviceError.message}` : sentence
  return failureOf(reply, message, { call, now, serviceCode: serviceError?.code })
}

const longestTarget = 200

/** Without the query and parameters of the path, which may hold a secret. */
function redirectTarget({ headers }: Reply, { path, endpoint }: SentCall): string | undefined {
  const [location] = [headers.location].flat()
  const current = `${endpoint.url}${withoutQuery(path)}`
  if (location === undefined || !URL.canParse(location, current)) return undefined
  const { protocol, origin, pathname } = new URL(location, current)
  const target = `${origin}${pathname.replace(/;.*$/, '')}`
  const isShown = /^https?:$/.test(protocol) && target !== current && target.length <= longestTarget
  return isShown ? `to ${target}` : undefined
}

/** The problem with the body of a successful reply. */
export interface BadBody {
  readonly kind: BodyProblem
  readonly problem: string
}

/** The error for a success whose body breaks the contract. */
export function bodyFailure(
  reply: Reply,
  { kind, problem }: BadBody,
  call: SentCall,
  now: Date,
): Failure {
  const place = placeOf(call)
  const sentence = call.change
    ? `${problem} (${place}, ${reply.status})`
    : `unexpected reply from ${place}: ${problem} (${reply.status})`
  return failureOf(reply, sentence, { call, now, bodyProblem: kind })
}

interface CallEnding {
  readonly call: SentCall
  readonly now: Date
  readonly bodyProblem?: BodyProblem
  readonly serviceCode?: string | undefined
}

function failureOf(
  end: Reply | TransportFault,
  sentence: string,
  { call, now, bodyProblem, serviceCode }: CallEnding,
): Failure {
  const fault = end instanceof TransportFault ? end : undefined
  const result = attemptResultOf(end, now, bodyProblem)
  const [code, repetition] = ruleFor(result)[intentOf(call.method)]
  if (code === 'ok') throw new TypeError('a success is not a failure')
  const { status, waitSeconds, problem } = result
  const failed: FailedCall = { ...call, code, fault, status, waitSeconds }
  return new Failure(code, withConsequence(sentence, failed, problem), {
    status,
    serviceCode,
    stage: fault === undefined ? 'reply' : fault.stage,
    cause: fault,
    hint: nextCommand(failed),
    isRetryable: repetition !== 'no',
    waitSeconds,
  })
}

/** Adds to the message: the state of the change, the wait, the source of the URL. */
function withConsequence(
  sentence: string,
  failed: FailedCall,
  problem: AttemptResult['problem'],
): string {
  const { change, code, fault, waitSeconds } = failed
  if (code === 'in-doubt' && change !== undefined) {
    const finding = findLimit(failed)
    if (wasMade(fault, problem))
      return `${change.done}, but the reply cannot be read: ${sentence}${finding}`
    if (problem === 'foreign')
      return `${change.doubt}: the reply is not the service's: ${sentence}${finding}`
    return `${sentence}; ${change.doubt}${finding}`
  }
  if (code === 'service' && waitSeconds)
    return `${sentence}; the service asked for a wait of ${duration(waitSeconds)}`
  return isUrlSuspect(failed) ? `${sentence}${urlRemark(failed)}` : sentence
}

/** What is unusual about a URL that is likely wrong. */
function urlRemark({ service, endpoint, code }: FailedCall): string {
  const { url, urlVariable } = endpoint
  const source = urlVariable === undefined ? '' : `; the URL is from ${urlVariable}`
  const isUnusual = code === 'not-found' && service === 'pets' && !url.endsWith('/v1')
  return isUnusual ? `${source}; the path of a base URL usually ends in /v1` : source
}

/** The limit of the hint that finds a change. */
const findLimit = ({ find }: SentCall) => (find === undefined ? '' : `; ${find.limit}`)

/**
 * Whether the change was certainly made. Only a reply in JSON can be the service's: a portal also
 * answers with 200.
 */
function wasMade(fault: TransportFault | undefined, problem: AttemptResult['problem']): boolean {
  if (problem === 'misshapen') return true
  const head = fault?.head
  if (head === undefined || !isSuccess(head)) return false
  const type = String(head.headers['content-type'] ?? '')
  return /\bjson\b/i.test(type)
}

function interruption({ cause, isStarted }: TransportFault, call: SentCall): Failure {
  const ending =
    cause instanceof Failure ? cause : new Failure('interrupted', 'interrupted', { cause })
  if (call.change === undefined || !isStarted) return ending
  return new Failure('interrupted', `${ending.message}; ${call.change.doubt}${findLimit(call)}`, {
    exitCode: ending.exitCode,
    hint: nextCommand({ ...call, code: 'in-doubt' }),
    cause,
  })
}

/**
 * The message for a status other than a success. `target` is where a redirect leads: `to
 * https://…`.
 */
export function statusSentence(status: number, call: SentCall, target = 'elsewhere'): string {
  const place = placeOf(call)
  switch (status) {
    case 401:
    case 403:
      return `${call.endpoint.describeKey} was refused by ${place} (${status})`
    case 404:
    case 410:
      return absenceSentence(status, call)
    case 429:
      return `${place} accepts no more requests right now (429)`
    case 501:
      return `${place} does not support this request (501)`
    case 503:
      return `${place} is overloaded or down (503)`
    default:
      return classSentence(status, call, target)
  }
}

function absenceSentence(status: number, { absence: what, endpoint, isAboutOneThing }: SentCall) {
  const absence = `${what} at ${endpoint.placeName ?? endpoint.url}`
  return isAboutOneThing ? absence : `${absence} (${status})`
}

/** For a status without a sentence of its own. */
function classSentence(status: number, call: SentCall, target: string): string {
  const place = placeOf(call)
  const isAmong = (from: number, to: number) => status >= from && status <= to
  if (isAmong(300, 399) && status !== 304)
    return `${place} redirects ${target}; redirects are not followed (${status})`
  if (isAmong(400, 499)) return `the service refused to ${call.task} at ${place} (${status})`
  if (isAmong(500, 599)) return `the service failed at ${place} (${status})`
  return `${place} replied with an unexpected status (${status})`
}

/** The URL of a request, without the query, which does not matter here. */
function placeOf({ path, endpoint }: SentCall): string {
  return endpoint.placeName ?? `${endpoint.url}${withoutQuery(path)}`
}
