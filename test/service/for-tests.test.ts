import { describe, expect, test } from 'vitest'
import { readFirstPets } from '../../src/service/first-pets.ts'
import { key, rex, startService } from './running-service.ts'

describe('GET /_local/requests', () => {
  test('lists what was received, the oldest first, without itself', async () => {
    const { send, post, exchange } = await startService()
    await post('/v1/pets?x=%C3%A9', rex)
    await send('GET /v1/pets?limit=0')
    await send('GET /health', { headers: { authorization: '' } })
    await post('/messages', { message: 'Zoë' }, { authorization: 'Bearer other' })
    await exchange(`GET /v1/pets HTTP/1.0\r\nAuthorization: Bearer ${key}\r\nPrefer: drop\r\n\r\n`)
    await send('GET /_local/pets')
    const { body } = await send('GET /_local/requests')
    expect(body).toEqual(
      [
        { method: 'POST', path: '/v1/pets?x=%C3%A9', status: 201, body: JSON.stringify(rex) },
        { method: 'GET', path: '/v1/pets?limit=0', status: 400, body: '' },
        { method: 'GET', path: '/health', status: 200, body: '' },
        { method: 'POST', path: '/messages', status: 401, body: '' },
        { method: 'GET', path: '/v1/pets', status: null, body: '' }
      ].map(request => ({ time: expect.stringMatching(/^\d{4}-.*Z$/), ...request }))
    )
  })

  test('keeps 1,000 requests and 16 KiB of a body', async () => {
    const { send, exchange } = await startService()
    const requests = Array.from({ length: 1001 }, (_, number) => `GET /health?${number} HTTP/1.1`)
    await exchange(`${requests.join('\r\n\r\n')}\r\nConnection: close\r\n\r\n`)
    await send('POST /messages', { body: 'x'.repeat(20_000) })
    const kept = (await send('GET /_local/requests')).body as { path: string; body: string }[]
    expect(kept).toHaveLength(1000)
    expect(kept[0]?.path).toBe('/health?2')
    expect(kept.at(-1)?.body).toBe('x'.repeat(16 * 1024))
  })
})

describe('POST /_local/reset', () => {
  test('puts everything back to the start', async () => {
    const first = { id: 7n, name: 'First', categoryId: 1n }
    const { send, post } = await startService({ firstPets: [first] })
    const start = (await send('GET /v1/pets')).text
    const add = () => post('/v1/pets', rex, { 'idempotency-key': 'k1' })
    const message = () => post('/messages', { message: 'Hello' })
    expect((await add()).body).toMatchObject({ id: 8 })
    expect((await message()).body).toMatchObject({ id: '1' })
    expect((await send('POST /_local/reset')).status).toBe(204)
    expect((await send('GET /_local/requests')).body).toEqual([])
    expect((await send('GET /v1/pets')).text).toBe(start)
    expect((await post('/v1/pets', { ...rex, name: 'Other' })).body).toMatchObject({ id: 8 })
  })

  test('is 409 for the data of --env local, and changes nothing', async () => {
    const { send, post } = await startService({ isResettable: false })
    await post('/v1/pets', rex)
    expect((await send('POST /_local/reset')).status).toBe(409)
    expect((await send('GET /v1/pets')).body).toHaveLength(1)
  })
})

describe('the file of --pets', () => {
  const read = (text: string) => readFirstPets(Buffer.from(text), 'pets.json')

  test('has pets with and without ids', () => {
    expect(
      read('[{"id":7,"name":"A","categoryId":9007199254740993},{"name":"B","categoryId":1}]')
    ).toEqual([
      { id: 7n, name: 'A', categoryId: 9007199254740993n },
      { name: 'B', categoryId: 1n }
    ])
  })

  test.each([
    ['{}', 'pets.json: it is not a JSON array'],
    ['[{"name":"A"}]', 'pets.json: [0].categoryId is missing']
  ])('%s is refused', (text, message) => {
    expect(() => read(text)).toThrow(message)
  })
})

describe('Prefer', () => {
  test.each([
    ['code=503', 503, '1'],
    ['return=minimal, code="418"; x', 418, undefined],
    ['code=200', 201, undefined],
    ['decode=503, code=5030, dropped, eavesdrop', 201, undefined]
  ])('%s gets %i', async (prefer, status, wait) => {
    const { post, send } = await startService()
    const reply = await post('/v1/pets', rex, { prefer })
    expect([reply.status, reply.headers['retry-after']]).toEqual([status, wait])
    expect((await send('GET /v1/pets')).body).toHaveLength(status === 201 ? 1 : 0)
  })

  test('needs the key', async () => {
    const { send } = await startService()
    const headers = { prefer: 'code=503', authorization: '' }
    expect((await send('GET /v1/pets', { headers })).status).toBe(401)
  })

  test('drop loses the reply after the request was carried out', async () => {
    const { post, send, log } = await startService()
    await expect(post('/v1/pets', rex, { prefer: 'drop' })).rejects.toThrow('hang up')
    expect((await send('GET /v1/pets')).body).toHaveLength(1)
    expect(log[0]).toMatch(/^POST \/v1\/pets dropped \d+ ms$/)
  })
})
