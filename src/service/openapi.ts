import * as z from 'zod/mini'
import { petByIdRemoval } from '../model/pets.ts'
import { longDate } from '../model/quantities.ts'
import { jsonSchemaOptions } from '../model/schema.ts'
import { type Route, routes, shapes } from './routes.ts'

/** The document's text about each error status. */
const errorTexts: Readonly<Record<number, string>> = {
  400: 'The request is not valid.',
  401: 'The API key is missing or not valid.',
  404: 'There is no such pet.',
  410: `The operation was removed on ${longDate(petByIdRemoval)}.`,
  413: 'The body is larger than 1 MiB.',
  500: 'The service failed.',
  501: 'The operation is not implemented.',
  503: 'The service is busy, for example because another program has locked the database. Nothing was changed.',
}

/**
 * The service as an OpenAPI 3.1 document, from the table and the schemas that requests are checked
 * with.
 */
export function openApiDocument(): object {
  const paths: Record<string, Record<string, object>> = {}
  for (const route of routes) {
    const { path, method } = route
    paths[path] ??= {}
    paths[path][method.toLowerCase()] = operationOf(route)
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Pet store',
      version: '1.0.0',
      description: 'Pets and messages. Integers have up to 64 bits: do not round them.',
    },
    servers: [{ url: '/' }],
    security: [{ apiKey: [] }],
    paths,
    components: {
      schemas: namedSchemas(),
      securitySchemes: { apiKey: { type: 'http', scheme: 'bearer' } },
    },
  }
}

function operationOf(route: Route): object {
  const { method, operationId, summary, body, deprecation, needsKey } = route
  const parameters = parametersOf(route)
  return {
    operationId,
    summary,
    ...(deprecation && {
      description: `Use ${method} ${deprecation.successor} instead.`,
      deprecated: true,
    }),
    ...(needsKey === false && { security: [] }),
    ...(parameters.length > 0 && { parameters }),
    ...(body && { requestBody: { required: true, content: contentOf(body) } }),
    responses: responsesOf(route),
  }
}

function parametersOf({ path, parameters }: Route): object[] {
  return Object.entries(parameters?.shape ?? {}).map(([name, parameter]) => {
    const { description, ...schema } = jsonSchemaOf(parameter as z.ZodMiniType)
    const isInPath = path.includes(`{${name}}`)
    return {
      name,
      ...(isInPath ? { in: 'path', required: true } : { in: 'query' }),
      ...(description !== undefined && { description }),
      schema,
    }
  })
}

function responsesOf(route: Route): Readonly<Record<number, object>> {
  const { parameters, body, reply, deprecation, needsKey = true, error } = route
  const statuses = [
    ...(needsKey ? [401] : []),
    ...(parameters || body ? [400] : []),
    ...(deprecation ? [410] : []),
    ...(body ? [413] : []),
    ...(error ? [error] : []),
    500,
    503,
  ]
  const responses = Object.fromEntries(statuses.map((status) => [status, errorResponse(status)]))
  if (reply)
    responses[reply.status] = { description: reply.description, content: contentOf(reply.schema) }
  return responses
}

function errorResponse(status: number): object {
  return { description: errorTexts[status], content: contentOf(shapes.Error) }
}

/** A named schema is referenced by its name; any other is inlined. */
function contentOf(schema: z.ZodMiniType): object {
  const name = Object.entries(shapes).find(([, shape]) => shape === schema)?.[0]
  return {
    'application/json': {
      schema: name === undefined ? jsonSchemaOf(schema) : { $ref: `#/components/schemas/${name}` },
    },
  }
}

/** The named shapes as JSON Schema, which refer to each other. */
function namedSchemas(): object {
  const registry = z.registry<{ id: string }>()
  for (const [id, shape] of Object.entries(shapes)) registry.add(shape, { id })
  const { schemas } = z.toJSONSchema(registry, {
    ...jsonSchemaOptions,
    io: 'input',
    uri: (id) => `#/components/schemas/${id}`,
  })
  const named = Object.entries(schemas)
  return Object.fromEntries(named.map(([name, schema]) => [name, plain(schema)]))
}

/** The schema of a parameter's value after conversion from text. */
function jsonSchemaOf(schema: z.ZodMiniType) {
  return plain(z.toJSONSchema(schema, { ...jsonSchemaOptions, io: 'output' }))
}

function plain({ $schema: _dialect, $id: _place, ...schema }: Readonly<Record<string, unknown>>) {
  return schema
}
