import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { int64Limits } from '../../src/model/pets.ts'
import { samplePets } from '../../src/service/database.ts'
import { key, type RunningService, startService } from './running-service.ts'

let service: RunningService

beforeAll(async () => {
  service = await startService({ samples: true })
})
afterAll(() => service.close())

type RequestOptions = Parameters<RunningService['send']>[2]
type Case = readonly [request: string, status: number, options?: RequestOptions]

const { minimum, maximum } = int64Limits
const pet = (fields: string) => ({ body: `{"name":"Rex","categoryId":1${fields}}` })
const body = (text: string) => ({ body: text })
const as = (type: string) => ({ ...pet(''), type })
const bearer = (authorization: string | undefined) => ({ authorization })
const padded = (size: number) => pet(`,"more":"${'x'.repeat(size - pet(',"more":""').body.length)}"`)
const oneMebibyte = 1024 * 1024

const cases: Readonly<Record<string, readonly Case[]>> = {
  'the key': [
    ['GET /v1/pets', 200, bearer(`Bearer ${key}`)],
    ['GET /v1/pets', 200, bearer(`bearer   ${key}`)],
    ['GET /v1/pets', 401, bearer(undefined)],
    ['GET /v1/pets', 401, bearer('')],
    ['GET /v1/pets', 401, bearer('Bearer')],
    ['GET /v1/pets', 401, bearer('Bearer other')],
    ['GET /v1/pets', 401, bearer(`Bearer ${key}x`)],
    ['GET /v1/pets', 401, bearer(`Bearer ${key} ${key}`)],
    ['GET /v1/pets', 401, bearer(`Basic ${btoa(`user:${key}`)}`)],
    ['GET /v1/pets', 401, bearer(key)],
    [`GET /v1/pets?api_key=${key}`, 401, bearer(undefined)],
  ],
  'the key is checked first': [
    ['GET /v1/pets?limit=0', 401, bearer('Bearer other')],
    ['GET /v1/pets/x', 401, bearer('Bearer other')],
    ['GET /nowhere', 401, bearer('Bearer other')],
    ['GET /%zz', 401, bearer('Bearer other')],
    ['PUT /v1/pets', 401, bearer('Bearer other')],
    ['GET /v1/store/orders', 401, bearer('Bearer other')],
    ['GET /v1/openapi.json', 401, bearer('Bearer other')],
    ['POST /v1/pets', 401, { ...body('{'), ...bearer('Bearer other') }],
    ['POST /v1/pets', 401, { ...padded(oneMebibyte + 1), ...bearer('Bearer other') }],
    ['POST /messages', 401, { ...body('{}'), ...bearer('Bearer other') }],
  ],
  'listing pets': [
    ['GET /v1/pets', 200],
    ['HEAD /v1/pets', 200],
    ['GET /v1/pets?limit=1', 200],
    ['GET /v1/pets?limit=100', 200],
    ['GET /v1/pets?limit=001', 200],
    ['GET /v1/pets?status=available', 200],
    ['GET /v1/pets?status=pending', 200],
    ['GET /v1/pets?status=sold&limit=2', 200],
    ['GET /v1/pets?unknown=1', 200],
    ['GET /v1/pets?limit=0', 400],
    ['GET /v1/pets?limit=101', 400],
    ['GET /v1/pets?limit=-1', 400],
    ['GET /v1/pets?limit=', 400],
    ['GET /v1/pets?limit=1.5', 400],
    ['GET /v1/pets?limit=ten', 400],
    ['GET /v1/pets?limit=1&limit=2', 400],
    ['GET /v1/pets?limit=99999999999999999999', 400],
    ['GET /v1/pets?status=', 400],
    ['GET /v1/pets?status=lost', 400],
    ['GET /v1/pets?status=SOLD', 400],
    ['GET /v1/pets?status=sold&status=sold', 400],
    ['HEAD /v1/pets?limit=0', 400],
  ],
  'adding a pet': [
    ['POST /v1/pets', 201, pet('')],
    ['POST /v1/pets', 201, pet(',"status":"available"')],
    ['POST /v1/pets', 201, pet(',"status":"pending"')],
    ['POST /v1/pets', 201, pet(',"status":"sold"')],
    ['POST /v1/pets', 201, pet(',"id":1,"unknown":[]')],
    ['POST /v1/pets', 201, body(`{"name":"x","categoryId":${maximum}}`)],
    ['POST /v1/pets', 201, body(`{"name":"x","categoryId":${minimum}}`)],
    ['POST /v1/pets', 201, body('{"name":"小雪 🐇","categoryId":0}')],
    ['POST /v1/pets', 201, as('application/json; charset=utf-8')],
    ['POST /v1/pets', 201, padded(oneMebibyte)],
    ['POST /v1/pets', 413, padded(oneMebibyte + 1)],
    ['POST /v1/pets', 413, body('x'.repeat(8 * oneMebibyte))],
    ['POST /v1/pets', 400],
    ['POST /v1/pets', 400, body('')],
    ['POST /v1/pets', 400, body('{')],
    ['POST /v1/pets', 400, body('[]')],
    ['POST /v1/pets', 400, body('null')],
    ['POST /v1/pets', 400, body('name=Rex&categoryId=1')],
    ['POST /v1/pets', 400, { body: Buffer.from('{"name":"\xe9","categoryId":1}', 'latin1') }],
    ['POST /v1/pets', 400, body('{"categoryId":1}')],
    ['POST /v1/pets', 400, body('{"name":"x"}')],
    ['POST /v1/pets', 400, body('{"name":"","categoryId":1}')],
    ['POST /v1/pets', 400, body('{"name":" \\t\\n","categoryId":1}')],
    ['POST /v1/pets', 400, body('{"name":7,"categoryId":1}')],
    ['POST /v1/pets', 400, body('{"name":null,"categoryId":1}')],
    ['POST /v1/pets', 400, body('{"name":"x","categoryId":"1"}')],
    ['POST /v1/pets', 400, body('{"name":"x","categoryId":1.5}')],
    ['POST /v1/pets', 400, body('{"name":"x","categoryId":null}')],
    ['POST /v1/pets', 400, body(`{"name":"x","categoryId":${maximum + 1n}}`)],
    ['POST /v1/pets', 400, body(`{"name":"x","categoryId":${minimum - 1n}}`)],
    ['POST /v1/pets', 400, pet(',"status":"lost"')],
    ['POST /v1/pets', 400, pet(',"status":null')],
    ['POST /v1/pets', 400, as('text/plain')],
    ['POST /v1/pets', 400, as('application/xml')],
    ['POST /v1/pets', 400, as('application/json; charset=latin1')],
  ],
  'getting a pet': [
    ['GET /v1/pets/1', 200],
    ['HEAD /v1/pets/1', 200],
    ['GET /v1/pets/%31', 200],
    ['GET /v1/pets/0', 404],
    ['GET /v1/pets/-1', 404],
    [`GET /v1/pets/${maximum}`, 404],
    [`GET /v1/pets/${minimum}`, 404],
    ['HEAD /v1/pets/0', 404],
    [`GET /v1/pets/${maximum + 1n}`, 400],
    ['GET /v1/pets/one', 400],
    ['GET /v1/pets/1.0', 400],
    ['GET /v1/pets/1%2F2', 400],
  ],
  'sending a message': [
    ['POST /messages', 202, body('{"message":"hello"}')],
    ['POST /messages', 202, body('{"message":"","to":"unknown"}')],
    ['POST /messages', 400, body('{}')],
    ['POST /messages', 400, body('{"message":7}')],
    ['POST /messages', 400, body('hello')],
    ['POST /messages', 400],
    ['POST /messages', 400, { ...body('{"message":"hello"}'), type: 'text/plain' }],
    ['POST /messages', 413, body(`{"message":"${'x'.repeat(oneMebibyte)}"}`)],
  ],
  'other paths and methods': [
    ['GET /health', 200, bearer(undefined)],
    ['GET /health', 200],
    ['HEAD /health', 200, bearer(undefined)],
    ['GET /v1/openapi.json', 200],
    ['GET /v1/store/orders', 501],
    ['GET /', 404],
    ['GET /v1', 404],
    ['GET /pets', 404],
    ['GET /v1/pets/', 404],
    ['GET //v1/pets', 404],
    ['GET /v1/pets/1/toys', 404],
    ['POST /v1/messages', 404, body('{"message":"hello"}')],
    ['GET /%zz', 400],
    ['PUT /v1/pets', 405, pet('')],
    ['PATCH /v1/pets', 405, pet('')],
    ['DELETE /v1/pets', 405],
    ['OPTIONS /v1/pets', 405],
    ['POST /v1/pets/1', 405, pet('')],
    ['DELETE /v1/pets/1', 405],
    ['GET /messages', 405],
    ['POST /health', 405],
    ['POST /v1/store/orders', 405],
    ['POST /v1/openapi.json', 405],
    ['PROPFIND /v1/pets', 405],
  ],
}

for (const [group, requests] of Object.entries(cases)) {
  describe(group, () => {
    test.each(requests.map(([request, status, options = {}]) => ({ request, status, options })))(
      '$request returns $status: $options',
      async ({ request, status, options }) => {
        const [method = '', path = ''] = request.split(' ')
        const reply = await service.send(method, path, options)
        expect(reply.status).toBe(status)
        if (method === 'HEAD') expect(reply.body).toBe('')
        if (method !== 'HEAD' && status >= 400) expect(JSON.parse(reply.body).status).toBe(status)
        if (status === 405) expect(reply.headers.allow).toMatch(/^(GET, HEAD(, POST)?|POST)$/)
        if (status === 401) expect(reply.headers['www-authenticate']).toBe('Bearer')
      },
    )
  })
}

test('there are at least eighty cases, with every status', () => {
  const all = Object.values(cases).flat()
  expect(all.length).toBeGreaterThanOrEqual(80)
  const statuses = new Set(all.map(([, status]) => status))
  expect([...statuses].sort()).toEqual([200, 201, 202, 400, 401, 404, 405, 413, 501])
})

test('the list has the sample pets and the added ones, by ascending id', async () => {
  const { body: before } = await service.send('GET', '/v1/pets?limit=100')
  const added = await service.send('POST', '/v1/pets', body('{"name":"last","categoryId":9007199254740993}'))
  const { body: after } = await service.send('GET', '/v1/pets?limit=100')
  expect(
    JSON.parse(before)
      .slice(0, samplePets.length)
      .map(({ name }: { name: string }) => name),
  ).toEqual(samplePets.map(({ name }) => name))
  expect(after).toBe(`${before.slice(0, -1)},${added.body}]`)
  expect(added.body).toContain('"categoryId":9007199254740993')
})

test('getting one pet returns 410 from the day on which the operation is removed', async () => {
  let now = new Date('2030-12-04T23:59:59Z')
  const future = await startService({ samples: true, now: () => now })
  expect((await future.send('GET', '/v1/pets/1')).status).toBe(200)
  now = new Date('2030-12-05T00:00:00Z')
  const reply = await future.send('GET', '/v1/pets/1')
  expect(reply.status).toBe(410)
  expect(reply.headers).toMatchObject({
    deprecation: '@1764892800',
    sunset: 'Thu, 05 Dec 2030 00:00:00 GMT',
    link: '</v1/pets>; rel="successor-version"',
  })
  await future.close()
})
