import { asFailure, Failure } from '../failure.ts'
import { isSuccess, type Reply } from '../model/exchange.ts'
import { duration } from '../model/quantities.ts'
import { serviceErrorOf } from './error-body.ts'
import { type FailedCall, isUrlSuspect, nextCommand } from './next-command.ts'
import { type SentCall, withoutQuery } from './operations.ts'
import { attemptResultOf, type BodyProblem, type Circumstances, verdictOn } from './retry-policy.ts'
import { faultSentence, filled, type ReplyHead, TransportFault } from './transport-fault.ts'

/** What is wrong with the body of a successful reply: its kind, and as a sentence. */
export interface BadBody {
  readonly kind: BodyProblem
  readonly sentence: string
}

/** The error for a fault of the network, a refusal, or a success whose body breaks the contract. */
export function callFailure(
  end: Reply | TransportFault,
  call: SentCall,
  circumstances: Circumstances,
  badBody?: BadBody
): Failure {
  const fault = end instanceof TransportFault ? end : undefined
  const result = attemptResultOf(end, badBody?.kind)
  const { code, repetition } = verdictOn(result, circumstances)
  if (fault?.kind === 'aborted') return interruption(fault, call, code === 'in-doubt')
  if (code === 'ok') throw new TypeError('a success is not a failure')

  const failed = { ...call, ...result, code, fault }
  const { message, serviceCode } = badBody
    ? { message: bodySentence(failed, badBody), serviceCode: undefined }
    : sentenceOf(end, call)
  const { status, waitSeconds } = result
  return new Failure(code, withConsequence(message, failed), {
    status,
    serviceCode,
    stage: fault === undefined ? 'reply' : fault.facts.stage,
    cause: fault,
    hint: nextCommand(failed),
    isRetryable: repetition !== 'no',
    waitSeconds
  })
}

function bodySentence(failed: FailedCall, { sentence }: BadBody): string {
  const { change, status } = failed
  const place = placeOf(failed)
  return change
    ? `${sentence} (${place}, ${status})`
    : `unexpected reply from ${place}: ${sentence} (${status})`
}

function sentenceOf(end: Reply | TransportFault, call: SentCall) {
  if (!(end instanceof TransportFault)) {
    const sentence = statusSentence(end, call)
    const { message: reason, code: serviceCode } = serviceErrorOf(end, call.redact) ?? {}
    // Some services only repeat the text that this program shows anyway.
    const isNew = reason !== undefined && !sentence.includes(reason)
    return { message: isNew ? `${sentence}: ${reason}` : sentence, serviceCode }
  }
  const { head } = end
  const isRefusal = head !== undefined && !isSuccess(head)
  return {
    message: isRefusal ? statusSentence(head, call) : faultSentence(end, call.endpoint.url)
  }
}

const longestTarget = 200

/** Without the query and parameters of the path, which may hold a secret. */
function redirectTarget({ headers }: ReplyHead, { path, endpoint }: SentCall): string {
  const [location] = [headers.location].flat()
  const current = `${endpoint.url}${withoutQuery(path)}`
  if (location === undefined || !URL.canParse(location, current)) return 'elsewhere'
  const { protocol, origin, pathname } = new URL(location, current)
  const target = `${origin}${pathname.replace(/;.*/, '')}`
  const isShown = /^https?:/.test(protocol) && target !== current && target.length <= longestTarget
  return isShown ? `to ${target}` : 'elsewhere'
}

/** Adds to the message: the state of the change, the wait, the source of the URL. */
function withConsequence(sentence: string, failed: FailedCall): string {
  const { change, code, problem, waitSeconds } = failed
  if (code === 'in-doubt' && change !== undefined) {
    const { done, doubt, caveat = '' } = change
    if (wasMade(failed)) return `${done}, but the reply cannot be read: ${sentence}${caveat}`
    if (problem === 'foreign')
      return `${doubt}: the reply is not the service's: ${sentence}${caveat}`
    return `${sentence}; ${doubt}${caveat}`
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

/**
 * Whether the change was certainly made. Only a reply in JSON can be the service's: a portal also
 * answers with 200.
 */
function wasMade({ problem, fault }: FailedCall): boolean {
  if (problem === 'misshapen') return true
  const head = fault?.head
  if (head === undefined || !isSuccess(head)) return false
  return /\bjson\b/i.test(String(head.headers['content-type']))
}

function interruption({ cause }: TransportFault, call: SentCall, isInDoubt: boolean): Failure {
  const ending = asFailure(cause)
  if (call.change === undefined || !isInDoubt) return ending
  const { doubt, caveat = '' } = call.change
  return new Failure('interrupted', `${ending.message}; ${doubt}${caveat}`, {
    exitCode: ending.exitCode,
    hint: nextCommand({ ...call, code: 'in-doubt' }),
    cause
  })
}

/** The messages for a status or its class, with the words of `statusSentence` in braces. */
const statusSentences: Readonly<Record<string, string>> = {
  304: '{place} replied with an unexpected status',
  401: '{key} was refused by {place}',
  403: '{key} was refused by {place}',
  404: 'there is no {thing} at {service}',
  410: 'there is no {thing} at {service}',
  429: '{place} accepts no more requests right now',
  501: '{place} does not support this request',
  503: '{place} is overloaded or down',
  '3xx': '{place} redirects {target}; redirects are not followed',
  '4xx': 'the service refused to {task} at {place}',
  '5xx': 'the service failed at {place}'
}

function statusSentence(head: ReplyHead, call: SentCall): string {
  const { status } = head
  const { endpoint, task, thing } = call
  const ofClass = statusSentences[`${String(status).at(0)}xx`]
  const sentence = statusSentences[status] ?? ofClass ?? '{place} replied with an unexpected status'
  const message = filled(sentence, {
    place: placeOf(call),
    service: endpoint.placeName ?? endpoint.url,
    key: endpoint.describeKey,
    thing: thing ?? `way to ${task}`,
    task,
    target: redirectTarget(head, call)
  })
  const isThingAbsent = thing !== undefined && (status === 404 || status === 410)
  return isThingAbsent ? message : `${message} (${status})`
}

/** The URL of a request, without the query, which does not matter here. */
function placeOf({ path, endpoint }: SentCall): string {
  return endpoint.placeName ?? `${endpoint.url}${withoutQuery(path)}`
}
