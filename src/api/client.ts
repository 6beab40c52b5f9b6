import type * as z from 'zod/mini'
import { Failure } from '../failure.ts'
import type { Endpoint, ServiceName } from './endpoint.ts'
import type { Reply, Transport } from './exchange.ts'
import { explainFault, explainMisshapen, explainStatus } from './explain.ts'
import { isSuccess } from './fate.ts'
import { keyHint } from './hint.ts'
import { parseJson, stringifyJson } from './json.ts'
import type { Message, NewPet, Pet, PetQuery } from './model.ts'
import type { Operation } from './operation.ts'
import { explainIssues, messageSchema, petSchema, petsSchema } from './schema.ts'

/** The service as functions. Each throws a Failure, and gives back only what was checked. */
export interface Client {
  listPets(query: PetQuery): Promise<Pet[]>
  getPet(id: bigint): Promise<Pet>
  addPet(pet: NewPet): Promise<Pet>
  sendMessage(text: string): Promise<Message>
  close(): Promise<void>
}

interface ClientParts {
  readonly transport: Transport
  readonly endpoint: (service: ServiceName) => Endpoint
  readonly now: () => Date
}

export function createClient({ transport, endpoint, now }: ClientParts): Client {
  const call = async <Value>(operation: Operation, schema: z.ZodMiniType<Value>): Promise<Value> => {
    const service = endpoint(operation.service)
    const circumstances = () => ({ operation, endpoint: service, now: now() })
    refuseUnsendableKey(service)
    const reply = await send(transport, operation, service).catch((error: unknown) => {
      throw explainFault(error, circumstances())
    })
    if (!isSuccess(reply.status)) throw explainStatus(reply, circumstances())

    const read = readBody(reply, schema)
    if ('problem' in read) throw explainMisshapen(reply, read.problem, circumstances())
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
          commands: { self: listCommand, probe: listCommandOf(query), look: listCommand },
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
          commands: { self: 'petstore pets get', probe: `petstore pets get ${id}`, look: listCommand },
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
          commands: { self: 'petstore pets add', probe: listCommand, look: listCommand },
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
    close: () => transport.close(),
  }
}

function refuseUnsendableKey(endpoint: Endpoint): void {
  if (/^[\u0021-\u007e]+$/.test(endpoint.key)) return
  throw new Failure('auth', `${endpoint.describeKey} can't be sent: a key is printable ASCII without spaces`, {
    hint: keyHint(endpoint),
  })
}

function send(transport: Transport, { method, path, body }: Operation, { url, key }: Endpoint): Promise<Reply> {
  const headers = { accept: 'application/json', authorization: `Bearer ${key}` }
  const address = `${url}${path}`
  return body === undefined
    ? transport.send({ method, url: address, headers })
    : transport.send({
        method,
        url: address,
        headers: { ...headers, 'content-type': 'application/json' },
        body: stringifyJson(body),
      })
}

function readBody<Value>({ body }: Reply, schema: z.ZodMiniType<Value>): { value: Value } | { problem: string } {
  let parsed: unknown
  try {
    parsed = parseJson(new TextDecoder('utf-8', { fatal: true }).decode(body))
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
