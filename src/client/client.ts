import type { RequestEndpoint, ServiceName } from '../model/endpoint.ts'
import { isSuccess, type Reply, type Request } from '../model/exchange.ts'
import { explainIssues } from '../model/schema.ts'
import { parseIfJson, stringifyJson } from '../text/json.ts'
import type { Redact } from '../text/visible.ts'
import { callFailure } from './call-failure.ts'
import type { CustomRequest } from './custom-request.ts'
import { customCall, type OperationCall, operations, type SentCall } from './operations.ts'
import type { SendSafely } from './retry.ts'
import { isChangingMethod } from './retry-policy.ts'
import { TransportFault } from './transport-fault.ts'

interface ClientParts {
  readonly send: SendSafely
  /** Removes secrets from text of the service, which is then shortened for messages. */
  readonly redact: Redact
  readonly endpointOf: (service: ServiceName) => RequestEndpoint
}

export type Client = ReturnType<typeof createClient>

type Operations = typeof operations

type OperationFunctions = {
  [Name in keyof Operations]: Operations[Name] extends (
    input: infer Input
  ) => OperationCall<infer Output>
    ? (input: Input) => Promise<Output>
    : never
}

/**
 * Each operation of the service as a function. It throws a Failure, and returns only checked
 * values.
 */
export function createClient({ send, endpointOf, redact }: ClientParts) {
  /** Resolves to the reply, and to what makes a failure of it, or rejects with that of a fault. */
  const sendCall = async (request: Request, call: Omit<SentCall, 'redact'>, hasKey: boolean) => {
    const circumstances = { isChange: isChangingMethod(call.method), hasKey }
    const { end, isInDoubt } = await send(request, circumstances)
    const failureFor = (bodyProblem?: string) => {
      const then = { ...circumstances, isInDoubt }
      return callFailure(end, { ...call, redact }, then, bodyProblem)
    }
    if (end instanceof TransportFault) throw failureFor()
    return { reply: end, failureFor }
  }
  const run = async (call: OperationCall<unknown>) => {
    const endpoint = endpointOf(call.service)
    const hasKey = endpoint.isIdempotent === true && isChangingMethod(call.method)
    const key = hasKey ? crypto.randomUUID() : undefined
    const request = requestOf(call, endpoint, key)
    const { reply, failureFor } = await sendCall(request, { ...call, endpoint }, hasKey)
    if (!isSuccess(reply)) throw failureFor()
    const { value, problem } = readBody(reply, call)
    if (problem !== undefined) throw failureFor(problem)
    return value
  }
  const functions = Object.entries(operations).map(([name, callOf]) => {
    return [name, (input: never) => run(callOf(input))]
  })

  return {
    ...(Object.fromEntries(functions) as OperationFunctions),
    /**
     * Any request. Its reply is returned whatever the status, with the failure that the status
     * means.
     */
    exchange: async (custom: CustomRequest) => {
      const { service, method, path, headers, body } = custom
      const endpoint = endpointOf(service)
      const request = {
        method,
        url: `${endpoint.url}${path}`,
        headers: { accept: '*/*', ...headers, ...authorizationAt(endpoint) },
        body
      }
      const call = { ...customCall(custom), endpoint }
      // Only the user knows whether a header of this request is a key.
      const { reply, failureFor } = await sendCall(request, call, false)
      return { reply, failure: isSuccess(reply) ? undefined : failureFor() }
    }
  }
}

const jsonType = 'application/json'

export function requestOf(
  { method, path, body }: OperationCall<unknown>,
  endpoint: RequestEndpoint,
  idempotencyKey: string | undefined
): Request {
  const headers = {
    accept: jsonType,
    ...authorizationAt(endpoint),
    ...(body !== undefined && { 'content-type': jsonType }),
    ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey })
  }
  const text = body === undefined ? undefined : stringifyJson(body)
  return { method, url: `${endpoint.url}${path}`, headers, body: text }
}

/**
 * A dry run names the variable of the key, for the shell that runs the printed command. An empty key
 * is none.
 */
function authorizationAt({ key = '$PETSTORE_API_KEY' }: RequestEndpoint) {
  return key === '' ? undefined : { authorization: `Bearer ${key}` }
}

/** What the body of a success holds, or what is wrong with it. */
export function readBody<Output>({ body }: Reply, { accepts }: OperationCall<Output>) {
  if (body.length === 0) return { problem: 'it is empty' }
  const parsed = parseIfJson(body)
  if (parsed === undefined) return { problem: 'it is not JSON' }
  const { success, data, error } = accepts.safeParse(parsed)
  return success ? { value: data } : { problem: explainIssues(error, 'it') }
}
