import { Failure } from '../failure.ts'
import type { Reply } from './exchange.ts'
import { type Fate, fateOf, type Intent, type Outcome } from './fate.ts'
import { type FaultKind, TransportFault } from './fault.ts'
import { parseJson } from './json.ts'
import type { ServiceError } from './model.ts'
import type { Endpoint, Operation, SuggestCommand } from './operation.ts'
import { serviceErrorSchema } from './schema.ts'

interface Circumstances {
  readonly operation: Operation
  readonly endpoint: Endpoint
  readonly suggest?: SuggestCommand | undefined
}

/** Turns a fault of the wire into what the user is told; what is not one passes as it is. */
export function explainFault(error: unknown, circumstances: Circumstances): unknown {
  if (!(error instanceof TransportFault)) return error
  const { operation, endpoint } = circumstances
  const { kind, status, started, cause } = error
  const fate = fateOf(
    intentOf(operation),
    status === undefined ? { fault: kind, isStarted: started } : { status, asksToWait: false, body: kind },
  )
  if (kind === 'aborted') return interruption(error, operation)

  const sentence = isRefusal(status) ? statusSentence(status, circumstances) : faultSentence(error, endpoint)
  const message = isSuccess(status) && operation.change ? unreadable(operation.change.done, sentence) : sentence
  return failure(fate, message, circumstances, { status, cause })
}

/** What the user is told of a reply whose status is no success. */
export function explainStatus({ status, headers, body }: Reply, circumstances: Circumstances): Failure {
  const outcome: Outcome = { status, asksToWait: headers['retry-after'] !== undefined, body: 'good' }
  const said = serviceError(body)
  const sentence = statusSentence(status, circumstances)
  return failure(
    fateOf(intentOf(circumstances.operation), outcome),
    said === undefined ? sentence : `${sentence}: ${said.message}`,
    circumstances,
    { status, serviceCode: said?.code },
  )
}

/** What the user is told of a success whose body is not what the contract says; `problem` names what is wrong. */
export function explainMisshapen({ status }: Reply, problem: string, circumstances: Circumstances): Failure {
  const { operation, endpoint } = circumstances
  const address = addressOf(operation, endpoint)
  return failure(
    fateOf(intentOf(operation), { status, asksToWait: false, body: 'misshapen' }),
    operation.change
      ? unreadable(operation.change.done, `${problem} (${address}, ${status})`)
      : `the reply of ${address} is outside the contract: ${problem} (${status})`,
    circumstances,
    { status },
  )
}

export function isSuccess(status: number | undefined): boolean {
  return status !== undefined && status >= 200 && status <= 299
}

function failure(
  { code, again }: Fate,
  sentence: string,
  { operation, suggest }: Circumstances,
  details: { status: number | undefined; serviceCode?: string | undefined; cause?: unknown },
): Failure {
  if (code === 'ok') throw new TypeError('a success is no failure')
  const isOpen = code === 'in-doubt' && operation.change !== undefined && !isSuccess(details.status)
  return new Failure(code, isOpen ? `${sentence}; ${operation.change?.doubt}` : sentence, {
    ...details,
    hint: suggest?.(code, operation.service),
    isRetryable: again !== 'no',
  })
}

function interruption({ cause, started }: TransportFault, { change }: Operation): Failure {
  const ending = cause instanceof Failure ? cause : new Failure('interrupted', 'interrupted', { cause })
  if (change === undefined || !started) return ending
  return new Failure('interrupted', `${ending.message}; ${change.doubt}`, {
    signal: ending.exitCode === 143 ? 'SIGTERM' : 'SIGINT',
    cause,
  })
}

function faultSentence({ kind, started, cause }: TransportFault, { url }: Endpoint): string {
  const { origin, hostname } = new URL(url)
  const detail = cause instanceof Error && 'code' in cause ? ` (${String(cause.code)})` : ''
  const sentences: Record<Exclude<FaultKind, 'aborted'>, string> = {
    refused: `${origin} refused the connection`,
    reset: `the connection to ${origin} was reset before the request was sent`,
    timeout: started ? `no whole reply came from ${origin} in time` : `no connection to ${origin} came about in time`,
    dns: `there is no host named ${hostname}`,
    'dns-temporary': `the name ${hostname} can't be looked up at the moment`,
    tls: `there is no secure connection to ${origin}${detail}`,
    proxy: `the proxy refused to connect to ${origin}${detail}`,
    unreachable: `${origin} can't be reached${detail}`,
    lost: `the connection to ${origin} was lost before the whole reply had come`,
    'not-http': `${origin} answered with something that is not HTTP`,
    'too-large': `the reply of ${origin} is larger than this program takes`,
    encoding: `the reply of ${origin} is compressed although that was not asked for`,
    unsendable: `the request to ${origin} can't be sent${detail}`,
  }
  return kind === 'aborted' ? 'interrupted' : sentences[kind]
}

function statusSentence(status: number, { operation, endpoint }: Circumstances): string {
  const address = addressOf(operation, endpoint)
  if (status === 401 || status === 403) return `${endpoint.describeKey} was refused by ${address} (${status})`
  if (status === 404 || status === 410) return `${operation.absence} at ${endpoint.url} (${status})`
  if (status === 429) return `${address} takes no more requests for now (429)`
  if (status >= 400 && status <= 499) return `the service refused to ${operation.task} at ${address} (${status})`
  if (status === 501) return `${address} does not offer this (501)`
  if (status === 503) return `${address} is overloaded or down for now (503)`
  if (status >= 500 && status <= 599) return `the service failed at ${address} (${status})`
  if (status >= 300 && status <= 399) return `${address} redirects elsewhere, which is not followed (${status})`
  return `${address} answered with a status that has no meaning here (${status})`
}

function unreadable(done: string, sentence: string): string {
  return `${done}, but the reply can't be read: ${sentence}`
}

function isRefusal(status: number | undefined): status is number {
  return status !== undefined && !isSuccess(status)
}

function intentOf({ change }: Operation): Intent {
  return change === undefined ? 'read' : 'change'
}

/** The query is left out: it says nothing about where a request went. */
function addressOf({ path }: Operation, { url }: Endpoint): string {
  return `${url}${path.replace(/\?.*$/, '')}`
}

function serviceError(body: Uint8Array): ServiceError | undefined {
  try {
    return serviceErrorSchema.parse(parseJson(new TextDecoder().decode(body)))
  } catch {
    return undefined
  }
}
