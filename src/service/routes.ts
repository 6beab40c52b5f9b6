import * as z from 'zod/mini'
import { listLimits } from '../model/pets.ts'
import { messageRequestSchema, newPetSchema } from '../model/request-schema.ts'
import { int64Schema, messageSchema, petSchema, serviceErrorSchema } from '../model/schema.ts'
import type { Tables } from './tables.ts'

/** Answers an operation of the interface. */
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
  /** A body for the document. */
  readonly example?: object
  readonly status: number
  readonly reply: SchemaName
  /** From this day on, it returns 410. Its headers say so before. */
  readonly removal?: Date
  readonly headers?: Readonly<Record<string, string>>
  /** Returns the body of the reply, or undefined for a 404. HEAD comes here too, as GET. */
  handler(input: {
    /** The checked values of the request. */
    readonly parameters: z.output<Parameters>
    readonly body: Body
    readonly tables: Tables
    readonly now: Date
  }): unknown
}

/** Infers the types of what the handler gets. */
function route<Parameters extends z.ZodMiniObject, Body extends SchemaName>(
  declared: Route<Parameters, z.output<(typeof schemas)[Body]>> & { readonly body?: Body }
): Route {
  return declared
}

/** Text that is no integer fails the next check. */
const integerAs = <Value>(convert: (text: string) => Value) =>
  z.transform((text: string) => (/^-?\d+$/.test(text) ? convert(text) : text))
const petId = z.pipe(integerAs(BigInt), int64Schema)

/**
 * The day on which `GET /pets/{petId}` is removed. Given as numbers, because Node 26 loads the time
 * zone to read a text.
 */
const petByIdRemoval = new Date(Date.UTC(2030, 11, 5))

const { minimum, maximum } = listLimits
const limitSchema = z
  .int({ error: `is not a whole number from ${minimum} to ${maximum}` })
  .check(z.gte(minimum), z.lte(maximum))
const limit = z._default(z.pipe(integerAs(Number), limitSchema), listLimits.default)

/** A list has at most 100 pets: with such names, no list is too large for the program. */
const longestName = 10_000
const newPet = z.extend(newPetSchema, {
  name: newPetSchema.shape.name.check(
    z.maxLength(longestName, { error: `has more than ${longestName} characters` })
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
  Error: serviceErrorSchema
} as const

export type SchemaName = keyof typeof schemas

/** Each operation of the interface. A new one is a row here, and a method of the tables. */
export const routes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/v1/pets',
    operationId: 'listPets',
    summary: 'List pets by ascending id',
    parameters: z.object({ limit, status: newPetSchema.shape.status }),
    status: 200,
    reply: 'Pets',
    handler: ({ tables, parameters }) => tables.list(parameters)
  }),
  route({
    method: 'POST',
    path: '/v1/pets',
    operationId: 'createPet',
    summary: 'Add a pet',
    body: 'NewPet',
    example: { name: 'Rex', categoryId: 1, status: 'available' },
    status: 201,
    reply: 'Pet',
    handler: ({ tables, body }) => tables.add(body)
  }),
  route({
    method: 'GET',
    path: '/v1/pets/{petId}',
    operationId: 'getPet',
    summary: 'Get a pet',
    parameters: z.object({ petId }),
    status: 200,
    reply: 'Pet',
    removal: petByIdRemoval,
    // The description of the service has a day of removal, but none of deprecation: this one is
    // ours. See RFC 9745, RFC 8594 and RFC 8288.
    headers: {
      deprecation: `@${Date.UTC(2025, 11, 5) / 1000}`,
      sunset: petByIdRemoval.toUTCString(),
      link: '</v1/pets>; rel="successor-version"'
    },
    handler: ({ tables, parameters }) => tables.get(parameters.petId)
  }),
  route({
    method: 'GET',
    path: '/v1/store/orders',
    operationId: 'listOrders',
    summary: 'List orders (not implemented)',
    status: 501,
    reply: 'Error',
    handler: () => ({
      code: 'not_implemented',
      message: 'the interface does not say what orders contain',
      status: 501
    })
  }),
  route({
    method: 'POST',
    path: '/messages',
    operationId: 'sendMessage',
    summary: 'Queue a message',
    body: 'MessageRequest',
    example: { message: 'Hello' },
    status: 202,
    reply: 'Message',
    // Messages are only queued: nothing sends them on.
    handler: ({ tables, body, now }) => tables.addMessage(body.message, now)
  })
]
