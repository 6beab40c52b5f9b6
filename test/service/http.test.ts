import { createHash } from 'node:crypto'
import { connect } from 'node:net'
import { describe, expect, test } from 'vitest'
import { key, type RunningService, startService } from './running-service.ts'

const pet = '{"name":"Rex","categoryId":1}'
const head = (line: string, ...headers: string[]) =>
  [`${line} HTTP/1.1`, 'Host: x', `Authorization: Bearer ${key}`, ...headers, '', ''].join('\r\n')
const posting = (length: number) =>
  head('POST /v1/pets', 'Content-Type: application/json', `Content-Length: ${length}`)
const chunked = head(
  'POST /v1/pets',
  'Content-Type: application/json',
  'Transfer-Encoding: chunked'
)
const last = head('GET /v1/pets', 'Connection: close')

const statusesIn = (text: string) =>
  [...text.matchAll(/HTTP\/1.1 (\d+) /g)].map(([, code]) => Number(code))
const petsIn = async ({ send }: RunningService) => (await send('GET /_local/pets')).body

describe('what is not a proper request gets an Error body, and adds nothing', () => {
  test.each([
    ['an invalid line', 'pets please\r\n\r\n', 400],
    ['a header without a colon', 'GET /v1/pets HTTP/1.1\r\nnonsense\r\n\r\n', 400],
    ['two lengths', head('POST /v1/pets', 'Content-Length: 1', 'Content-Length: 2'), 400],
    ['a chunk with an invalid size', `${chunked}zz\r\n`, 400],
    ['large headers', head('GET /v1/pets', `X: ${'x'.repeat(16 * 1024)}`), 400],
    ['a body without an end', `${chunked}100000\r\n${'x'.repeat(2 ** 20)}\r\n1\r\nx\r\nzz\r\n`, 413]
  ])('%s', async (_, bytes, status) => {
    const service = await startService()
    const reply = await service.exchange(bytes)
    expect(statusesIn(reply)).toEqual([status])
    expect(reply).toContain('access-control-allow-origin: *')
    const { code, message, ...rest } = JSON.parse(reply.slice(reply.indexOf('\r\n\r\n')))
    expect([typeof code, typeof message, rest]).toEqual(['string', 'string', { status }])
    expect(await petsIn(service)).toEqual([])
  })
})

describe('a malformed byte behind requests', () => {
  test.each([
    ['a body without the key', chunked.replace(key, 'other').concat('zz\r\n'), [401]],
    ['one request', `${posting(pet.length)}${pet}}`, [201]],
    ['two requests', `${posting(pet.length)}${pet}`.repeat(2).concat('x\r\n\r\n'), [201, 201]],
    ['a body in characters', `${posting(29)}{"name":"Zoë","categoryId":1}`, [400]]
  ])(
    '%s: their replies are finished, then the connection is closed',
    async (_, bytes, statuses) => {
      const service = await startService({ latency: 50 })
      expect(statusesIn(await service.exchange(bytes))).toEqual(statuses)
    }
  )
})

test.each([
  ['no Host', 'GET /health HTTP/1.1\r\nConnection: close\r\n\r\n', [200]],
  ['HTTP/1.0', 'GET /health HTTP/1.0\r\n\r\n', [200]],
  [
    'Expect: 100-continue',
    `${posting(pet.length).replace('Host', 'Expect: 100-continue\r\nHost')}${pet}${last}`,
    [100, 201, 200]
  ],
  [
    'a large refused body, then another request',
    `${posting(2 ** 21)}${'x'.repeat(2 ** 21)}${last}`,
    [413, 200]
  ],
  [
    'many requests at once',
    `${posting(pet.length)}${pet}`.repeat(50) + last,
    [...Array(50).fill(201), 200]
  ]
])('%s is answered', async (_, bytes, statuses) => {
  const { exchange } = await startService()
  expect(statusesIn(await exchange(bytes))).toEqual(statuses)
})

test('an unknown expectation is 417, and what follows it ends nothing', async () => {
  const { exchange, send } = await startService()
  const request = 'POST /v1/pets HTTP/1.1\r\nExpect: x\r\nContent-Length: 0\r\n\r\n'
  const reply = await exchange(`${request}garbage\r\n\r\n`)
  expect(reply).toMatch(/^HTTP\/1\.1 417 .*\r\naccess-control-allow-origin: \*.*"status":417}/s)
  expect((await send('GET /health')).status).toBe(200)
})

test('a body that is cut off adds nothing', async () => {
  const service = await startService()
  const socket = connect(Number(new URL(service.origin).port), '127.0.0.1')
  socket.end(posting(pet.length) + pet.slice(0, -1))
  await socket.resume().toArray()
  expect(await petsIn(service)).toEqual([])
})

describe('pages of other origins', () => {
  test('may read each reply, and send the headers that the service knows', async () => {
    const { send } = await startService()
    for (const target of ['GET /', 'GET /v1/pets', 'GET /nothing', 'POST /messages']) {
      const { headers } = await send(target)
      expect(headers['access-control-allow-origin'], target).toBe('*')
      expect(headers['access-control-expose-headers'], target).toBe('Retry-After')
    }
    const { status, headers } = await send('OPTIONS /v1/pets', { headers: { authorization: '' } })
    expect([status, headers['content-length']]).toEqual([204, undefined])
    expect(headers['access-control-allow-headers']).toBe(
      'Authorization, Content-Type, Idempotency-Key, Prefer'
    )
  })

  test('can change nothing without the key, with a request that needs no permission', async () => {
    const service = await startService()
    for (const path of ['/v1/pets', '/messages', '/_local/reset']) {
      const headers = {
        authorization: '',
        origin: 'http://elsewhere.example',
        'content-type': 'text/plain'
      }
      const { status, text } = await service.send(`POST ${path}`, { headers, body: pet })
      expect(status).toBe(401)
      expect(text).not.toContain('Rex')
    }
    expect(await petsIn(service)).toEqual([])
  })
})

test('the page holds no data and lets nothing come from elsewhere', async () => {
  const firstPets = [{ name: 'Unmistakable', categoryId: 1n }]
  const { send } = await startService({ firstPets })
  const { text, headers } = await send('GET /', { headers: { authorization: '' } })
  expect(headers['content-type']).toBe('text/html; charset=utf-8')
  expect(text).not.toContain('Unmistakable')
  expect(text).not.toContain(key)
  expect(text).toMatch(/Policy" content="\s+default-src 'none';\s+connect-src 'self';/)
  const [, script = ''] = /<script>(.*)<\/script>/s.exec(text) ?? []
  const digest = createHash('sha256').update(script).digest('base64')
  expect(text).toContain(`script-src 'sha256-${digest}';`)
})
