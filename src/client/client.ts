import type * as z from 'zod/mini'
import { Failure } from '../failure.ts'
import type { Endpoint, ServiceName } from '../model/endpoint.ts'
import type { Reply, Request, Transport } from '../model/exchange.ts'
import { parseJson, stringifyJson } from '../model/json.ts'
import type { Message, NewPet, Pet, PetQuery } from '../model/pets.ts'
import { explainIssues, messageSchema, petSchema, petsSchema } from '../model/schema.ts'
import { explainFault, explainMisshapen, explainStatus } from './explain.ts'
import { keyHint } from './hint.ts'
import type { Operation } from './operations.ts'
import { intentOf, isSuccess } from './retry-policy.ts'

/** The service as functions. Each throws a Failure, and gives back only what was checked. */
export interface Client {
  listPets(query: PetQuery): Promise<Pet[]>
  getPet(id: bigint): Promise<Pet>
  addPet(pet: NewPet): Promise<Pet>
  sendMessage(text: string): Promise<Message>
  /** Any request. Its reply is given back whatever the status, with the failure that the status means. */
  exchange(request: FreeRequest): Promise<{ readonly reply: Reply; readonly failure: Failure | undefined }>
  close(): Promise<void>
}

export interface FreeRequest {
  readonly service: ServiceName
  readonly method: string
  /** With the query; added to the address as it is. */
  readonly path: string
  readonly headers: Request['headers']
  readonly body?: Request['body']
}

interface ClientParts {
  readonly transport: Transport
  readonly endpoint: (service: ServiceName) => Endpoint
  readonly now: () => Date
}

export function createClient({ transport, endpoint, now }: ClientParts): Client {
  const circumstancesOf = (operation: Operation, service: Endpoint) => ({ operation, endpoint: service, now: now() })
  const send = async (operation: Operation, service: Endpoint, request: Request): Promise<Reply> => {
    refuseUnsendableKey(service)
    try {
      return await transport.send(request)
    } catch (error) {
      throw explainFault(error, circumstancesOf(operation, service))
    }
  }
  const call = async <Value>(operation: Operation, schema: z.ZodMiniType<Value>): Promise<Value> => {
    const service = endpoint(operation.service)
    const reply = await send(operation, service, requestOf(operation, service))
    if (!isSuccess(reply.status)) throw explainStatus(reply, circumstancesOf(operation, service))

    const read = readBody(reply, schema)
    if ('problem' in read) throw explainMisshapen(reply, read.problem, circumstancesOf(operation, service))
    return read.value
  }

  return {
    listPets: (query) =>
      call(
        {
          service: 'pets',
          method: 'GET',
          path: `/pets${queryString(query)}`,
          task: 'list the animals',
          absence: 'there is no list of animals',
          commands: { self: listCommand, again: listCommandOf(query), look: listCommand },
        },
        petsSchema,
      ),
    getPet: (id) =>
      call(
        {
          service: 'pets',
          method: 'GET',
          path: `/pets/${id}`,
          task: `show animal ${id}`,
          absence: `there is no animal ${id}`,
          isOfOneThing: true,
          commands: { self: 'petstore pets get', again: `petstore pets get ${id}`, look: listCommand },
        },
        petSchema,
      ),
    addPet: (pet) =>
      call(
        {
          service: 'pets',
          method: 'POST',
          path: '/pets',
          body: pet,
          task: 'add the animal',
          absence: 'there is nothing that takes animals',
          change: { done: 'the animal was added', doubt: 'the animal may have been added' },
          commands: { self: 'petstore pets add', look: listCommand },
        },
        petSchema,
      ),
    sendMessage: (message) =>
      call(
        {
          service: 'messages',
          method: 'POST',
          path: '/messages',
          body: { message },
          task: 'take the message',
          absence: 'there is nothing that takes messages',
          change: { done: 'the message was sent', doubt: 'the message may have been sent' },
          commands: { self: 'petstore messages send' },
        },
        messageSchema,
      ),
    exchange: async (request) => {
      const { method, path, headers, body } = request
      const operation = freeOperation(request)
      const service = endpoint(request.service)
      const authorization = `Bearer ${service.key}`
      const reply = await send(operation, service, {
        method,
        url: `${service.url}${path}`,
        headers: { accept: '*/*', ...headers, authorization },
        body,
      })
      const failure = isSuccess(reply.status) ? undefined : explainStatus(reply, circumstancesOf(operation, service))
      return { reply, failure }
    },
    close: () => transport.close(),
  }
}

/** What can be said of a request that only its sender understands. */
function freeOperation({ service, method, path }: FreeRequest): Operation {
  return {
    service,
    method,
    path,
    task: `answer ${method}`,
    absence: `there is no ${path.replace(/\?.*$/, '')}`,
    isOfOneThing: true,
    commands: { self: 'petstore api' },
    ...(intentOf(method) === 'change' && {
      change: { done: 'the request was acted on', doubt: 'the request may have been acted on' },
    }),
  }
}

function refuseUnsendableKey(endpoint: Endpoint): void {
  if (/^[\u0021-\u007e]+$/.test(endpoint.key)) return
  throw new Failure('auth', `${endpoint.describeKey} can't be sent: only printable ASCII makes a key, and no spaces`, {
    hint: keyHint(endpoint),
  })
}

function requestOf({ method, path, body }: Operation, { url, key }: Endpoint): Request {
  const address = `${url}${path}`
  const accept = 'application/json'
  const authorization = `Bearer ${key}`
  if (body === undefined) return { method, url: address, headers: { accept, authorization } }
  const headers = { accept, authorization, 'content-type': 'application/json' }
  return { method, url: address, headers, body: stringifyJson(body) }
}

const utf8 = new TextDecoder('utf-8', { fatal: true })

function readBody<Value>({ body }: Reply, schema: z.ZodMiniType<Value>): { value: Value } | { problem: string } {
  let parsed: unknown
  try {
    parsed = parseJson(utf8.decode(body))
  } catch {
    return { problem: body.length === 0 ? 'it is empty' : 'it is not JSON' }
  }
  const checked = schema.safeParse(parsed)
  return checked.success ? { value: checked.data } : { problem: explainIssues(checked.error, 'it') }
}

const listCommand = 'petstore pets list'

function listCommandOf({ status, limit }: PetQuery): string {
  const options = [status && `--status ${status}`, limit && `--limit ${limit}`]
  return [listCommand, ...options.filter((option) => option !== undefined)].join(' ')
}

/** Only what was asked for is sent: what the service does unasked is its own affair. */
function queryString({ status, limit }: PetQuery): string {
  const parameters = new URLSearchParams()
  if (status !== undefined) parameters.set('status', status)
  if (limit !== undefined) parameters.set('limit', String(limit))
  return parameters.size === 0 ? '' : `?${parameters}`
}
