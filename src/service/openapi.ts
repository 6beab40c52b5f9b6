import type * as z from 'zod/mini'
import { schemaAsJson } from '../model/json-schema.ts'
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
  const named = Object.entries(schemas).map(([name, schema]) => [
    name,
    schemaAsJson(schema, 'input')
  ])
  return {
    openapi: '3.1.0',
    info: {
      title: 'Pet store',
      version: '1.0.0'
    },
    security: [{ apiKey: [] }],
    paths,
    components: {
      schemas: Object.fromEntries(named),
      securitySchemes: { apiKey: { type: 'http', scheme: 'bearer' } }
    }
  }
}

/** What is undefined is not in the document. */
function describe(route: Route) {
  const { operationId, summary, body, example, status, reply, removal } = route
  return {
    operationId,
    summary,
    deprecated: removal && true,
    parameters: parametersOf(route),
    requestBody: body && { required: true, content: contentOf(body, example) },
    responses: {
      [status]: { description: reply, content: contentOf(reply) },
      default: { description: 'Refused, or failed', content: contentOf('Error') }
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

const contentOf = (schema: SchemaName, example?: object) => ({
  'application/json': { schema: referenceTo(schema), example }
})
