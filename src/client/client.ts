import type { RequestEndpoint, ServiceName } from '../model/endpoint.ts'
import { isSuccess, type Reply, type Request } from '../model/exchange.ts'
import { largestJson, parseIfJson, stringifyJson } from '../model/json.ts'
import { explainIssues } from '../model/schema.ts'
import type { Redact } from '../model/visible.ts'
import { type BadBody, callFailure } from './call-failure.ts'
import type { CustomRequest } from './custom-request.ts'
import { customCall, type OperationCall, operations, type SentCall } from './operations.ts'
import type { SendSafely } from './retry.ts'
import { type Circumstances, isChangingMethod } from './retry-policy.ts'
import { TransportFault } from './transport-fault.ts'

interface ClientParts {
  readonly send: SendSafely
  /** Removes secrets from text of the service, which is then shortened for messages. */
  readonly redactor: () => Promise<Redact>
  readonly endpoints: Readonly<Record<ServiceName, () => RequestEndpoint>>
}

export type Client = ReturnType<typeof createClient>

/** A change that an earlier run may have made already, with the key of its first attempt. */
export interface EarlierAttempt {
  /** Undefined where the service knows no such keys. */
  readonly idempotencyKey: string | undefined
  readonly isInDoubt: boolean
}

type Operations = typeof operations

type OperationFunctions = {
  [Name in keyof Operations]: Operations[Name] extends (
    input: infer Input
  ) => OperationCall<infer Output>
    ? (input: Input, earlier?: EarlierAttempt) => Promise<Output>
    : never
}

/**
 * Each operation of the service as a function. It throws a Failure, and returns only checked
 * values.
 */
export function createClient({ send, endpoints, redactor }: ClientParts) {
  /** Resolves to the reply, with the failure that it means, or rejects with that of a fault. */
  const exchange = async (
    request: Request,
    call: Omit<SentCall, 'redact'>,
    given: Circumstances,
    badBodyOf: (reply: Reply) => BadBody | undefined
  ) => {
    const { end, isInDoubt } = await send(request, given)
    const failureFor = async (badBody?: BadBody) =>
      callFailure(end, { ...call, redact: await redactor() }, { ...given, isInDoubt }, badBody)
    if (end instanceof TransportFault) throw await failureFor()
    if (!isSuccess(end)) return { reply: end, failure: await failureFor() }
    const badBody = badBodyOf(end)
    return { reply: end, failure: badBody && (await failureFor(badBody)) }
  }
  const run = async (call: OperationCall<unknown>, earlier?: EarlierAttempt) => {
    const endpoint = endpoints[call.service]()
    const isChange = isChangingMethod(call.method)
    const { idempotencyKey, isInDoubt } = earlier ?? {
      idempotencyKey: isChange && endpoint.isIdempotent ? await newKey() : undefined,
      isInDoubt: false
    }
    const circumstances = { isChange, hasKey: idempotencyKey !== undefined, isInDoubt }
    let value: unknown
    const readReply = (reply: Reply) => {
      const read = readBody(reply, call)
      if (!('value' in read)) return read
      value = read.value
      return undefined
    }
    const request = requestOf(call, endpoint, idempotencyKey)
    const { failure } = await exchange(request, { ...call, endpoint }, circumstances, readReply)
    if (failure !== undefined) throw failure
    return value
  }
  const functions = Object.entries(operations).map(([name, callOf]) => {
    return [name, (input: never, earlier?: EarlierAttempt) => run(callOf(input), earlier)]
  })

  return {
    ...(Object.fromEntries(functions) as OperationFunctions),
    /**
     * Any request. Its reply is returned whatever the status, with the failure that the status
     * means.
     */
    exchange: async (custom: CustomRequest) => {
      const { service, method, path, headers, body } = custom
      const endpoint = endpoints[service]()
      const request = {
        method,
        url: `${endpoint.url}${path}`,
        headers: { accept: '*/*', ...headers, authorization: authorizationAt(endpoint) },
        body
      }
      // Only the user knows whether a header of this request is a key.
      const circumstances = {
        isChange: isChangingMethod(method),
        hasKey: false,
        isInDoubt: false
      }
      const call = { ...customCall(custom), endpoint }
      return exchange(request, call, circumstances, () => undefined)
    }
  }
}

/** Most commands change nothing, and do not load this module. */
async function newKey(): Promise<string> {
  const { randomUUID } = await import('node:crypto')
  return randomUUID()
}

const jsonType = 'application/json'

function requestOf(
  { method, path, body }: OperationCall<unknown>,
  endpoint: RequestEndpoint,
  idempotencyKey: string | undefined
): Request {
  const url = `${endpoint.url}${path}`
  const authorization = authorizationAt(endpoint)
  if (body === undefined) return { method, url, headers: { accept: jsonType, authorization } }
  const headers = { accept: jsonType, authorization, 'content-type': jsonType }
  const keyed =
    idempotencyKey === undefined ? headers : { ...headers, 'idempotency-key': idempotencyKey }
  return { method, url, headers: keyed, body: stringifyJson(body) }
}

/** A dry run names the variable of the key, for the shell that runs the printed command. */
function authorizationAt({ key = '$PETSTORE_API_KEY' }: RequestEndpoint): string {
  return `Bearer ${key}`
}

function readBody(
  { body }: Reply,
  { accepts }: OperationCall<unknown>
): { value: unknown } | BadBody {
  if (body.length > largestJson) return { kind: 'misshapen', sentence: 'it is too large' }
  if (body.length === 0) return { kind: 'foreign', sentence: 'it is empty' }
  const parsed = parseIfJson(body)
  if (parsed === undefined) {
    // Even JSON that is cut off, or in another character encoding, begins like JSON.
    const beginning = Buffer.from(body).toString('latin1', 0, 1000)
    return /^\s*[[{]/.test(beginning)
      ? { kind: 'misshapen', sentence: 'it is not valid JSON' }
      : { kind: 'foreign', sentence: 'it is not JSON' }
  }
  const checked = accepts.safeParse(parsed)
  return checked.success
    ? { value: checked.data }
    : { kind: 'misshapen', sentence: explainIssues(checked.error, 'it') }
}
