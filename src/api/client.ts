import type * as z from 'zod/mini'
import { Failure } from '../failure.ts'
import type { Reply, Transport } from './exchange.ts'
import { explainFault, explainMisshapen, explainStatus, isSuccess } from './explain.ts'
import { parseJson, stringifyJson } from './json.ts'
import type { Message, NewPet, Pet, PetQuery } from './model.ts'
import type { Endpoint, Operation, ServiceName, SuggestCommand } from './operation.ts'
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
  readonly suggest?: SuggestCommand | undefined
}

export function createClient({ transport, endpoint, suggest }: ClientParts): Client {
  const call = async <Value>(operation: Operation, schema: z.ZodMiniType<Value>): Promise<Value> => {
    const circumstances = { operation, endpoint: endpoint(operation.service), suggest }
    refuseUnsendableKey(circumstances.endpoint, suggest?.('auth', operation.service))
    const reply = await send(transport, operation, circumstances.endpoint).catch((error: unknown) => {
      throw explainFault(error, circumstances)
    })
    if (!isSuccess(reply.status)) throw explainStatus(reply, circumstances)

    const read = readBody(reply, schema)
    if ('problem' in read) throw explainMisshapen(reply, read.problem, circumstances)
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
        },
        messageSchema,
      ),
    close: () => transport.close(),
  }
}

function refuseUnsendableKey({ key, describeKey }: Endpoint, hint: string | undefined): void {
  if (/^[\u0021-\u007e]+$/.test(key)) return
  throw new Failure('auth', `${describeKey} can't be sent: a key is printable ASCII without spaces`, { hint })
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

/** Only what was asked for is sent: what the service does unasked is its own affair. */
function queryString({ status, limit }: PetQuery): string {
  const parameters = new URLSearchParams()
  if (status !== undefined) parameters.set('status', status)
  if (limit !== undefined) parameters.set('limit', String(limit))
  return parameters.size === 0 ? '' : `?${parameters}`
}
