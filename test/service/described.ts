import { Ajv2020 } from 'ajv/dist/2020.js'
import { expect } from 'vitest'
import { openApiDocument } from '../../src/service/openapi.ts'
import { stringifyJson } from '../../src/text/json.ts'

const document = JSON.parse(stringifyJson(openApiDocument()))
// The rest of the document is not a JSON schema.
const validator = new Ajv2020({ strict: false, formats: { int64: true } })
validator.addSchema(document, 'service')

const pointerPart = (name: string) => encodeURIComponent(name.replaceAll('/', '~1'))

/** Where the document has the schema of the reply to `GET /v1/pets`: all errors have one body. */
function schemaOf(target: string, status: number): string | undefined {
  if (status >= 400) return '/components/schemas/Error'
  const [method = '', address = ''] = target.split(' ')
  const path = address.replace(/\?.*/, '').replace(/^\/v1\/pets\/.*/, '/v1/pets/{petId}')
  const responses = document.paths[path]?.[method.toLowerCase()]?.responses
  if (responses === undefined) return undefined
  expect(responses, target).toHaveProperty(String(status))
  const parts = ['paths', path, method.toLowerCase(), 'responses', `${status}`]
  return ['', ...parts, 'content', 'application/json', 'schema'].map(pointerPart).join('/')
}

interface Received {
  readonly status: number | undefined
  readonly body: unknown
}

/** Checks a reply against the OpenAPI document of the service, with a public validator. */
export function expectDescribed(target: string, { status = 0, body }: Received): void {
  const schema = schemaOf(target, status)
  if (schema === undefined || target.startsWith('HEAD')) return
  const validate = validator.getSchema(`service#${schema}`)
  expect(validate?.(body), `${target}: ${JSON.stringify(validate?.errors)}`).toBe(true)
  if (status >= 400) expect(body).toMatchObject({ status })
}
