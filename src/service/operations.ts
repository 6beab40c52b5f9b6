import type { Reply, Request } from '../api/exchange.ts'
import { messageRequestSchema, newPetSchema } from '../api/schema.ts'
import type { PetDatabase } from './database.ts'
import { bodyAs, checkUnicode, limitOf, statusOf } from './reading.ts'
import { jsonReply, Refusal } from './replies.ts'

/** A request on its way to the operation that its method and path name. */
export interface Call {
  database: PetDatabase
  now(): Date
  request: Request
  query: URLSearchParams
  /** The last part of the path, where `{petId}` stands. */
  lastPart: string
}

export type Operation = (call: Call) => Reply

export const listPets: Operation = ({ database, query }) =>
  jsonReply(200, database.list({ status: statusOf(query), limit: limitOf(query) }))

export const addPet: Operation = ({ database, request }) => {
  const pet = bodyAs(newPetSchema, request)
  checkUnicode('name', pet.name)
  return jsonReply(201, database.add(pet))
}

/** Messages are only ever queued: nothing takes them further. */
export const sendMessage: Operation = ({ database, request, now }) => {
  const { message } = bodyAs(messageRequestSchema, request)
  checkUnicode('message', message)
  return jsonReply(202, database.addMessage(message, now()))
}

export const listOrders: Operation = () => {
  throw new Refusal(501, 'not_implemented', 'the description of the service says nothing about the contents of orders')
}

export const health: Operation = () => jsonReply(200, { status: 'ok' })
