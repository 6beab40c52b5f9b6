import type * as z from 'zod/mini'
import { petByIdRemoval } from '../model/pets.ts'
import { longDate } from '../model/quantities.ts'
import { schemaAsJson } from '../model/schema.ts'
import {
  type Operation,
  type Route,
  referenceTo,
  routes,
  type SchemaName,
  schemas
} from './routes.ts'

/** The document's text about each error status. */
const errorTexts: Readonly<Record<number, string>> = {
  400: 'The request is not valid.',
  401: 'The API key is missing or not valid.',
  404: 'There is no such pet.',
  409: 'The first request with this idempotency key is in progress, or the data is not reset.',
  410: `The operation was removed on ${longDate(petByIdRemoval)}.`,
  413: 'The body is larger than 1 MiB.',
  422: 'This idempotency key belongs to another request.',
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
  const { method, operationId, summary } = route
  const shared = { operationId, summary, responses: responsesOf(route) }
  if ('answer' in route) return { ...shared, security: route.needsKey ? undefined : [] }
  const { body, deprecation } = route
  return {
    ...shared,
    description: deprecation && `Use ${method} ${deprecation.successor} instead.`,
    deprecated: deprecation && true,
    parameters: parametersOf(route),
    requestBody: body && { required: true, content: contentOf(body) }
  }
}

const idempotencyKey = {
  name: 'Idempotency-Key',
  in: 'header',
  description: 'The same request with the same key gets the first reply again.',
  schema: { type: 'string' }
}

function parametersOf({ path, parameters, body }: Operation): object[] {
  const stated = Object.entries(parameters?.shape ?? {}).map(([name, parameter]) => {
    // The value that the text of a parameter is converted to.
    const { description, ...schema } = schemaAsJson(parameter as z.ZodMiniType)
    const required = path.includes(`{${name}}`)
    return { name, in: required ? 'path' : 'query', required, description, schema }
  })
  return body === undefined ? stated : [...stated, idempotencyKey]
}

function responsesOf(route: Route): Readonly<Record<number, object>> {
  const { reply, error } = route
  const statuses = [...statusesOf(route), error].filter(status => typeof status === 'number')
  const errors = statuses.map(status => [status, responseOf(errorTexts[status], 'Error')])
  const success = reply && { [reply.status]: responseOf(reply.description, reply.schema) }
  return { ...Object.fromEntries(errors), ...success }
}

/** The statuses of errors. */
function statusesOf(route: Route): (number | boolean | undefined)[] {
  if ('answer' in route) return route.needsKey ? [401, 500, 503] : []
  const { parameters, body, deprecation, absence } = route
  const ofBody = body === undefined ? [] : [409, 413, 422]
  return [401, (parameters ?? body) && 400, deprecation && 410, absence && 404, ...ofBody, 500, 503]
}

const responseOf = (description: string | undefined, schema: SchemaName | undefined) => ({
  description,
  content: schema && contentOf(schema)
})

const contentOf = (schema: SchemaName) => ({ 'application/json': { schema: referenceTo(schema) } })
