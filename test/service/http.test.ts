import { createHash } from 'node:crypto'
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
    ['two lengths', head('POST /v1/pets', 'Content-Length: 1', 'Content-Length: 2'), 400],
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
    ['one request', `${posting(pet.length)}${pet}}`, [201]],
    ['two requests', `${posting(pet.length)}${pet}`.repeat(2).concat('x\r\n\r\n'), [201, 201]]
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
    'many requests at once',
    `${posting(pet.length)}${pet}`.repeat(50) + last,
    [...Array(50).fill(201), 200]
  ]
])('%s is answered', async (_, bytes, statuses) => {
  const { exchange } = await startService()
  expect(statusesIn(await exchange(bytes))).toEqual(statuses)
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
