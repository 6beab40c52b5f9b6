import type * as z from 'zod/mini'
import { petByIdRemoval } from '../model/pets.ts'
import { longDate } from '../model/quantities.ts'
import { schemaAsJson } from '../model/schema.ts'
import { type Route, referenceTo, routes, type SchemaName, schemas } from './routes.ts'

/** The document's text about each error status. */
const errorTexts: Readonly<Record<number, string>> = {
  400: 'The request is not valid.',
  401: 'The API key is missing or not valid.',
  404: 'There is no such pet.',
  410: `The operation was removed on ${longDate(petByIdRemoval)}.`,
  413: 'The body is larger than 1 MiB.',
  500: 'The service failed.',
  501: 'The operation is not implemented.',
  503: 'The service is busy, for example because another program has locked the database. Nothing was changed.'
}

/**
 * The service as an OpenAPI 3.1 document, from the table and the schemas that requests are checked
 * with.
 */
export function openApiDocument(): object {
  const named = Object.entries(schemas).map(([name, schema]) => [
    name,
    schemaAsJson(schema, 'input')
  ])
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
      description: 'Pets and messages. Integers have up to 64 bits: do not round them.'
    },
    servers: [{ url: '/' }],
    security: [{ apiKey: [] }],
    paths,
    components: {
      schemas: Object.fromEntries(named),
      securitySchemes: { apiKey: { type: 'http', scheme: 'bearer' } }
    }
  }
}

/** What is undefined is not in the document. */
function operationOf(route: Route): object {
  const { method, operationId, summary, body, deprecation, needsKey } = route
  return {
    operationId,
    summary,
    description: deprecation && `Use ${method} ${deprecation.successor} instead.`,
    deprecated: deprecation && true,
    security: needsKey === false ? [] : undefined,
    parameters: parametersOf(route),
    requestBody: body && { required: true, content: contentOf(body) },
    responses: responsesOf(route)
  }
}

function parametersOf({ path, parameters }: Route): object[] {
  return Object.entries(parameters?.shape ?? {}).map(([name, parameter]) => {
    // The value that the text of a parameter is converted to.
    const { description, ...schema } = schemaAsJson(parameter as z.ZodMiniType)
    const required = path.includes(`{${name}}`)
    return { name, in: required ? 'path' : 'query', required, description, schema }
  })
}

function responsesOf(route: Route): Readonly<Record<number, object>> {
  const { parameters, body, reply, deprecation, needsKey = true, absence, error } = route
  const statuses = [
    needsKey && 401,
    (parameters ?? body) && 400,
    deprecation && 410,
    body && 413,
    absence && 404,
    error,
    500,
    503
  ].filter(status => typeof status === 'number')
  const errors = statuses.map(status => [status, responseOf(errorTexts[status], 'Error')])
  const success = reply && { [reply.status]: responseOf(reply.description, reply.schema) }
  return { ...Object.fromEntries(errors), ...success }
}

const responseOf = (description: string | undefined, schema: SchemaName) => ({
  description,
  content: contentOf(schema)
})

const contentOf = (schema: SchemaName) => ({ 'application/json': { schema: referenceTo(schema) } })
