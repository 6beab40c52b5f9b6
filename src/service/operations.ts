import type { Reply, Request } from '../model/exchange.ts'
import { messageRequestSchema, newPetSchema } from '../model/schema.ts'
import type { PetDatabase } from './database.ts'
import type { Commit } from './group-commit.ts'
import type { createLister } from './lists.ts'
import { bodyAs, checkUnicode, limitOf, statusOf } from './reading.ts'
import { jsonReply, Refusal } from './replies.ts'

/** A request on its way to the operation that its method and path name. */
export interface Call {
  database: PetDatabase
  commit: Commit
  list: ReturnType<typeof createLister>
  now(): Date
  /** Whether an error is for who called the service, and is to become no reply. */
  isPassedOn(error: unknown): boolean
  request: Request
  query: URLSearchParams
  /** The last part of the path, where `{petId}` stands. */
  lastPart: string
}

export type Operation = (call: Call) => Reply | Promise<Reply>

export const listPets: Operation = ({ list, query }) => list({ status: statusOf(query), limit: limitOf(query) })

export const addPet: Operation = async ({ database, commit, request }) => {
  const pet = bodyAs(newPetSchema, request)
  checkUnicode('name', pet.name)
  return jsonReply(201, await commit(() => database.add(pet)))
}

/** Messages are only ever queued: nothing takes them further. */
export const sendMessage: Operation = async ({ database, commit, request, now }) => {
  const { message } = bodyAs(messageRequestSchema, request)
  checkUnicode('message', message)
  return jsonReply(202, await commit(() => database.addMessage(message, now())))
}

export const listOrders: Operation = () => {
  throw new Refusal(501, 'not_implemented', 'the description of the service says nothing about the contents of orders')
}

/** Made when it is asked for: few ask, and the schemas take time. */
export const describe: Operation = async () => {
  const { openApiDocument } = await import('./openapi.ts')
  return jsonReply(200, openApiDocument())
}

export const health: Operation = () => jsonReply(200, { status: 'ok' })
