import * as z from 'zod/mini'
import type { Reply } from '../model/exchange.ts'
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
import { jsonReply, Refusal } from './http.ts'
import type { Tables } from './tables.ts'

/** What the OpenAPI document says about a route, too. */
interface RouteText {
  readonly method: 'GET' | 'POST'
  /** `{petId}` stands for one part of the path. */
  readonly path: string
  readonly operationId: string
  readonly summary: string
  readonly reply?: {
    readonly status: number
    readonly description: string
    readonly schema?: SchemaName
  }
  /** The status of another error that does not follow from the other fields. */
  readonly error?: 409 | 501
}

/** An operation of the interface. */
export interface Operation<Parameters extends z.ZodMiniObject = z.ZodMiniObject, Body = unknown>
  extends RouteText {
  /**
   * Those in the path, and others in the query. Their texts are converted and checked by their
   * schemas, which also describe them.
   */
  readonly parameters?: Parameters
  readonly body?: SchemaName
  /** The message of a 404, which is the reply if the handler returns undefined. */
  absence?(parameters: z.output<Parameters>): string
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
    readonly tables: Tables
    now(): Date
  }): unknown
}

/** What this service has beside the interface: no faults, no latency. */
export interface Extra extends RouteText {
  readonly needsKey: boolean
  answer(service: LocalTools): Promise<Reply>
}

/** What the extras work with. */
export interface LocalTools {
  readonly database: PetDatabase
  /** The OpenAPI document. */
  describe(): Promise<object>
  /** The latest requests, the oldest first. */
  requests(): readonly object[]
  /** Puts everything back to the start; undefined where the data is not only for tests. */
  readonly reset: (() => Promise<void>) | undefined
}

export type Route = Operation | Extra

/** Infers the types of what the handler gets. */
function operation<Parameters extends z.ZodMiniObject, Body extends SchemaName>(
  declared: Operation<Parameters, z.output<(typeof schemas)[Body]>> & { readonly body?: Body }
): Operation {
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

const receivedRequest = z.object({
  time: z.string(),
  method: z.string(),
  path: z.string().check(z.meta({ description: 'With its query.' })),
  status: z.nullable(z.int()).check(z.meta({ description: 'null if the reply was lost.' })),
  body: z.string().check(z.meta({ description: 'The beginning of the body as text.' }))
})

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
  Requests: z.array(receivedRequest),
  Description: z.looseObject({})
} as const

export type SchemaName = keyof typeof schemas

/** All operations. A new one is a row here, and a method of the tables. */
export const operations: readonly Operation[] = [
  operation({
    method: 'GET',
    path: '/v1/pets',
    operationId: 'listPets',
    summary: 'List pets by ascending id',
    parameters: z.object({ limit, status: statusFilter }),
    reply: { status: 200, description: 'The pets.', schema: 'Pets' },
    handler: ({ tables, parameters }) => tables.list(parameters)
  }),
  operation({
    method: 'POST',
    path: '/v1/pets',
    operationId: 'createPet',
    summary: 'Add a pet',
    body: 'NewPet',
    reply: { status: 201, description: 'The pet with its id, stored on disk.', schema: 'Pet' },
    handler: ({ tables, body }) => tables.add(body)
  }),
  operation({
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
    handler: ({ tables, parameters }) => tables.get(parameters.petId)
  }),
  operation({
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
  operation({
    method: 'POST',
    path: '/messages',
    operationId: 'sendMessage',
    summary: 'Queue a message',
    body: 'MessageRequest',
    reply: { status: 202, description: 'The queued message.', schema: 'Message' },
    // Messages are only queued: nothing sends them on.
    handler: ({ tables, body, now }) => tables.addMessage(body.message, now())
  })
]

const description = {
  method: 'GET',
  summary: 'Get this document',
  reply: { status: 200, description: 'This document.', schema: 'Description' },
  needsKey: false,
  answer: async ({ describe }: LocalTools) => jsonReply(200, await describe())
} as const

export const extras: readonly Extra[] = [
  { ...description, path: '/openapi.json', operationId: 'getDescription' },
  { ...description, path: '/v1/openapi.json', operationId: 'getDescriptionBelowBase' },
  {
    method: 'GET',
    path: '/health',
    operationId: 'getHealth',
    summary: 'Check whether the service is up',
    needsKey: false,
    reply: { status: 200, description: 'The service is up.', schema: 'Health' },
    answer: async () => jsonReply(200, { status: 'ok' })
  },
  {
    method: 'GET',
    path: '/_local/requests',
    operationId: 'listRequests',
    summary: 'List the latest requests, the oldest first',
    needsKey: true,
    reply: { status: 200, description: 'The latest requests.', schema: 'Requests' },
    answer: async ({ requests }) => jsonReply(200, requests())
  },
  {
    method: 'GET',
    path: '/_local/pets',
    operationId: 'showPets',
    summary: 'List pets without faults, and without a trace in the latest requests',
    needsKey: true,
    reply: { status: 200, description: 'The first pets.', schema: 'Pets' },
    answer: async ({ database }) => {
      const { maximum } = listLimits
      return jsonReply(200, await database.read(tables => tables.list({ limit: maximum })))
    }
  },
  {
    method: 'POST',
    path: '/_local/reset',
    operationId: 'reset',
    summary: 'Put everything back to the start',
    needsKey: true,
    reply: { status: 204, description: 'Everything is as at the start.' },
    error: 409,
    answer: async ({ reset }) => {
      if (reset === undefined)
        throw new Refusal(409, 'not_resettable', 'the data of --env local is not reset')
      await reset()
      return { status: 204, headers: {}, body: new Uint8Array() }
    }
  }
]

export const routes: readonly Route[] = [...operations, ...extras]
