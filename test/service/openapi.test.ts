import { Validator } from '@seriousme/openapi-schema-validator'
import { beforeAll, describe, expect, test } from 'vitest'
import { parseJson, stringifyJson } from '../../src/model/json.ts'
import { openApiDocument } from '../../src/service/openapi.ts'
import { createHandler } from '../../src/service/router.ts'
import { expectDescribed } from './described.ts'
import { incoming } from './incoming.ts'
import { openDatabase } from './open-database.ts'

let document: ReturnType<typeof JSON.parse>

// In a hook, so that an error fails the tests and not the import of this file.
beforeAll(() => {
  document = JSON.parse(stringifyJson(openApiDocument()))
})

test('a public validator accepts the document as OpenAPI 3.1', async () => {
  const validator = new Validator()
  expect(await validator.validate(structuredClone(document))).toEqual({ valid: true })
  expect(validator.version).toBe('3.1')
})

test('its schemas have the fields and types of the model', () => {
  const int64 = { type: 'integer', format: 'int64' }
  const newPet = {
    name: { type: 'string', pattern: '\\S' },
    categoryId: int64,
    status: { type: 'string', enum: ['available', 'pending', 'sold'] }
  }
  const { NewPet, Pet } = document.components.schemas
  expect(NewPet).toEqual({
    type: 'object',
    // Longer names of earlier versions may still be in a list.
    properties: { ...newPet, name: { ...newPet.name, maxLength: 10_000 } },
    required: ['name', 'categoryId']
  })
  expect(Pet.properties).toEqual({ ...newPet, id: int64 })
  expect([...Pet.required].sort()).toEqual(['categoryId', 'id', 'name'])
  const [petId] = document.paths['/v1/pets/{petId}'].get.parameters
  expect(petId).toMatchObject({ name: 'petId', in: 'path', required: true, schema: int64 })
  const { responses } = document.paths['/health'].get
  expect(Object.keys(responses)).toContain('200')
  expect(responses['200'].content['application/json'].schema).toBeDefined()
  const added = document.paths['/v1/pets'].post.responses['201']
  expect(added.content['application/json'].schema).toEqual({ $ref: '#/components/schemas/Pet' })
})

test('it says where the service is, and how the key is sent', () => {
  expect(document.servers).toEqual([{ url: '/' }])
  expect(document.components.securitySchemes).toEqual({
    apiKey: { type: 'http', scheme: 'bearer' }
  })
})

test('only an operation with input has a 400 reply', () => {
  const canBeRefused = (path: string, method: string) =>
    '400' in document.paths[path][method].responses
  expect(canBeRefused('/v1/pets', 'get')).toBe(true)
  expect(canBeRefused('/v1/pets', 'post')).toBe(true)
  expect(canBeRefused('/v1/pets/{petId}', 'get')).toBe(true)
  expect(canBeRefused('/health', 'get')).toBe(false)
})

test('GET /v1/openapi.json returns the document, and needs the key', async () => {
  const database = await openDatabase({ path: ':memory:', samples: false })
  const handler = createHandler({
    database,
    acceptsKey: key => key === 'right',
    now: () => new Date()
  })
  const send = (key: string) => {
    const headers = { authorization: `Bearer ${key}` }
    return handler(incoming({ method: 'GET', url: 'http://local/v1/openapi.json', headers }))
  }
  expect((await send('wrong')).status).toBe(401)
  const reply = await send('right')
  expect(reply.status).toBe(200)
  expect(parseJson(Buffer.from(reply.body).toString())).toEqual(document)
  await database.close()
})

describe('the check of replies against the document finds', () => {
  const headers = { 'content-type': 'application/json' }
  const reply = { method: 'GET', path: '/v1/pets', status: 200, headers, body: '[]' }
  const pet = '{"id":1,"name":"Rex","categoryId":9223372036854775807}'

  test.each([
    ['no error in a correct reply', { body: `[${pet}]` }, true],
    ['a missing field', { body: '[{"id":1,"name":"Rex"}]' }, false],
    ['a number in quotes', { body: '[{"id":"1","name":"Rex","categoryId":1}]' }, false],
    ['a fraction', { body: '[{"id":1.5,"name":"Rex","categoryId":1}]' }, false],
    [
      'an unknown status',
      { body: '[{"id":1,"name":"Rex","categoryId":1,"status":"lost"}]' },
      false
    ],
    ['an object instead of a list', { body: pet }, false],
    ['a status that is not described', { status: 201 }, false],
    ['another content type', { headers: { 'content-type': 'text/plain' } }, false],
    ['an error without its fields', { status: 503, body: '{"code":"busy"}' }, false],
    [
      'an error without its fields at an unknown path',
      { path: '/nowhere', status: 404, body: '{}' },
      false
    ],
    ['success at an unknown path', { path: '/nowhere', body: '[]' }, false]
  ])('%s', (_, change, isDescribed) => {
    const check = () => expectDescribed({ ...reply, ...change })
    if (isDescribed) check()
    else expect(check).toThrow()
  })
})
