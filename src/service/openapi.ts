import * as z from 'zod/mini'
import { type Route, referenceTo, routes, type SchemaName, schemas } from './routes.ts'

/**
 * The interface as an OpenAPI 3.1 document, from the table and the schemas that requests are checked
 * with.
 */
export function openApiDocument(): object {
  const paths: Record<string, Record<string, object>> = {}
  for (const route of routes) {
    const { path, method } = route
    paths[path] = { ...paths[path], [method.toLowerCase()]: describe(route) }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Pet store',
      version: '1.0.0'
    },
    security: [{ apiKey: [] }],
    paths,
    components: {
      schemas: Object.fromEntries(
        Object.entries(schemas).map(([name, schema]) => [name, schemaAsJson(schema, 'input')])
      ),
      securitySchemes: { apiKey: { type: 'http', scheme: 'bearer' } }
    }
  }
}

/** What every change can have: a key, and what becomes of a repeated one. */
const keyed = {
  parameters: [
    {
      name: 'Idempotency-Key',
      in: 'header',
      description: 'A change that is repeated with its key and the same body is made once',
      schema: { type: 'string' }
    }
  ],
  headers: {
    'Idempotent-Replayed': {
      description: 'This is the first reply to the key again',
      schema: { const: 'true' }
    }
  },
  responses: {
    409: refused('The first request with this key is in progress'),
    422: refused('This key belongs to another request')
  }
}

/** What is undefined is not in the document. */
function describe(route: Route) {
  const { method, operationId, summary, body, example, status, reply, removal } = route
  const added = method === 'GET' ? undefined : keyed
  return {
    operationId,
    summary,
    deprecated: removal && true,
    parameters: [...parametersOf(route), ...(added?.parameters ?? [])],
    requestBody: body && { required: true, content: contentOf(body, example) },
    responses: {
      [status]: { description: reply, headers: added?.headers, content: contentOf(reply) },
      ...added?.responses,
      default: refused('Refused, or failed')
    }
  }
}

function parametersOf({ path, parameters }: Route) {
  return Object.entries(parameters?.shape ?? {}).map(([name, parameter]) => {
    const required = path.includes(`{${name}}`)
    // The value that the text of a parameter is converted to.
    const schema = schemaAsJson(parameter as z.ZodMiniType)
    return { name, in: required ? 'path' : 'query', required, schema }
  })
}

function refused(description: string) {
  return { description, content: contentOf('Error') }
}

function contentOf(schema: SchemaName, example?: object) {
  return { 'application/json': { schema: referenceTo(schema), example } }
}

/**
 * A schema as JSON Schema, of a value before or after it is read. The dialect is the same for all,
 * and is documented.
 */
export function schemaAsJson(schema: z.ZodMiniType, io: 'input' | 'output' = 'output') {
  const { $schema: _dialect, ...stated } = z.toJSONSchema(schema, {
    io,
    // JSON Schema has no bigint.
    unrepresentable: 'any',
    override: ({ zodSchema, jsonSchema }) => {
      if (zodSchema._zod.def.type === 'bigint') jsonSchema.type = 'integer'
    }
  })
  return stated
}
