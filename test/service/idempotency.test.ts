import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryDirectory } from '../support/temp.ts'
import { rex, startService } from './running-service.ts'

const withKey = { 'idempotency-key': 'k1' }

test.each([
  ['/v1/pets', rex, { ...rex, categoryId: 2 }],
  ['/messages', { message: 'Hello' }, { message: 'Bye' }]
])('a repeated POST %s gets the first reply, and adds nothing', async (path, value, other) => {
  const { post, send } = await startService()
  const first = await post(path, value, withKey)
  const again = await post(path, value, withKey)
  expect([again.status, again.text]).toEqual([first.status, first.text])
  const isReplayed = ({ headers }: typeof first) => headers['idempotent-replayed']
  expect([first, again].map(isReplayed)).toEqual([undefined, 'true'])
  const refused = await post(path, other, withKey)
  expect([refused.status, isReplayed(refused)]).toEqual([422, undefined])
  expect((await post(path, { message: 1, name: 1 }, withKey)).status).toBe(400)
  for (let times = 0; times < 2; times += 1)
    expect(await post(path, value)).not.toMatchObject({ text: first.text })
  expect((await send('GET /v1/pets')).body).toHaveLength(path === '/messages' ? 0 : 3)
})

test('only a success is kept', async () => {
  const { post } = await startService()
  expect((await post('/v1/pets', { name: 'Rex' }, withKey)).status).toBe(400)
  const fault = { ...withKey, prefer: 'code=503' }
  expect((await post('/v1/pets', rex, fault)).status).toBe(503)
  expect((await post('/v1/pets', rex, withKey)).status).toBe(201)
})

test('a lost reply is sent again', async () => {
  const { post, send } = await startService()
  await expect(post('/v1/pets', rex, { ...withKey, prefer: 'drop' })).rejects.toThrow('hang up')
  expect(await post('/v1/pets', rex, withKey)).toMatchObject({ status: 201, body: { id: 1 } })
  expect((await send('GET /v1/pets')).body).toHaveLength(1)
})

test('while the first is in progress, others with the key are 409', async () => {
  const { post, send, close } = await startService({ latency: 3_600_000 })
  const first = post('/v1/pets', rex, withKey)
  const isAdded = async () => (await send('GET /_local/pets')).text !== '[]'
  while (!(await isAdded()));
  expect((await post('/v1/pets', rex, withKey)).status).toBe(409)
  const closed = close()
  expect((await first).status).toBe(201)
  await closed
})

test('replies are kept with the pets, for each program that uses the database', async () => {
  const path = join(temporaryDirectory(), 'pets.db')
  const [one, other] = [await startService({ path }), await startService({ path })]
  const replies = await Promise.all(
    [one, other, one, other].map(({ post }) => post('/v1/pets', rex, withKey))
  )
  for (const { status, text } of replies.filter(reply => reply.status !== 409))
    expect({ status, text }).toEqual({ status: 201, text: '{"id":1,"name":"Rex","categoryId":1}' })
  await one.close()
  await other.close()
  const later = await startService({ path })
  expect(await later.post('/v1/pets', rex, withKey)).toMatchObject({ body: { id: 1 } })
  expect((await later.send('GET /v1/pets')).body).toHaveLength(1)
})
