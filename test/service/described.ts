import { OpenAPIBackend, SetMatchType } from 'openapi-backend'
import { expect } from 'vitest'
import { stringifyJson } from '../../src/model/json.ts'
import { openApiDocument } from '../../src/service/openapi.ts'

const definition = JSON.parse(stringifyJson(openApiDocument()))
const { router, validator } = await new OpenAPIBackend({
  definition,
  strict: true,
  // Its own int64 stumbles over 2^63 - 1, which JSON.parse rounds up.
  customizeAjv: (ajv) => ajv.addFormat('int64', { type: 'number', validate: Number.isInteger }),
}).init()

interface Answer {
  readonly method: string
  /** With its query. */
  readonly path: string
  readonly status: number
  readonly headers: Readonly<Record<string, unknown>>
  readonly body: string
}

/** To the validator `/v1/pets/` and `//v1/pets` are `/v1/pets`; to the service they are not. */
function findOperation(method: string, path: string) {
  if (/\/\/|.\/(\?|$)/.test(path)) return undefined
  return router.matchOperation({ method: method === 'HEAD' ? 'GET' : method, path, headers: {} })
}

/** Holds a reply against the service's own description, by the eyes of a validator that is not ours. */
export function expectDescribed({ method, path, status, headers, body }: Answer): void {
  const asked = `${method} ${path}`.slice(0, 200)
  const operation = findOperation(method, path)
  const isRefusedBefore = operation === undefined || [400, 405, 408, 431].includes(status)
  if (operation === undefined) expect([400, 401, 404, 405], asked).toContain(status)
  else if (!isRefusedBefore) expect(Object.keys(operation.responses ?? {}), asked).toContain(String(status))

  // What no operation answers has the Error body too: the one that is described for 401.
  const described = isRefusedBefore ? { operation: 'listPets', status: 401 } : { operation, status }
  if (method !== 'HEAD') {
    const checked = validator.validateResponse(JSON.parse(body), described.operation, described.status)
    expect(checked.errors, asked).toBeNull()
    expect(headers['content-type'], asked).toBe('application/json')
  }
  if (!isRefusedBefore) {
    const checked = validator.validateResponseHeaders(headers, operation, {
      statusCode: status,
      setMatchType: SetMatchType.Superset,
    })
    expect(checked.errors, asked).toBeNull()
  }
}
