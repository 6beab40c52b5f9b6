import type { Failure } from '../failure.ts'
import type { RequestEndpoint, ServiceName } from '../model/endpoint.ts'
import { isSuccess, type Reply, type Request, type Send } from '../model/exchange.ts'
import { largestJson, parseIfJson, stringifyJson } from '../model/json.ts'
import { explainIssues, parseWhole } from '../model/schema.ts'
import type { Redact } from '../model/visible.ts'
import type { Host } from '../platform/host.ts'
import type { CustomRequest } from './custom-request.ts'
import { serviceErrorOf } from './error-body.ts'
import { type BadBody, bodyFailure, faultFailure, statusFailure } from './failed-call.ts'
import { type Call, customCall, type OperationCall, operations, sentCall } from './operations.ts'
import { TransportFault } from './transport-fault.ts'

type Operations = typeof operations

type OperationFunctions = {
  [Name in keyof Operations]: Operations[Name] extends (
    input: infer Input,
  ) => OperationCall<infer Output>
    ? (input: Input) => Promise<Output>
    : never
}

/**
 * Each operation of the service as a function. It throws a Failure, and returns only checked
 * values.
 */
export interface Client extends OperationFunctions {
  /**
   * What tells services apart: the base URL, or the local database. Rejects if the environment has
   * no base URL or no API key, or if what is added to the local database is lost when this program
   * ends.
   */
  destination(): Promise<string>
  /**
   * Any request. Its reply is returned whatever the status, with the failure that the status means.
   */
  exchange(request: CustomRequest): Promise<{ readonly reply: Reply; readonly failure?: Failure }>
}

interface ClientParts {
  readonly send: Send
  /** Removes secrets from text of the service, which is then shortened for messages. */
  readonly redactor: () => Promise<Redact>
  readonly endpoint: (service: ServiceName) => RequestEndpoint
  readonly host: Pick<Host, 'now'>
  /** The local database, if the service is inside this program. */
  readonly database?: (() => Promise<string>) | undefined
}

export function createClient({
  send: transmit,
  endpoint: endpointOf,
  host,
  redactor,
  database,
}: ClientParts): Client {
  const send = async (request: Request, call: Call, endpoint: RequestEndpoint) => {
    try {
      const reply = await transmit(request)
      if (isSuccess(reply)) return { reply }
      const redact = await redactor()
      const serviceError = serviceErrorOf(reply, redact)
      const sent = sentCall(call, endpoint, redact)
      return { reply, failure: statusFailure(reply, serviceError, sent, host.now()) }
    } catch (error) {
      if (!(error instanceof TransportFault)) throw error
      throw faultFailure(error, sentCall(call, endpoint, await redactor()), host.now())
    }
  }
  const run = async (call: OperationCall<unknown>) => {
    const endpoint = endpointOf(call.service)
    const { reply, failure } = await send(requestOf(call, endpoint), call, endpoint)
    if (failure !== undefined) throw failure

    const read = readBody(reply, call)
    if ('value' in read) return read.value
    throw bodyFailure(reply, read, sentCall(call, endpoint, await redactor()), host.now())
  }
  const functions = Object.entries(operations).map(([name, callOf]) => {
    return [name, (input: never) => run(callOf(input))]
  })

  return {
    ...(Object.fromEntries(functions) as OperationFunctions),
    destination: async () => database?.() ?? endpointOf('pets').url,
    exchange: async (request) => {
      const { service, method, path, headers, body } = request
      const endpoint = endpointOf(service)
      const sent = {
        method,
        url: `${endpoint.url}${path}`,
        headers: { accept: '*/*', ...headers, authorization: authorizationAt(endpoint) },
        body,
      }
      return send(sent, customCall(request), endpoint)
    },
  }
}

const jsonType = 'application/json'

function requestOf(
  { method, path, body }: OperationCall<unknown>,
  endpoint: RequestEndpoint,
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
  { accepts }: OperationCall<unknown>,
): { value: unknown } | BadBody {
  if (body.length > largestJson) return { kind: 'misshapen', problem: 'it is too large' }
  const parsed = parseIfJson(body)
  if (parsed === undefined) return unreadable(body)
  const checked = parseWhole(accepts, parsed)
  return checked.success
    ? { value: checked.data }
    : { kind: 'misshapen', problem: explainIssues(checked.error, 'it') }
}

function unreadable(body: Uint8Array): BadBody {
  if (body.length === 0) return { kind: 'foreign', problem: 'it is empty' }
  // Even JSON that is cut off, or in another character encoding, begins like JSON.
  const beginning = Buffer.from(body).toString('latin1', 0, 1000)
  return /^\s*[[{]/.test(beginning)
    ? { kind: 'misshapen', problem: 'it is not valid JSON' }
    : { kind: 'foreign', problem: 'it is not JSON' }
}
