import { asFailure, Failure } from '../failure.ts'
import { hasUsualPath, loginCommand, type RequestEndpoint, setCommand } from '../model/endpoint.ts'
import type { Reply } from '../model/exchange.ts'
import { parseIfJson } from '../text/json.ts'
import { duration } from '../text/quantities.ts'
import { commandLine } from '../text/shell.ts'
import type { Redact } from '../text/visible.ts'
import { type Call, withoutQuery } from './operations.ts'
import type { Outcome } from './retry-policy.ts'
import { faultSentence, filled, TransportFault } from './transport-fault.ts'

/** A call, and where it went. */
interface SentCall {
  readonly call: Call
  readonly endpoint: RequestEndpoint
  readonly redact: Redact
  /** An idempotency key that the user chose. */
  readonly givenKey?: string | undefined
}

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
  const { message, code }: Readonly<Record<string, unknown>> = Object(parseIfJson(body))
  // Masked first: a key that is cut off would no longer be found.
  const shown = (text: unknown) =>
    typeof text === 'string' ? redact(text).slice(0, longestText) : undefined
  return { message: shown(message), code: shown(code) }
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
  return `${source}${advice}`
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

/** The command to run after this failure, if another one than before: the first reason decides. */
function nextCommand(outcome: Outcome, sent: SentCall) {
  const { code, end } = outcome
  const { call, endpoint, redact } = sent
  const { login, keyVariable, environment } = endpoint
  const options = { '--env': environment }
  const finder = call.find && commandLine(call.find(redact), { options })
  if (code === 'in-doubt') return finder
  if (code === 'auth') {
    const isSaved = keyVariable === undefined
    return login ?? (isSaved ? loginCommand(environment) : 'petstore help environment')
  }
  const isWrongUrl = isUrlSuspect(outcome, sent)
  if (login !== undefined && isWrongUrl) return 'petstore auth login --help'
  if (code === 'rejected') return `${call.command} --help`
  if (isWrongUrl) return 'petstore env list'
  if (code === 'not-found') return finder
  return end instanceof TransportFault ? end.facts.hint : undefined
}

/** Whether the likeliest cause is a wrong URL: nothing answers there, or something else does. */
function isUrlSuspect({ code, end, status = 0 }: Outcome, { call, endpoint }: SentCall) {
  if (end instanceof TransportFault)
    return end.facts.isUrlSuspect === true && end.details.proxy === undefined
  if (code === 'not-found') return call.thing === undefined
  // A login asks for the first pet, which no service refuses.
  if (code === 'rejected') return endpoint.login !== undefined
  return code === 'service' && (status < 400 || status > 599 || status === 501)
}
