import { Failure } from '../failure.ts'
import type { RequestEndpoint } from '../model/endpoint.ts'
import { isSuccess, type Reply } from '../model/exchange.ts'
import { duration } from '../model/quantities.ts'
import type { Host } from '../platform/host.ts'
import { isLoopback } from '../platform/name-lookup.ts'
import { hintWord } from '../platform/shell.ts'
import type { ServiceErrorText } from './error-body.ts'
import type { Call } from './operations.ts'
import {
  type BodyResult,
  intentOf,
  longestWait,
  resultOf,
  type Verdict,
  verdictOn,
} from './retry-policy.ts'
import {
  type FaultKind,
  faultSentence,
  faultTable,
  ProxyError,
  TransportFault,
} from './transport-fault.ts'

/** A call, where it goes, and this machine: what an error needs to know besides its end. */
export interface CallContext {
  readonly call: Call
  readonly endpoint: RequestEndpoint
  readonly host: Pick<Host, 'now'>
}

/** The error for a fault of the network. */
export function faultFailure(fault: TransportFault, context: CallContext): Failure {
  const { call, endpoint } = context
  const { kind, head } = fault
  if (kind === 'aborted') return interruption(fault, context)

  const isRefusal = head !== undefined && !isSuccess(head)
  const sentence = isRefusal
    ? statusSentence(head.status, call, endpoint)
    : faultSentence(fault, endpoint.url)
  return failureOf(fault, sentence, context)
}

/** The error for a reply with a status other than a success. */
export function statusFailure(
  reply: Reply,
  serviceError: ServiceErrorText | undefined,
  context: CallContext,
): Failure {
  const { call, endpoint } = context
  const sentence = statusSentence(reply.status, call, endpoint, redirectTarget(reply, context))
  // Some services only repeat the text that this program shows anyway.
  const isNew = serviceError !== undefined && !sentence.includes(serviceError.message)
  const message = isNew ? `${sentence}: ${serviceError.message}` : sentence
  return failureOf(reply, message, context, { serviceCode: serviceError?.code })
}

const longestTarget = 200

/** Without the query and parameters of the path, which may hold a secret. */
function redirectTarget({ headers }: Reply, { call, endpoint }: CallContext): string | undefined {
  const [location] = [headers.location].flat()
  const current = `${endpoint.url}${withoutQuery(call.path)}`
  if (location === undefined || !URL.canParse(location, current)) return undefined
  const { protocol, origin, pathname } = new URL(location, current)
  const target = `${origin}${pathname.replace(/;.*$/, '')}`
  const isShown = /^https?:$/.test(protocol) && target !== current && target.length <= longestTarget
  return isShown ? `to ${target}` : undefined
}

/** The problem with the body of a successful reply. */
export interface BodyProblem {
  readonly kind: Exclude<BodyResult, 'good'>
  readonly problem: string
}

/** The error for a success whose body breaks the contract. */
export function bodyFailure(
  reply: Reply,
  { kind, problem }: BodyProblem,
  context: CallContext,
): Failure {
  const { call, endpoint } = context
  const place = placeOf(call, endpoint)
  const sentence = call.change
    ? `${problem} (${place}, ${reply.status})`
    : `unexpected reply from ${place}: ${problem} (${reply.status})`
  return failureOf(reply, sentence, context, { bodyResult: kind })
}

function failureOf(
  end: Reply | TransportFault,
  sentence: string,
  { call, endpoint, host }: CallContext,
  { bodyResult, serviceCode }: { bodyResult?: BodyResult; serviceCode?: string | undefined } = {},
): Failure {
  const fault = end instanceof TransportFault ? end : undefined
  const result = resultOf(end, host.now(), bodyResult)
  const { code, repetition } = verdictOn(intentOf(call.method), result)
  if (code === 'ok') throw new TypeError('a success is not a failure')
  const { status, waitSeconds, body } = 'status' in result ? result : {}
  const failed: FailedCall = { call, endpoint, code, fault, status, waitSeconds }
  return new Failure(code, withConsequence(sentence, failed, body), {
    status,
    serviceCode,
    stage: fault === undefined ? 'reply' : fault.stage,
    cause: fault,
    hint: hintFor(failed),
    isRetryable: repetition !== 'no',
    waitSeconds,
  })
}

/** Adds to the message: the state of the change, the wait, the source of the URL. */
function withConsequence(
  sentence: string,
  failed: FailedCall,
  body: BodyResult | FaultKind | undefined,
): string {
  const { call, endpoint, code, fault, waitSeconds } = failed
  const { change } = call
  if (code === 'in-doubt' && change !== undefined) {
    const finding = findingOf(call)
    if (wasMade(fault, body))
      return `${change.done}, but the reply cannot be read: ${sentence}${finding}`
    if (body === 'foreign')
      return `${change.doubt}: the reply is not the service's: ${sentence}${finding}`
    return `${sentence}; ${change.doubt}${finding}`
  }
  if (code === 'service' && waitSeconds)
    return `${sentence}; the service asked for a wait of ${duration(waitSeconds)}`
  if (endpoint.urlVariable !== undefined && isUrlSuspect(failed)) {
    return `${sentence}; the URL is from ${endpoint.urlVariable}`
  }
  return sentence
}

/** The limit of the hint that finds a change. */
const findingOf = ({ find }: Call) => (find === undefined ? '' : `; ${find.limit}`)

/**
 * Whether the change was certainly made. Only a reply in JSON can be the service's: a portal also
 * answers with 200.
 */
function wasMade(
  fault: TransportFault | undefined,
  body: BodyResult | FaultKind | undefined,
): boolean {
  if (body === 'misshapen') return true
  const head = fault?.head
  return (
    head !== undefined &&
    isSuccess(head) &&
    /\bjson\b/i.test(String(head.headers['content-type'] ?? ''))
  )
}

function interruption(
  { cause, isStarted }: TransportFault,
  { call, endpoint }: CallContext,
): Failure {
  const ending =
    cause instanceof Failure ? cause : new Failure('interrupted', 'interrupted', { cause })
  if (call.change === undefined || !isStarted) return ending
  return new Failure('interrupted', `${ending.message}; ${call.change.doubt}${findingOf(call)}`, {
    signal: ending.exitCode === 143 ? 'SIGTERM' : 'SIGINT',
    hint: hintFor({ call, endpoint, code: 'in-doubt' }),
    cause,
  })
}

/**
 * The message for a status other than a success. `target` is where a redirect leads: `to
 * https://…`.
 */
export function statusSentence(
  status: number,
  call: Call,
  endpoint: RequestEndpoint,
  target = 'elsewhere',
): string {
  const place = placeOf(call, endpoint)
  if (status === 401 || status === 403)
    return `${endpoint.describeKey} was refused by ${place} (${status})`
  if (status === 404 || status === 410) {
    const absence = `${call.absence} at ${endpoint.placeName ?? endpoint.url}`
    return call.isAboutOneThing ? absence : `${absence} (${status})`
  }
  if (status === 429) return `${place} accepts no more requests right now (429)`
  if (status >= 400 && status <= 499)
    return `the service refused to ${call.task} at ${place} (${status})`
  if (status === 501) return `${place} does not support this request (501)`
  if (status === 503) return `${place} is overloaded or down (503)`
  if (status >= 500 && status <= 599) return `the service failed at ${place} (${status})`
  if (status >= 300 && status <= 399 && status !== 304) {
    return `${place} redirects ${target}; redirects are not followed (${status})`
  }
  return `${place} replied with an unexpected status (${status})`
}

/** The URL of a request, without the query, which does not matter here. */
function placeOf({ path }: Call, { url, placeName }: RequestEndpoint): string {
  return placeName ?? `${url}${withoutQuery(path)}`
}

export function withoutQuery(path: string): string {
  return path.replace(/\?.*$/, '')
}

/** A failed call, with everything that decides what to do next. */
export interface FailedCall extends Omit<CallContext, 'host'> {
  readonly code: Verdict['code']
  readonly fault?: TransportFault | undefined
  readonly status?: number | undefined
  /** How many seconds the service asked to wait. */
  readonly waitSeconds?: number | undefined
}

/** For a change that must not be made twice, and for a request that only the user can compose. */
const generalCheck = 'petstore doctor'
const longestTimeout = 86_400

/** The command to run after this failure. */
export function hintFor(failed: FailedCall): string | undefined {
  const { call, endpoint, code, fault, waitSeconds = 0 } = failed
  const { command, look, find } = call
  const at = (line: string | undefined) => line && `${line} --env ${endpoint.environment}`
  // During a login the environment has neither its URL nor its key yet.
  const repeat = endpoint.login ?? at(call.repeat)

  if (code === 'in-doubt') return at(find?.command)
  if (code === 'auth') return keyHint(endpoint)
  if (fault?.kind === 'refused' && isOwnService(fault, endpoint)) {
    return `petstore serve --port ${new URL(endpoint.url).port || 80}`
  }
  if (endpoint.login !== undefined && (code === 'rejected' || isUrlSuspect(failed)))
    return 'petstore auth login --help'
  if (code === 'rejected') return `${command} --help`
  // `env list` does not show a URL from a variable.
  if (isUrlSuspect(failed))
    return at(endpoint.urlVariable ? 'petstore config list' : 'petstore env list')
  if (code === 'not-found') return at(look)
  if (fault?.kind === 'timeout' || fault?.kind === 'lookup-timeout') {
    const seconds = Math.min(Math.max(60, 2 * (fault.seconds ?? 0)), longestTimeout)
    return `${repeat ?? at(generalCheck)} --timeout ${seconds}`
  }
  const faultHint = fault && (proxyHint(fault) ?? faultTable[fault.kind].hint)
  if (faultHint !== undefined) return faultHint
  if (waitSeconds > longestWait) return `sleep ${Math.ceil(waitSeconds)}`
  return repeat ?? at(generalCheck)
}

/** The command that replaces the key. A variable is filled without showing the key. */
function keyHint({ environment, keyVariable, login }: RequestEndpoint): string {
  if (login !== undefined) return login
  return keyVariable === undefined
    ? `petstore auth login --env ${environment}`
    : `read -rs ${keyVariable}; export ${keyVariable}`
}

/** Whether the likeliest cause is a wrong URL: nothing answers there, or something else does. */
function isUrlSuspect({ call, code, fault, status }: FailedCall): boolean {
  if (fault?.cause instanceof ProxyError) return false
  if (fault !== undefined && faultTable[fault.kind].isUrlSuspect)
    return fault.stage !== 'tls' || !fault.isStarted
  if (code === 'not-found') return !call.isAboutOneThing
  return (
    code === 'service' && status !== undefined && (status < 400 || status === 501 || status > 599)
  )
}

/** Whether `petstore serve` is what most likely listens there, when it runs. */
function isOwnService({ cause }: TransportFault, { url }: RequestEndpoint): boolean {
  const { protocol, hostname } = new URL(url)
  return !(cause instanceof ProxyError) && protocol === 'http:' && isLoopback(hostname)
}

/** Undefined if there is no proxy on the way, or if the fault says more. */
function proxyHint({ kind, cause }: TransportFault): string | undefined {
  if (!(cause instanceof ProxyError)) return undefined
  const { origin, variable } = cause.proxy
  if (kind === 'proxy-login')
    return `export ${variable}=${hintWord(origin.replace('://', '://USER:PASSWORD@'))}`
  return faultTable[kind].stage === 'tls' ? undefined : `unset ${variable}`
}
