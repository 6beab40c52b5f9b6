import type { RequestEndpoint } from '../model/endpoint.ts'
import { isChangingMethod, type Reply, type Request } from '../model/exchange.ts'
import type { PetQuery } from '../model/pets.ts'
import type { NewPet } from '../model/request-schema.ts'
import { explainIssues } from '../model/schema.ts'
import { parseIfJson } from '../text/json.ts'
import type { Redact } from '../text/visible.ts'
import { callFailure } from './call-failure.ts'
import { type Call, type CustomRequest, customCall, operations } from './operations.ts'
import type { withRetries } from './retry.ts'
import { TransportFault } from './transport-fault.ts'

export type Client = ReturnType<typeof createClient>

/**
 * Each operation of the service as a function. It throws a Failure, and returns only checked
 * values.
 */
export function createClient(
  endpoint: RequestEndpoint,
  { send, redact }: { readonly send: ReturnType<typeof withRetries>; readonly redact: Redact }
) {
  /** A key that the user gives may have been sent before. */
  const perform = async (call: Call, givenKey?: string) => {
    const isChange = isChangingMethod(call.method)
    // Only the user knows whether a header of a custom request is a key.
    const isKeyed = isChange && call.accepts !== undefined && endpoint.isIdempotent === true
    const key = givenKey ?? (isKeyed ? crypto.randomUUID() : undefined)
    const outcome = await send(requestOf(call, endpoint, key), {
      isChange,
      hasKey: key !== undefined,
      isInDoubt: givenKey !== undefined,
      read: reply => readBody(reply, call)
    })
    if (outcome.code === 'ok') return { outcome }
    return { outcome, failure: callFailure(outcome, { call, endpoint, redact, givenKey }) }
  }
  const answer = async <Output>(call: Call<Output>, givenKey?: string) => {
    const { outcome, failure } = await perform(call, givenKey)
    if (failure !== undefined) throw failure
    return outcome.value as Output
  }
  const { listPets, getPet, addPet, sendMessage } = operations

  return {
    listPets: (query: PetQuery) => answer(listPets(query)),
    getPet: (petId: bigint) => answer(getPet(petId)),
    addPet: (pet: NewPet, givenKey?: string) => answer(addPet(pet), givenKey),
    sendMessage: (message: string, givenKey?: string) => answer(sendMessage(message), givenKey),
    /**
     * Any request. Its reply is returned whatever the status, with the failure that the status
     * means.
     */
    exchange: async (request: CustomRequest) => {
      const { outcome, failure } = await perform(customCall(request))
      if (outcome.end instanceof TransportFault) throw failure
      return { reply: outcome.end, failure }
    }
  }
}

const jsonType = 'application/json'

export function requestOf(
  { method, path, headers: given, body, accepts }: Call,
  endpoint: RequestEndpoint,
  idempotencyKey: string | undefined
): Request {
  const { url, key = '$PETSTORE_API_KEY' } = endpoint
  const headers = {
    accept: accepts === undefined ? '*/*' : jsonType,
    ...given,
    // A dry run names the variable, for the shell that runs the printed command.
    ...(key !== '' && { authorization: `Bearer ${key}` }),
    ...(accepts !== undefined && body !== undefined && { 'content-type': jsonType }),
    ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey })
  }
  return { method, url: `${url}${path}`, headers, body }
}

/** What the body of a success holds, or what is wrong with it. */
export function readBody<Output>({ body }: Reply, { accepts, isAnswer }: Call<Output>) {
  if (accepts === undefined) return {}
  if (body.length === 0) return { problem: 'it is empty' }
  const parsed = parseIfJson(body)
  if (parsed === undefined) return { problem: 'it is not JSON' }
  const { success, data, error } = accepts.safeParse(parsed)
  if (!success) return { problem: explainIssues(error, 'it') }
  return isAnswer?.(data) === false ? { problem: 'it does not fit the request' } : { value: data }
}
