import * as z from 'zod/mini'
import { listLimits, petByIdRemoval, petStatuses } from '../model/pets.ts'
import { messageRequestSchema, messageSchema, newPetSchema, petSchema, serviceErrorSchema } from '../model/schema.ts'

/** What is described of an error, by its status. */
const errors: Readonly<Record<number, { description: string; headers?: object }>> = {
  400: { description: 'The request holds what it may not, or lacks what it must have.' },
  401: { description: 'The API key is missing or not valid.', headers: headersOf({ 'WWW-Authenticate': 'Bearer' }) },
  404: { description: 'There is no such thing.' },
  410: { description: `Removed, as of ${petByIdRemoval.toISOString().slice(0, 10)}.` },
  413: { description: 'The body is larger than 1 MiB.' },
  500: { description: 'The service failed.' },
  501: { description: 'Not described, and so not there.' },
  503: {
    description: 'Another program holds the database; nothing was changed.',
    headers: headersOf({ 'Retry-After': 'How many seconds to wait before the request is repeated.' }),
  },
}

const deprecationHeaders = headersOf({
  Deprecation: 'Since when the operation is deprecated (RFC 9745).',
  Sunset: 'When the operation is removed (RFC 8594).',
  Link: 'What replaces it (RFC 8288).',
})

const petId = { name: 'petId', in: 'path', required: true, schema: { type: 'integer', format: 'int64' } }
const limit = {
  name: 'limit',
  in: 'query',
  description: 'How many animals there may be at most.',
  schema: {
    type: 'integer',
    minimum: listLimits.minimum,
    maximum: listLimits.maximum,
    default: listLimits.unasked,
  },
}
const status = {
  name: 'status',
  in: 'query',
  description: 'Only animals in this state.',
  schema: { type: 'string', enum: petStatuses },
}

/** What the service answers to, as an OpenAPI 3.1 document: its shapes are those that requests are checked with. */
export function openApiDocument(): object {
  return {
    openapi: '3.1.0',
    info: {
      title: 'Pet store',
      version: '1.0.0',
      description: 'Animals, and messages that are queued. Integers are of 64 bits: read them exactly.',
    },
    servers: [{ url: '/' }],
    security: [{ apiKey: [] }],
    paths: {
      '/v1/pets': {
        get: {
          operationId: 'listPets',
          summary: 'List animals, by ascending id',
          parameters: [limit, status],
          responses: { 200: reply('The animals.', 'Pets'), ...refusals(400, 401, 500, 503) },
        },
        post: {
          operationId: 'createPet',
          summary: 'Add an animal',
          requestBody: body('NewPet'),
          responses: { 201: reply('The animal, on disk, with its id.', 'Pet'), ...refusals(400, 401, 413, 500, 503) },
        },
      },
      '/v1/pets/{petId}': {
        get: {
          operationId: 'getPet',
          summary: 'Get an animal',
          description: 'GET /v1/pets replaces it.',
          deprecated: true,
          parameters: [petId],
          responses: {
            ...deprecated({ 200: reply('The animal.', 'Pet'), ...refusals(400, 404, 410, 500, 503) }),
            ...refusals(401),
          },
        },
      },
      '/v1/store/orders': {
        get: {
          operationId: 'listOrders',
          summary: 'Orders, whose contents nobody describes',
          responses: refusals(401, 501),
        },
      },
      '/v1/openapi.json': {
        get: {
          operationId: 'getDescription',
          summary: 'This document',
          responses: {
            200: { description: 'It.', content: { 'application/json': { schema: { type: 'object' } } } },
            ...refusals(401),
          },
        },
      },
      '/messages': {
        post: {
          operationId: 'sendMessage',
          summary: 'Queue a message',
          requestBody: body('MessageRequest'),
          responses: { 202: reply('The message, queued.', 'Message'), ...refusals(400, 401, 413, 500, 503) },
        },
      },
      '/health': {
        get: {
          operationId: 'getHealth',
          summary: 'Whether the service is up',
          security: [],
          responses: { 200: reply('It is.', 'Health') },
        },
      },
    },
    components: {
      schemas: schemas(),
      securitySchemes: { apiKey: { type: 'http', scheme: 'bearer' } },
    },
  }
}

/** The shapes as JSON Schema, each by its name, naming each other. */
function schemas(): object {
  const shapes = z.registry<{ id: string }>()
  const pet = z.extend(newPetSchema, { id: petSchema.shape.id })
  shapes.add(newPetSchema, { id: 'NewPet' })
  shapes.add(pet, { id: 'Pet' })
  shapes.add(z.array(pet), { id: 'Pets' })
  shapes.add(messageRequestSchema, { id: 'MessageRequest' })
  shapes.add(messageSchema, { id: 'Message' })
  shapes.add(serviceErrorSchema, { id: 'Error' })
  shapes.add(z.object({ status: z.enum(['ok']) }), { id: 'Health' })
  const { schemas } = z.toJSONSchema(shapes, {
    io: 'input',
    uri: (id) => `#/components/schemas/${id}`,
    // JSON Schema has no word for an integer that JavaScript can't count to.
    unrepresentable: 'any',
    override: ({ zodSchema, jsonSchema }) => {
      if (zodSchema._zod.def.type === 'bigint') jsonSchema.type = 'integer'
    },
  })
  return Object.fromEntries(
    Object.entries(schemas).map(([name, { $schema: _dialect, $id: _place, ...schema }]) => [name, schema]),
  )
}

function reply(description: string, shape: string) {
  return { description, content: contentOf(shape) }
}

function body(shape: string) {
  return { required: true, content: contentOf(shape) }
}

function contentOf(shape: string) {
  return { 'application/json': { schema: { $ref: `#/components/schemas/${shape}` } } }
}

function refusals(...statuses: number[]) {
  return Object.fromEntries(statuses.map((status) => [status, { ...errors[status], content: contentOf('Error') }]))
}

function deprecated(responses: Readonly<Record<number, { description: string; headers?: object }>>) {
  return Object.fromEntries(
    Object.entries(responses).map(([status, response]) => [
      status,
      { ...response, headers: { ...response.headers, ...deprecationHeaders } },
    ]),
  )
}

function headersOf(descriptions: Readonly<Record<string, string>>): object {
  return Object.fromEntries(
    Object.entries(descriptions).map(([name, description]) => [
      name,
      { description, required: true, schema: { type: 'string' } },
    ]),
  )
}
