import { Failure } from '../failure.ts'
import type { Endpoint } from '../model/endpoint.ts'
import type { Reply } from '../model/exchange.ts'
import { parseJson } from '../model/json.ts'
import type { ServiceError } from '../model/pets.ts'
import { serviceErrorSchema } from '../model/schema.ts'
import { faultSentence } from './explain-fault.ts'
import { hintFor, isAddressSuspect, type Trouble } from './hint.ts'
import type { Operation } from './operations.ts'
import { inWords, retryAfter } from './retry-after.ts'
import { fateOf, intentOf, isSuccess, type Outcome } from './retry-policy.ts'
import { TransportFault } from './transport-fault.ts'

interface Circumstances {
  readonly operation: Operation
  readonly endpoint: Endpoint
  readonly now: Date
}

/** Turns a fault of the wire into what the user is told; what is not one passes as it is. */
export function explainFault(error: unknown, circumstances: Circumstances): unknown {
  if (!(error instanceof TransportFault)) return error
  const { endpoint, now } = circumstances
  const { kind, status, started, head } = error
  if (kind === 'aborted') return interruption(error, circumstances)

  const wait = head && retryAfter(head, now)
  const outcome: Outcome =
    status === undefined ? { fault: kind, isStarted: started } : { status, asksToWait: wait !== undefined, body: kind }
  const isRefusal = status !== undefined && !isSuccess(status)
  const sentence = isRefusal ? statusSentence(status, circumstances) : faultSentence(error, endpoint.url)
  return failure(outcome, sentence, circumstances, { fault: error, wait })
}

/** What the user is told of a reply whose status is no success. */
export function explainStatus(reply: Reply, circumstances: Circumstances): Failure {
  const { status } = reply
  const wait = retryAfter(reply, circumstances.now)
  const said = serviceError(reply.body)
  const sentence = statusSentence(status, circumstances)
  return failure(
    { status, asksToWait: wait !== undefined, body: 'good' },
    // Some services say no more than this program says anyway.
    said === undefined || sentence.includes(said.message) ? sentence : `${sentence}: ${said.message}`,
    circumstances,
    { serviceCode: said?.code, wait },
  )
}

/** What the user is told of a success whose body is not what the contract says; `problem` names what is wrong. */
export function explainMisshapen({ status }: Reply, problem: string, circumstances: Circumstances): Failure {
  const { operation, endpoint } = circumstances
  const address = addressOf(operation, endpoint)
  return failure(
    { status, asksToWait: false, body: 'misshapen' },
    operation.change
      ? `${problem} (${address}, ${status})`
      : `the reply of ${address} is outside the contract: ${problem} (${status})`,
    circumstances,
  )
}

interface Details {
  readonly fault?: TransportFault
  readonly serviceCode?: string | undefined
  readonly wait?: number | undefined
}

function failure(
  outcome: Outcome,
  sentence: string,
  { operation, endpoint }: Circumstances,
  { fault, serviceCode, wait }: Details = {},
): Failure {
  const { code, again } = fateOf(intentOf(operation.method), outcome)
  if (code === 'ok') throw new TypeError('a success is no failure')
  const status = 'status' in outcome ? outcome.status : undefined
  const trouble: Trouble = { operation, endpoint, code, again, fault, status, wait }
  return new Failure(code, withCircumstances(sentence, trouble), {
    status,
    serviceCode,
    cause: fault,
    hint: hintFor(trouble),
    isRetryable: again !== 'no',
    waitSeconds: wait,
  })
}

/** The sentence with what else is known: what became of the change, how long to wait, where the address is from. */
function withCircumstances(sentence: string, trouble: Trouble): string {
  const { operation, endpoint, code, status, wait } = trouble
  const { change } = operation
  if (code === 'in-doubt' && change !== undefined) {
    return status !== undefined && isSuccess(status)
      ? `${change.done}, but the reply can't be read: ${sentence}`
      : `${sentence}; ${change.doubt}`
  }
  if (code === 'service' && wait) return `${sentence}; it asks to be left alone for ${inWords(wait)}`
  if (endpoint.urlVariable !== undefined && isAddressSuspect(trouble)) {
    return `${sentence}; the address is from ${endpoint.urlVariable}`
  }
  return sentence
}

function interruption({ cause, started }: TransportFault, { operation, endpoint }: Circumstances): Failure {
  const { change } = operation
  const ending = cause instanceof Failure ? cause : new Failure('interrupted', 'interrupted', { cause })
  if (change === undefined || !started) return ending
  return new Failure('interrupted', `${ending.message}; ${change.doubt}`, {
    signal: ending.exitCode === 143 ? 'SIGTERM' : 'SIGINT',
    hint: hintFor({ operation, endpoint, code: 'in-doubt' }),
    cause,
  })
}

function statusSentence(status: number, { operation, endpoint }: Circumstances): string {
  const address = addressOf(operation, endpoint)
  if (status === 401 || status === 403) return `${endpoint.describeKey} was refused by ${address} (${status})`
  if (status === 404 || status === 410)
    return `${operation.absence} at ${endpoint.placeName ?? endpoint.url} (${status})`
  if (status === 429) return `${address} takes no more requests for now (429)`
  if (status >= 400 && status <= 499) return `the service refused to ${operation.task} at ${address} (${status})`
  if (status === 501) return `${address} does not offer this (501)`
  if (status === 503) return `${address} is overloaded or down for now (503)`
  if (status >= 500 && status <= 599) return `the service failed at ${address} (${status})`
  if (status >= 300 && status <= 399) return `${address} redirects elsewhere, which is not followed (${status})`
  return `${address} answered with a status that has no meaning here (${status})`
}

/** The query is left out: it says nothing about where a request went. */
function addressOf({ path }: Operation, { url, placeName }: Endpoint): string {
  return placeName ?? `${url}${path.replace(/\?.*$/, '')}`
}

function serviceError(body: Uint8Array): ServiceError | undefined {
  try {
    return serviceErrorSchema.parse(parseJson(new TextDecoder().decode(body)))
  } catch {
    return undefined
  }
}
