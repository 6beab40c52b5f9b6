import { asFailure, Failure } from '../failure.ts'
import { hasUsualPath, setCommand } from '../model/endpoint.ts'
import type { Reply } from '../model/exchange.ts'
import { parseIfJson } from '../text/json.ts'
import { duration } from '../text/quantities.ts'
import type { Redact } from '../text/visible.ts'
import { isUrlSuspect, nextCommand, type SentCall } from './next-command.ts'
import { withoutQuery } from './operations.ts'
import type { Outcome } from './retry-policy.ts'
import { faultSentence, filled, TransportFault } from './transport-fault.ts'

/** The error for a fault of the network, a refusal, or a success with a wrong body. */
export function callFailure(outcome: Outcome, sent: SentCall): Failure {
  const { code, end, status, waitSeconds, isRetryable } = outcome
  if (code === 'ok') throw new TypeError('a success is not a failure')
  const fault = end instanceof TransportFault ? end : undefined
  const hint = nextCommand(outcome, sent)
  if (fault?.kind === 'aborted') {
    const ending = asFailure(fault.cause)
    if (code !== 'in-doubt') return ending
    const { message, exitCode } = ending
    return new Failure('interrupted', `${message}${doubt}`, { exitCode, hint, cause: ending })
  }
  const { sentence, serviceCode } = whatHappened(outcome, sent)
  return new Failure(code, `${sentence}${consequence(outcome, sent)}`, {
    status,
    serviceCode,
    stage: fault === undefined ? 'reply' : fault.facts.stage,
    cause: fault,
    hint,
    isRetryable: isRetryable || (code === 'in-doubt' && sent.givenKey !== undefined),
    waitSeconds
  })
}

function whatHappened({ end, problem }: Outcome, sent: SentCall) {
  const { call, endpoint, redact } = sent
  if (end instanceof TransportFault) return { sentence: faultSentence(end, endpoint.url) }
  // The query does not matter here.
  const place = endpoint.placeName ?? `${endpoint.url}${withoutQuery(call.path)}`
  if (problem !== undefined)
    return { sentence: `unexpected reply from ${place}: ${problem} (${end.status})` }
  const { message = '', code: serviceCode } = serviceErrorOf(end, redact)
  const sentence = statusSentence(end, sent, place)
  // Nothing is said twice.
  return {
    sentence: sentence.includes(message) ? sentence : `${sentence}: ${message}`,
    serviceCode
  }
}

const longestText = 1000

/** The Error in the body of a refusal. */
export function serviceErrorOf({ body }: Reply, redact: Redact) {
  const fields = new Map(Object.entries(Object(parseIfJson(body))))
  const textOf = (name: string) => {
    const text = fields.get(name)
    // Masked first: a key that is cut off would no longer be found.
    return typeof text === 'string' ? redact(text).slice(0, longestText) : undefined
  }
  return { message: textOf('message'), code: textOf('code') }
}

/** What follows from it: the state of the change, the wait, the source of the URL. */
function consequence(outcome: Outcome, sent: SentCall) {
  const { code, waitSeconds = 0 } = outcome
  const { service, url, urlVariable } = sent.endpoint
  if (code === 'in-doubt') return `${doubt}${wayOut(sent)}`
  if (code === 'service' && waitSeconds > 0)
    return `; the service asked for a wait of ${duration(waitSeconds)}`
  const isUnusual = service === 'pets' && !hasUsualPath(url)
  const advice = isUnusual ? '; the path of a base URL usually ends in /v1' : ''
  // Some services check the key first.
  if (code === 'auth') return advice
  if (!isUrlSuspect(outcome, sent)) return ''
  const source = urlVariable === undefined ? '' : `; the URL is from ${urlVariable}`
  return code === 'service' ? source : `${source}${advice}`
}

const doubt = '; the request may have been carried out'

/** With a key, a repetition settles it. Otherwise this names the setting that lets the program do so. */
function wayOut({ call, endpoint, givenKey }: SentCall) {
  if (givenKey !== undefined) return '; the same command, with the same key, is safe to run again'
  if (call.accepts === undefined || endpoint.isIdempotent) return ''
  const setting = setCommand(endpoint.environment, { '--idempotent': true })
  return `; if the service honors Idempotency-Key, '${setting}' makes repeating safe`
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

function statusSentence(
  { status, headers }: Reply,
  { call: { task, thing }, endpoint, redact }: SentCall,
  place: string
) {
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
