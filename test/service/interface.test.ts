import { readFileSync } from 'node:fs'
import { beforeEach, describe, expect, test } from 'vitest'
import { routes } from '../../src/service/routes.ts'
import { rowsOf } from '../cli/typing.ts'
import { json, type RunningService, rex, startService } from './running-service.ts'

let service: RunningService
let time = new Date()

beforeEach(async () => {
  time = new Date('2026-07-01T12:00:00Z')
  service = await startService({ now: () => time })
})

describe('without the right key', () => {
  const closed = 'GET /nothing, GET /v1/pets?limit=0, GET /_local/requests, POST /_local/reset'
  const operations = routes.map(({ method, path }) => `${method} ${path}`)

  test.each([...operations, ...closed.split(', ')])('%s is 401', async target => {
    for (const authorization of ['', 'Bearer other', 'Bearer the-key x', 'Basic the-key']) {
      const { status, headers } = await service.send(target, { headers: { authorization } })
      expect({ status, by: headers['www-authenticate'] }).toEqual({ status: 401, by: 'Bearer' })
    }
  })

  test.each(['GET /', 'GET /openapi.json', 'GET /v1/openapi.json', 'GET /health'])(
    '%s is 200',
    async target => {
      expect((await service.send(target, { headers: { authorization: '' } })).status).toBe(200)
    }
  )
})

test('GET /openapi.json is docs/openapi.json', async () => {
  const page = readFileSync(new URL('../../docs/openapi.json', import.meta.url), 'utf8')
  expect((await service.send('GET /openapi.json')).body).toEqual(JSON.parse(page))
})

test('the document names the idempotency key where something is added', async () => {
  const { body } = await service.send('GET /openapi.json')
  const { paths } = body as { paths: Record<string, Record<string, object>> }
  for (const { path, method } of routes) {
    const described = JSON.stringify(paths[path]?.[method.toLowerCase()])
    for (const word of ['"Idempotency-Key"', '"Idempotent-Replayed"', '"409":', '"422":'])
      expect(described.includes(word), `${method} ${path} ${word}`).toBe(method === 'POST')
  }
})

describe('paths and methods', () => {
  const targets = rowsOf(`
GET /nothing => 404
GET //v1/pets => 404
GET /v1/pets/1/2 => 404
GET /v1/openapi_json => 404
DELETE /v1/pets => 405 GET, POST
PUT /v1/store/orders => 405 GET
GET /messages => 405 POST
GET /_local/reset => 405 POST
GET /v1/store/orders => 501
`)

  test.each(targets)('%s is %s', async (target, expected) => {
    const { status, headers } = await service.send(target)
    expect(`${status} ${headers.allow ?? ''}`.trim()).toBe(expected)
  })

  test('HEAD has the status of GET and no body', async () => {
    expect(await service.send('HEAD /v1/pets')).toMatchObject({ status: 200, text: '' })
    expect(await service.send('HEAD /v1/pets/1')).toMatchObject({ status: 404, text: '' })
  })
})

describe('GET /v1/pets', () => {
  test.each([
    ['', 20],
    ['?limit=100', 100],
    ['?limit=%35&page=2', 5],
    ['?status=sold', 1],
    ['?status=available', 0]
  ])('%s lists %i of 101 pets by ascending id', async (query, count) => {
    const one = { name: 'Rex', categoryId: 1n }
    const firstPets = [{ ...one, status: 'sold' } as const, ...Array(100).fill(one)]
    const { body } = await (await startService({ firstPets })).send(`GET /v1/pets${query}`)
    expect((body as { id: number }[]).map(({ id }) => id)).toEqual(
      Array.from({ length: count }, (_, index) => index + 1)
    )
  })

  test.each(['limit=0', 'limit=101', 'limit=', 'status=', 'status=lost'])(
    '?%s is 400',
    async query => {
      expect((await service.send(`GET /v1/pets?${query}`)).status).toBe(400)
    }
  )
})

describe('POST /v1/pets', () => {
  test.each([
    ['{"name":"Rex","categoryId":1}', '{"id":1,"name":"Rex","categoryId":1}'],
    [
      '{"status":"sold","categoryId":9223372036854775807,"name":" Zoë 漢字 🐇","id":7,"x":[]}',
      '{"id":1,"name":" Zoë 漢字 🐇","categoryId":9223372036854775807,"status":"sold"}'
    ]
  ])('%s is stored as %s', async (body, stored) => {
    const reply = await service.send('POST /v1/pets', { headers: json, body })
    expect(reply).toMatchObject({ status: 201, text: stored })
    expect((await service.send('GET /v1/pets/1')).text).toBe(stored)
    expect((await service.send('GET /v1/pets')).text).toBe(`[${stored}]`)
  })

  test.each([
    ['not JSON', '{"name":', 400],
    ['no category', '{"name":"Rex"}', 400],
    ['a blank name', '{"name":" \\t","categoryId":1}', 400],
    ['a long name', `{"name":"${'x'.repeat(10_001)}","categoryId":1}`, 400],
    ['a category beyond int64', '{"name":"Rex","categoryId":9223372036854775808}', 400],
    ['an unknown status', '{"name":"Rex","categoryId":1,"status":"lost"}', 400],
    ['1 MiB', `{"name":"${'x'.repeat(2 ** 20 - 26)}","categoryId":1}`, 400],
    ['more than 1 MiB', `{"name":"${'x'.repeat(2 ** 20 - 25)}","categoryId":1}`, 413]
  ])('%s is refused, and nothing is added', async (_, body, status) => {
    expect((await service.send('POST /v1/pets', { headers: json, body })).status).toBe(status)
    expect((await service.send('GET /v1/pets')).body).toEqual([])
  })

  test.each(['x/application/json', 'application/jsonx', ''])('the type %j is 400', async type => {
    const sent = { headers: { 'content-type': type }, body: JSON.stringify(rex) }
    expect((await service.send('POST /v1/pets', sent)).status).toBe(400)
  })
})

describe('GET /v1/pets/{petId}', () => {
  test.each([
    ['2', 404],
    ['9223372036854775807', 404],
    ['9223372036854775808', 400],
    ['x', 400]
  ])('%s is %i', async (id, status) => {
    expect((await service.send(`GET /v1/pets/${id}`)).status).toBe(status)
  })

  test('says that it is deprecated, and is 410 from 5 December 2030 on', async () => {
    await service.post('/v1/pets', rex)
    time = new Date('2030-12-04T23:59:59Z')
    const { status, headers } = await service.send('GET /v1/pets/1')
    expect({ status, ...headers }).toMatchObject({
      status: 200,
      deprecation: '@1764892800',
      sunset: 'Thu, 05 Dec 2030 00:00:00 GMT',
      link: '</v1/pets>; rel="successor-version"'
    })
    time = new Date('2030-12-05T00:00:00Z')
    expect((await service.send('GET /v1/pets/1')).status).toBe(410)
  })
})

describe('POST /messages', () => {
  test('queues the message', async () => {
    const { status, body } = await service.post('/messages', { message: 'Hello' })
    const createdAt = time.toISOString()
    expect({ status, body }).toEqual({
      status: 202,
      body: { id: '1', message: 'Hello', status: 'queued', createdAt }
    })
  })

  test.each([{}, { message: 1 }, 'Hello'])('%j is 400', async value => {
    expect((await service.post('/messages', value)).status).toBe(400)
  })
})
