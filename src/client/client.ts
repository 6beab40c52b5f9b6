import type { RequestEndpoint, ServiceName } from '../model/endpoint.ts'
import { isSuccess, type Reply, type Request, type Send } from '../model/exchange.ts'
import { largestJson, parseIfJson, stringifyJson } from '../model/json.ts'
import { explainIssues } from '../model/schema.ts'
import type { Redact } from '../model/visible.ts'
import { type BadBody, callFailure } from './call-failure.ts'
import type { CustomRequest } from './custom-request.ts'
import { type Call, customCall, type OperationCall, operations } from './operations.ts'
import { TransportFault } from './transport-fault.ts'

interface ClientParts {
  readonly send: Send
  /** Removes secrets from text of the service, which is then shortened for messages. */
  readonly redactor: () => Promise<Redact>
  readonly endpoints: Readonly<Record<ServiceName, () => RequestEndpoint>>
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
export function createClient({ send, endpoints, redactor }: ClientParts) {
  const failureOf = async (
    end: Reply | TransportFault,
    call: Call,
    endpoint: RequestEndpoint,
    badBody?: BadBody
  ) => callFailure(end, { ...call, endpoint, redact: await redactor() }, badBody)
  const exchange = async (request: Request, call: Call, endpoint: RequestEndpoint) => {
    try {
      const reply = await send(request)
      if (isSuccess(reply)) return { reply }
      return { reply, failure: await failureOf(reply, call, endpoint) }
    } catch (error) {
      throw error instanceof TransportFault ? await failureOf(error, call, endpoint) : error
    }
  }
  const run = async (call: OperationCall<unknown>) => {
    const endpoint = endpoints[call.service]()
    const { reply, failure } = await exchange(requestOf(call, endpoint), call, endpoint)
    if (failure !== undefined) throw failure
    const read = readBody(reply, call)
    if ('value' in read) return read.value
    throw await failureOf(reply, call, endpoint, read)
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
      const endpoint = endpoints[service]()
      const request = {
        method,
        url: `${endpoint.url}${path}`,
        headers: { accept: '*/*', ...headers, authorization: authorizationAt(endpoint) },
        body
      }
      return exchange(request, customCall(custom), endpoint)
    }
  }
}

const jsonType = 'application/json'

function requestOf(
  { method, path, body }: OperationCall<unknown>,
  endpoint: RequestEndpoint
): Request {
  const url = `${endpoint.url}${path}`
  const authorization = authorizationAt(endpoint)
  if (body === undefined) return { method, url, headers: { accept: jsonType, authorization } }
  // An import notices the 2 µs that V8 takes for a literal that begins with a spread and goes on.
  const headers = { accept: jsonType, authorization, 'content-type': jsonType }
  return { method, url, headers, body: stringifyJson(body) }
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
