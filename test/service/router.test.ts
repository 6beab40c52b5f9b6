import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import type { Reply, Request } from '../../src/model/exchange.ts'
import { parseJson } from '../../src/model/json.ts'
import { int64Limits } from '../../src/model/pets.ts'
import { createHandler } from '../../src/service/router.ts'
import { routes } from '../../src/service/routes.ts'
import { expectDescribed } from './described.ts'
import { type Handler, incoming } from './incoming.ts'
import { openDatabase } from './open-database.ts'

const key = 'the-key'
const origin = 'http://127.0.0.1:4010'

let handler: Handler
let time: Date

beforeEach(async () => {
  time = new Date('2026-07-01T12:00:00.000Z')
  const database = await openDatabase({ path: ':memory:', samples: false })
  handler = createHandler({ database, acceptsKey: given => given === key, now: () => time })
  return () => database.close()
})

async function send(method: string, path: string, request: Partial<Request> = {}): Promise<Reply> {
  const headers = { authorization: `Bearer ${key}`, ...request.headers }
  const reply = await handler(
    incoming({ method, url: `${origin}${path}`, body: request.body, headers })
  )
  expectDescribed({ method, path, ...reply, body: Buffer.from(reply.body).toString() })
  return reply
}

function post(path: string, body: string | Uint8Array, type = 'application/json'): Promise<Reply> {
  return send('POST', path, { body, headers: { 'content-type': type } })
}

function bodyOf(reply: Reply): unknown {
  return parseJson(Buffer.from(reply.body).toString())
}

function expectError(reply: Reply, status: number, message: string | RegExp = /./): void {
  const body = bodyOf(reply) as { message: string }
  expect(body).toEqual({
    code: expect.stringMatching(/^[a-z_]+$/),
    message: expect.any(String),
    status
  })
  expect(body.message).toMatch(message)
  expect(reply.status).toBe(status)
  expect(reply.headers['content-type']).toBe('application/json')
}

async function addPets(count: number, status?: string): Promise<void> {
  for (let number = 1; number <= count; number += 1) {
    const reply = await post(
      '/v1/pets',
      JSON.stringify({ name: `pet ${number}`, categoryId: number, status })
    )
    expect(reply.status).toBe(201)
  }
}

describe('the key is checked first', () => {
  const headers = [
    {},
    { authorization: '' },
    { authorization: 'Bearer' },
    { authorization: `Basic ${key}` }
  ]
  const wrong = [
    { authorization: 'Bearer other' },
    { authorization: `Bearer ${key} ${key}` },
    { authorization: key }
  ]
  const targets = [
    'GET /v1/pets',
    'GET /v1/pets?limit=0',
    'POST /v1/pets',
    'GET /v1/pets/x',
    'PUT /messages',
    'GET /%zz'
  ]

  for (const given of [...headers, ...wrong]) {
    test.each(targets)(`${JSON.stringify(given)}: %s returns 401`, async target => {
      const [method = '', path = ''] = target.split(' ')
      const reply = await send(method, path, { headers: { authorization: '', ...given } })
      expectError(reply, 401, 'API key')
      expect(reply.headers['www-authenticate']).toBe('Bearer')
    })
  }

  test('the authorization scheme is case-insensitive', async () => {
    expect(
      (await send('GET', '/v1/pets', { headers: { authorization: `bearer ${key}` } })).status
    ).toBe(200)
  })

  test('a target that is not a URL returns 401 without the key and 404 with it', async () => {
    const request = { method: 'GET', url: 'http://[', headers: {} }
    expectError(await handler(incoming(request)), 401)
    expectError(
      await handler(incoming({ ...request, headers: { authorization: `Bearer ${key}` } })),
      404
    )
  })

  test('/health needs no key', async () => {
    expect(
      (await handler(incoming({ method: 'GET', url: `${origin}/health`, headers: {} }))).status
    ).toBe(200)
  })
})

describe('GET /v1/pets', () => {
  test.each([
    ['', 20],
    ['?limit=1', 1],
    ['?limit=100', 100],
    ['?limit=%35', 5],
    ['?limit=007', 7],
    ['?limit=50&page=2', 50],
    ['?status=sold', 0],
    ['?status=pending&limit=100', 100]
  ])('%s shows %i of 101 pending pets, by ascending id', async (query, count) => {
    await addPets(101, 'pending')
    const reply = await send('GET', `/v1/pets${query}`)
    expect(reply.status).toBe(200)
    expect((bodyOf(reply) as { id: number }[]).map(({ id }) => id)).toEqual(
      Array.from({ length: count }, (_, i) => i + 1)
    )
  })

  test.each([
    '?limit=0',
    '?limit=101',
    '?limit=-1',
    '?limit=',
    '?limit=ten',
    '?limit=1.0',
    '?limit=1e1',
    '?limit=0x10',
    '?limit=+5',
    '?limit=%205',
    '?limit=%0A5',
    '?limit=5%0A',
    '?limit=99999999999999999999999',
    '?status=',
    '?status=Sold',
    '?status=lost',
    '?status=toString',
    '?status=sold,pending'
  ])('%s is 400', async query => {
    expectError(await send('GET', `/v1/pets${query}`), 400, /^(limit|status) /)
  })

  test('only pets with the requested status are listed, and none without a status', async () => {
    await addPets(1, 'sold')
    await addPets(2)
    await addPets(1, 'sold')
    const sold = bodyOf(await send('GET', '/v1/pets?status=sold')) as { id: number }[]
    expect(sold.map(({ id }) => id)).toEqual([1, 4])
  })

  test('an empty database has an empty list', async () => {
    expect(bodyOf(await send('GET', '/v1/pets'))).toEqual([])
  })
})

describe('POST /v1/pets', () => {
  test.each([
    ['{"name":"Rex","categoryId":1}', '{"id":1,"name":"Rex","categoryId":1}'],
    [
      '{"name":"Rex","categoryId":1,"status":"sold"}',
      '{"id":1,"name":"Rex","categoryId":1,"status":"sold"}'
    ],
    [
      '{"name":"x","categoryId":9223372036854775807}',
      '{"id":1,"name":"x","categoryId":9223372036854775807}'
    ],
    [
      '{"name":"x","categoryId":-9223372036854775808}',
      '{"id":1,"name":"x","categoryId":-9223372036854775808}'
    ],
    [
      '{"name":"x","categoryId":9007199254740993}',
      '{"id":1,"name":"x","categoryId":9007199254740993}'
    ],
    ['{"name":"x","categoryId":7.0}', '{"id":1,"name":"x","categoryId":7}'],
    ['{"name":"x","categoryId":-0}', '{"id":1,"name":"x","categoryId":0}'],
    ['{"id":99,"name":"x","categoryId":0,"__proto__":{}}', '{"id":1,"name":"x","categoryId":0}'],
    ['\ufeff{"name":" 小雪 🐇 ","categoryId":0}', '{"id":1,"name":" 小雪 🐇 ","categoryId":0}'],
    ['{"name":"\\ufeffx","categoryId":0}', '{"id":1,"name":"\\ufeffx","categoryId":0}'],
    [
      `{"name":"'); DROP TABLE pets; --","categoryId":0}`,
      `{"id":1,"name":"'); DROP TABLE pets; --","categoryId":0}`
    ]
  ])('%s is added as %s, and read back unchanged', async (sent, stored) => {
    const reply = await post('/v1/pets', sent)
    expect(reply.status).toBe(201)
    expect(Buffer.from(reply.body).toString()).toBe(stored)
    expect(Buffer.from((await send('GET', '/v1/pets/1')).body).toString()).toBe(stored)
    expect(Buffer.from((await send('GET', '/v1/pets')).body).toString()).toBe(`[${stored}]`)
  })

  const rejected: [sent: string | Uint8Array, message: string][] = [
    ['', 'not JSON'],
    ['{', 'not JSON'],
    ['{"name":"x","categoryId":1}x', 'not JSON'],
    ["{'name':'x'}", 'not JSON'],
    ['name=x&categoryId=1', 'not JSON'],
    ['NaN', 'not JSON'],
    [Buffer.from('{"name":"caf\xe9","categoryId":1}', 'latin1'), 'not JSON'],
    ['['.repeat(500_000), 'not JSON'],
    [`{"name":"x","categoryId":1,"more":${'['.repeat(5000)}${']'.repeat(5000)}}`, 'not JSON'],
    ['null', 'object'],
    ['[]', 'object'],
    ['"x"', 'object'],
    ['7', 'object'],
    ['[{"name":"x","categoryId":1}]', 'object'],
    ['{}', 'name is missing'],
    ['{"name":"x"}', 'categoryId is missing'],
    ['{"categoryId":1}', 'name is missing'],
    ['{"name":"","categoryId":1}', 'name must not be blank'],
    ['{"name":" \\t\\n\\u00a0\\u3000","categoryId":1}', 'name must not be blank'],
    ['{"name":7,"categoryId":1}', 'name'],
    ['{"name":null,"categoryId":1}', 'name'],
    ['{"name":["x"],"categoryId":1}', 'name'],
    ['{"name":"\\ud800","categoryId":1}', 'name'],
    ['{"name":"x","categoryId":"1"}', 'categoryId'],
    ['{"name":"x","categoryId":null}', 'categoryId'],
    ['{"name":"x","categoryId":1.5}', 'categoryId'],
    ['{"name":"x","categoryId":true}', 'categoryId'],
    ['{"name":"x","categoryId":9223372036854775808}', 'categoryId'],
    ['{"name":"x","categoryId":-9223372036854775809}', 'categoryId'],
    ['{"name":"x","categoryId":1e400}', 'categoryId'],
    [`{"name":"x","categoryId":${'9'.repeat(100_000)}}`, 'categoryId'],
    ['{"name":"x","categoryId":1,"status":"lost"}', 'status'],
    ['{"name":"x","categoryId":1,"status":""}', 'status'],
    ['{"name":"x","categoryId":1,"status":null}', 'status'],
    ['{"Name":"x","categoryId":1}', 'name is missing'],
    [`{"name":"${'x'.repeat(10_001)}","categoryId":1}`, 'name must have at most 10000 characters']
  ]
  test.each(rejected.map(([sent, message]) => ({ sent, message })))(
    '$sent returns 400 ($message), and nothing is added',
    async ({ sent, message }) => {
      expectError(await post('/v1/pets', sent), 400, message)
      expect(bodyOf(await send('GET', '/v1/pets'))).toEqual([])
    }
  )

  test('a missing body returns 400', async () => {
    expectError(
      await send('POST', '/v1/pets', { headers: { 'content-type': 'application/json' } }),
      400,
      'not JSON'
    )
  })

  test.each([
    ['application/json', 201],
    ['APPLICATION/JSON', 201],
    ['application/json; charset=utf-8', 201],
    ['application/json;charset="UTF-8"', 201],
    ['application/json;', 201],
    ['application/json; charset=utf-8; v=1', 201],
    ['', 400],
    ['text/plain', 400],
    ['text/json', 400],
    ['application/jsonl', 400],
    ['application/problem+json', 400],
    ['application/x-www-form-urlencoded', 400],
    ['application/json, text/plain', 400]
  ])('content type %j returns %i', async (type, status) => {
    expect((await post('/v1/pets', '{"name":"x","categoryId":1}', type)).status).toBe(status)
  })

  test.each([
    [1024 * 1024, 201],
    [1024 * 1024 + 1, 413]
  ])('a body of %i bytes returns %i', async (size, status) => {
    const [head, tail] = ['{"name":"x","note":"', '","categoryId":1}']
    // Two bytes for each character: the limit counts bytes.
    const filling = 'é'.repeat((size - head.length - tail.length) >> 1)
    const body = `${head}${filling}${tail}`.padEnd(size - filling.length)
    expect(Buffer.byteLength(body)).toBe(size)
    const reply = await post('/v1/pets', body)
    expect(reply.status).toBe(status)
    if (status === 413) expectError(reply, 413, '1048576')
  })
})

describe('GET /v1/pets/{petId}', () => {
  const deprecation = {
    deprecation: '@1764892800',
    sunset: 'Thu, 05 Dec 2030 00:00:00 GMT',
    link: '</v1/pets>; rel="successor-version"'
  }

  const ids: [id: string, status: number][] = [
    ['1', 200],
    ['%31', 200],
    ['2', 404],
    ['0', 404],
    ['-1', 404],
    [`${int64Limits.maximum}`, 404],
    [`${int64Limits.minimum}`, 404],
    [`${int64Limits.maximum + 1n}`, 400],
    [`${int64Limits.minimum - 1n}`, 400],
    ['9'.repeat(10_000), 400],
    ['abc', 400],
    ['1.0', 400],
    ['1e0', 400],
    ['0x1', 400],
    ['%201', 400],
    ['1%0A', 400],
    ['1%2F', 400],
    ['1%00', 400],
    ['%D9%A1', 400]
  ]
  test.each(ids.map(([id, status]) => ({ id, status })))(
    '$id returns $status, with the deprecation headers',
    async ({ id, status }) => {
      await addPets(1)
      const reply = await send('GET', `/v1/pets/${id}`)
      if (status === 200) expect(bodyOf(reply)).toEqual({ id: 1, name: 'pet 1', categoryId: 1 })
      else expectError(reply, status)
      expect(reply.headers).toMatchObject(deprecation)
    }
  )

  test('only this method has the headers: another one at its path is not deprecated', async () => {
    const reply = await send('PROPFIND', '/v1/pets/1')
    expectError(reply, 405)
    for (const name of Object.keys(deprecation)) expect(reply.headers).not.toHaveProperty(name)
    expect((await send('HEAD', '/v1/pets/1')).headers).toMatchObject(deprecation)
  })

  test.each(['America/New_York', 'Asia/Tokyo'])(
    'returns 410 from the day of its removal, also in the time zone %s',
    async zone => {
      vi.stubEnv('TZ', zone)
      onTestFinished(() => void vi.unstubAllEnvs())
      await addPets(1)
      time = new Date('2030-12-04T23:59:59.999Z')
      expect((await send('GET', '/v1/pets/1')).status).toBe(200)
      time = new Date('2030-12-05T00:00:00.000Z')
      for (const id of ['1', '2', 'abc']) {
        const reply = await send('GET', `/v1/pets/${id}`)
        expectError(reply, 410, 'was removed on 5 December 2030; use GET /v1/pets instead')
        expect(reply.headers).toMatchObject(deprecation)
      }
      expect((await send('GET', '/v1/pets')).status).toBe(200)
    }
  )
})

describe('POST /messages', () => {
  test('queues each message with a new id', async () => {
    const first = await post('/messages', '{"message":"hello 🐇","to":"unknown"}')
    const second = await post('/messages', '{"message":"hello 🐇"}')
    expect(first.status).toBe(202)
    const reply = {
      id: '1',
      message: 'hello 🐇',
      status: 'queued',
      createdAt: '2026-07-01T12:00:00.000Z'
    }
    expect(bodyOf(first)).toEqual(reply)
    expect(bodyOf(second)).toEqual({ ...reply, id: '2' })
  })

  test.each([
    ['{', 'application/json'],
    ['{}', 'application/json'],
    ['{"message":7}', 'application/json'],
    ['{"message":null}', 'application/json'],
    ['{"message":"\\udfff"}', 'application/json'],
    ['["hello"]', 'application/json'],
    ['{"message":"hello"}', 'text/plain']
  ])('%s as %s returns 400', async (body, type) => {
    expectError(await post('/messages', body, type), 400)
  })
})

describe('paths and methods', () => {
  test.each([
    '/',
    '/v1',
    '/pets',
    '/v1/pets/',
    '/v1/pets/1/',
    '/v1/pets/1/toys',
    '//v1/pets',
    '/V1/pets',
    '/v1%2Fpets',
    '/v1/messages',
    '/messages/1',
    '/v1/store',
    '/health/1',
    '/v1/..',
    '/v1/pets/%zz',
    '/v1/pets/%ff',
    '/%',
    '/__proto__',
    '/constructor'
  ])('%s returns 404', async path => {
    expectError(await send('GET', path), 404)
  })

  test.each([...new Set(routes.map(({ path }) => path))])(
    '%s refuses other methods with 405, and Allow lists the allowed ones',
    async path => {
      const declared = routes.filter(route => route.path === path).map(({ method }) => method)
      const allowed = declared.flatMap(method => (method === 'GET' ? ['GET', 'HEAD'] : [method]))
      const methods = [
        'GET',
        'HEAD',
        'POST',
        'PUT',
        'PATCH',
        'DELETE',
        'OPTIONS',
        'constructor',
        '__proto__',
        'get'
      ]
      for (const method of methods.filter(name => !allowed.includes(name))) {
        const reply = await send(method, path.replace('{petId}', '1'))
        expect(reply.headers.allow?.toString().split(', ').sort()).toEqual(allowed.sort())
        if (method === 'HEAD') expect(reply.status).toBe(405)
        else expectError(reply, 405, method)
      }
    }
  )

  test('GET /v1/store/orders returns 501', async () => {
    expectError(await send('GET', '/v1/store/orders'), 501)
  })

  test.each(['/v1/pets', '/v1/pets/1', '/v1/pets/2', '/v1/pets?limit=0', '/health'])(
    'HEAD %s returns the reply of GET without the body',
    async path => {
      await addPets(1)
      const head = await send('HEAD', path)
      const get = await send('GET', path)
      expect(head).toEqual({ ...get, body: new Uint8Array() })
      expect(get.headers['content-length']).toBe(String(get.body.byteLength))
      expect(get.body.byteLength).toBeGreaterThan(0)
    }
  )
})
