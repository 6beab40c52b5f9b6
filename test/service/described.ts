import { Ajv2020 } from 'ajv/dist/2020.js'
import { expect } from 'vitest'
import { stringifyJson } from '../../src/model/json.ts'
import { openApiDocument } from '../../src/service/openapi.ts'

interface Operation {
  readonly responses: Readonly<Record<string, object>>
}

interface Description {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly validator: Ajv2020
}

let description: Description | undefined

/**
 * The OpenAPI document of the service. It is created at first use, so that an error fails a test,
 * not this import.
 */
function describedService(): Description {
  description ??= readDescription()
  return description
}

function readDescription(): Description {
  const document = JSON.parse(stringifyJson(openApiDocument()))
  // The rest of the document is not a JSON schema. A number above 2^53 is rounded here, but it
  // stays an integer.
  const validator = new Ajv2020({
    strict: false,
    formats: { int64: { type: 'number', validate: Number.isInteger } }
  })
  validator.addSchema(document, 'service')
  return { paths: document.paths, validator }
}

interface Answer {
  readonly method: string
  /** Includes the query. */
  readonly path: string
  readonly status: number
  readonly headers: Readonly<Record<string, unknown>>
  readonly body: string
}

/** Checks a reply against the OpenAPI document of the service, with a public validator. */
export function expectDescribed({ method, path, status, headers, body }: Answer): void {
  const request = `${method} ${path}`.slice(0, 200)
  const found = findOperation(method, path)
  const isRefusedBefore = found === undefined || [400, 405, 408, 431].includes(status)
  if (found === undefined) expect([400, 401, 404, 405], request).toContain(status)
  else if (!isRefusedBefore)
    expect(Object.keys(found.operation.responses), request).toContain(String(status))

  // A reply outside all operations has the Error body too, as described for 401.
  const place = isRefusedBefore
    ? ['/v1/pets', 'get', 'responses', '401']
    : [...found.place, 'responses', `${status}`]
  if (method !== 'HEAD') {
    const schema = ['paths', ...place, 'content', 'application/json', 'schema']
      .map(pointerPart)
      .join('/')
    expect(errorsIn(`service#/${schema}`, JSON.parse(body)), request).toEqual([])
    expect(headers['content-type'], request).toBe('application/json')
  }
}

/** The operation, and its place in the document. */
function findOperation(method: string, path: string) {
  const { paths } = describedService()
  const template = Object.keys(paths).find(known =>
    templatePattern(known).test(path.replace(/\?.*/s, ''))
  )
  const verb = method === 'HEAD' ? 'get' : method.toLowerCase()
  const operation = template === undefined ? undefined : paths[template]?.[verb]
  return operation && { operation, place: [template ?? '', verb] }
}

/** `/v1/pets/{petId}` matches `/v1/pets/1`. */
function templatePattern(template: string): RegExp {
  const parts = template.split(/\{[^}]*\}/).map(part => part.replace(/[.*+?^$()|[\]\\]/g, '\\$&'))
  return new RegExp(`^${parts.join('[^/]+')}$`)
}

const pointerPart = (name: string) =>
  encodeURIComponent(name.replaceAll('~', '~0').replaceAll('/', '~1'))

function errorsIn(schema: string, value: unknown): readonly string[] {
  const { validator } = describedService()
  const validate = validator.getSchema(schema)
  if (validate === undefined) return [`there is no ${schema}`]
  return validate(value) ? [] : [validator.errorsText(validate.errors)]
}
