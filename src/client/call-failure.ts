import { asFailure, Failure } from '../failure.ts'
import type { Reply } from '../model/exchange.ts'
import { duration } from '../text/quantities.ts'
import { serviceErrorOf } from './error-body.ts'
import { type FailedCall, isUrlSuspect, nextCommand } from './next-command.ts'
import { type SentCall, withoutQuery } from './operations.ts'
import { attemptResultOf, type Circumstances, verdictOn } from './retry-policy.ts'
import { faultSentence, filled, TransportFault } from './transport-fault.ts'

/** The error for a fault of the network, a refusal, or a success with a wrong body. */
export function callFailure(
  end: Reply | TransportFault,
  call: SentCall,
  circumstances: Circumstances,
  bodyProblem?: string
): Failure {
  const result = attemptResultOf(end, bodyProblem !== undefined)
  const { code, repetition } = verdictOn(result, circumstances)
  if (code === 'ok') throw new TypeError('a success is not a failure')
  const fault = end instanceof TransportFault ? end : undefined
  const failed = { ...call, ...result, code, fault }
  if (fault?.kind === 'aborted') return interruption(fault, failed)

  const { status, waitSeconds } = result
  const { sentence, serviceCode } = whatHappened(end, call, bodyProblem)
  return new Failure(code, `${sentence}${consequence(failed)}`, {
    status,
    serviceCode,
    stage: fault === undefined ? 'reply' : fault.facts.stage,
    cause: fault,
    hint: nextCommand(failed),
    isRetryable: repetition !== 'no',
    waitSeconds
  })
}

function whatHappened(end: Reply | TransportFault, call: SentCall, bodyProblem?: string) {
  const { endpoint, path, redact } = call
  if (end instanceof TransportFault) return { sentence: faultSentence(end, endpoint.url) }
  // The query does not matter here.
  const place = endpoint.placeName ?? `${endpoint.url}${withoutQuery(path)}`
  if (bodyProblem !== undefined)
    return { sentence: `unexpected reply from ${place}: ${bodyProblem} (${end.status})` }
  const { message, code: serviceCode } = serviceErrorOf(end, redact)
  const sentence = statusSentence(end, call, place)
  // Nothing is said twice.
  const isTold = message === undefined || sentence.includes(message)
  return { sentence: isTold ? sentence : `${sentence}: ${message}`, serviceCode }
}

/** What follows from it: the state of the change, the wait, the source of the URL. */
function consequence(failed: FailedCall) {
  const { code, waitSeconds = 0, endpoint } = failed
  if (code === 'in-doubt') return doubtIn(failed)
  if (code === 'service' && waitSeconds > 0)
    return `; the service asked for a wait of ${duration(waitSeconds)}`
  if (!isUrlSuspect(failed)) return ''
  const { url, urlVariable } = endpoint
  const source = urlVariable === undefined ? '' : `; the URL is from ${urlVariable}`
  const isUnusual = failed.service === 'pets' && !url.endsWith('/v1')
  if (code === 'service' || !isUnusual) return source
  return `${source}; the path of a base URL usually ends in /v1`
}

const doubt = '; the request may have been carried out'

/** It names the setting with which the program could have settled it. */
function doubtIn({ isCustom, endpoint }: FailedCall) {
  if (isCustom || endpoint.isIdempotent) return doubt
  const setting = `petstore env set ${endpoint.environment} --idempotent`
  return `${doubt}; if the service honors Idempotency-Key, '${setting}' makes repeating safe`
}

function interruption({ cause }: TransportFault, failed: FailedCall) {
  const ending = asFailure(cause)
  if (failed.code !== 'in-doubt') return ending
  return new Failure('interrupted', `${ending.message}${doubt}`, {
    exitCode: ending.exitCode,
    hint: nextCommand(failed),
    cause
  })
}

/** The messages for a status or its class, with the words of `statusSentence` in braces. */
const statusSentences: Readonly<Record<string, string>> = {
  401: '{key} was refused by {place}',
  403: '{key} was refused by {place}',
  404: 'there is no {thing} at {service}',
  410: 'there is no {thing} at {service}',
  429: '{place} accepts no more requests right now',
  501: '{place} does not support this request',
  503: '{place} is overloaded or down',
  '3xx': '{place} redirects to {target}; redirects are not followed',
  '4xx': 'the service refused to {task} at {place}',
  '5xx': 'the service failed at {place}'
}

function statusSentence({ status, headers }: Reply, call: SentCall, place: string) {
  const { endpoint, task, thing, redact } = call
  const ofClass = statusSentences[`${String(status).at(0)}xx`]
  const sentence = statusSentences[status] ?? ofClass ?? '{place} replied with an unexpected status'
  const [location = 'another place'] = [headers.location].flat()
  const message = filled(sentence, {
    place,
    service: endpoint.placeName ?? endpoint.url,
    key: endpoint.describeKey,
    thing: thing ?? `way to ${task}`,
    task,
    // Its query may hold a secret.
    target: redact(location.replace(/[?#;].*/s, ''))
  })
  const isThingAbsent = thing !== undefined && (status === 404 || status === 410)
  return isThingAbsent ? message : `${message} (${status})`
}
