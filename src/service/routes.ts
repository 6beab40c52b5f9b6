import * as z from 'zod/mini'
import { listLimits, petByIdRemoval } from '../model/pets.ts'
import {
  int64Schema,
  messageRequestSchema,
  messageSchema,
  newPetSchema,
  petSchema,
  serviceErrorSchema
} from '../model/schema.ts'
import type { PetDatabase } from './database.ts'
import { Refusal } from './http.ts'

export interface Route<Parameters extends z.ZodMiniObject = z.ZodMiniObject, Body = unknown> {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** `{petId}` stands for one part of the path. */
  readonly path: string
  readonly operationId: string
  readonly summary: string
  /**
   * Those in the path, and others in the query. Their texts are converted and checked by their
   * schemas, which also describe them.
   */
  readonly parameters?: Parameters
  readonly body?: SchemaName
  readonly reply?: {
    readonly status: number
    readonly description: string
    readonly schema: SchemaName
  }
  /** The message of a 404, which is the reply if the handler returns undefined. */
  absence?(parameters: z.output<Parameters>): string
  /** The status of another error that does not follow from the other fields. */
  readonly error?: 501
  /** True unless stated otherwise. */
  readonly needsKey?: boolean
  /**
   * The operation will be removed. Its replies say so (RFC 9745, RFC 8594, RFC 8288); from that day
   * on, it returns 410.
   */
  readonly deprecation?: {
    readonly since: Date
    readonly removal: Date
    readonly successor: string
  }
  /** Returns the body of the reply. HEAD comes here too, as GET. */
  handler(input: {
    /** The checked values of the request. */
    readonly parameters: z.output<Parameters>
    readonly body: Body
    readonly database: PetDatabase
    now(): Date
    /** The OpenAPI document. */
    describe(): Promise<object>
  }): unknown
}

/** Infers the types of what the handler gets. */
function route<Parameters extends z.ZodMiniObject, Body extends SchemaName>(
  declared: Route<Parameters, z.output<(typeof schemas)[Body]>> & { readonly body?: Body }
): Route {
  return declared
}

const integerPattern = /^-?\d+$/

/** Text that is not a number stays text, and fails the next check. */
const toNumber = z.transform((text: string) => (integerPattern.test(text) ? Number(text) : text))
/** An int64 has at most 19 digits: much longer text is not even converted. */
const toInt64 = z.transform((text: string) =>
  integerPattern.test(text) && text.length <= 40 ? BigInt(text) : text
)

const petId = z.pipe(toInt64, int64Schema)
const limit = z
  ._default(
    z.pipe(
      toNumber,
      z
        .int({ error: `must be an integer from ${listLimits.minimum} to ${listLimits.maximum}` })
        .check(z.gte(listLimits.minimum), z.lte(listLimits.maximum))
    ),
    listLimits.default
  )
  .check(z.meta({ description: 'The maximum number of pets.' }))
const statusFilter = newPetSchema.shape.status.check(
  z.meta({ description: 'Only pets with this status.' })
)

/** A list has at most 100 pets: with such names, no list is too large for the program. */
const longestName = 10_000

const newPet = z.extend(newPetSchema, {
  name: newPetSchema.shape.name.check(
    z.maxLength(longestName, { error: `must have at most ${longestName} characters` })
  )
})
const pet = z.extend(newPetSchema, { id: petSchema.shape.id })

/** Refers to a schema by its name, in the document. */
export const referenceTo = (name: string) => ({ $ref: `#/components/schemas/${name}` })

/** The schemas of bodies and replies, by their names in the OpenAPI document. */
export const schemas = {
  NewPet: newPet,
  Pet: pet,
  // Described by the name of its items.
  Pets: z.array(pet).check(z.meta({ items: referenceTo('Pet') })),
  MessageRequest: messageRequestSchema,
  Message: messageSchema,
  Error: serviceErrorSchema,
  Health: z.object({ status: z.enum(['ok']) }),
  Description: z.looseObject({})
} as const

export type SchemaName = keyof typeof schemas

/**
 * All routes of the service, with their texts for the OpenAPI document. A new operation is a row
 * here, and a method of the database.
 */
export const routes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/v1/pets',
    operationId: 'listPets',
    summary: 'List pets by ascending id',
    parameters: z.object({ limit, status: statusFilter }),
    reply: { status: 200, description: 'The pets.', schema: 'Pets' },
    handler: ({ database, parameters }) => database.list(parameters)
  }),
  route({
    method: 'POST',
    path: '/v1/pets',
    operationId: 'createPet',
    summary: 'Add a pet',
    body: 'NewPet',
    reply: { status: 201, description: 'The pet with its id, stored on disk.', schema: 'Pet' },
    handler: ({ database, body }) => database.add(body)
  }),
  route({
    method: 'GET',
    path: '/v1/pets/{petId}',
    operationId: 'getPet',
    summary: 'Get a pet',
    // The description of the service has a day of removal, but none of deprecation: this one is
    // ours.
    deprecation: { since: new Date('2025-12-05'), removal: petByIdRemoval, successor: '/v1/pets' },
    parameters: z.object({ petId }),
    reply: { status: 200, description: 'The pet.', schema: 'Pet' },
    absence: ({ petId }) => `there is no pet ${petId}`,
    handler: ({ database, parameters }) => database.get(parameters.petId)
  }),
  route({
    method: 'GET',
    path: '/v1/store/orders',
    operationId: 'listOrders',
    summary: 'List orders (not implemented)',
    error: 501,
    handler: () => {
      throw new Refusal(
        501,
        'not_implemented',
        'orders are not implemented: the description of the service does not say what they contain'
      )
    }
  }),
  route({
    method: 'GET',
    path: '/v1/openapi.json',
    operationId: 'getDescription',
    summary: 'Get this document',
    reply: { status: 200, description: 'This document.', schema: 'Description' },
    handler: ({ describe }) => describe()
  }),
  route({
    method: 'POST',
    path: '/messages',
    operationId: 'sendMessage',
    summary: 'Queue a message',
    body: 'MessageRequest',
    reply: { status: 202, description: 'The queued message.', schema: 'Message' },
    // Messages are only queued: nothing sends them on.
    handler: ({ database, body, now }) => database.addMessage(body.message, now())
  }),
  route({
    method: 'GET',
    path: '/health',
    operationId: 'getHealth',
    summary: 'Check whether the service is up',
    needsKey: false,
    reply: { status: 200, description: 'The service is up.', schema: 'Health' },
    handler: () => ({ status: 'ok' })
  })
]
