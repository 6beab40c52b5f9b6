import { expect, test } from 'vitest'
import { rex, startService } from './running-service.ts'

const targets = Array.from({ length: 40 }, (_, number) => `GET /v1/pets?${number}`)

/** Which of the requests fail. */
async function failuresWith(faults: Parameters<typeof startService>[0]): Promise<number[]> {
  const { send } = await startService(faults)
  const failed: number[] = []
  for (const [number, target] of targets.entries())
    if ((await send(target)).status !== 200) failed.push(number)
  return failed
}

test('the same seed makes the same share of the requests fail', async () => {
  const first = await failuresWith({ fail: 0.3, seed: 7 })
  expect(first.length).toBeGreaterThan(4)
  expect(first.length).toBeLessThan(24)
  expect(await failuresWith({ fail: 0.3, seed: 7 })).toEqual(first)
  expect(await failuresWith({ fail: 0.3, seed: 8 })).not.toEqual(first)
  expect(await failuresWith({})).toEqual([])
})

test('the first requests fail, and no later one', async () => {
  expect(await failuresWith({ failFirst: 3 })).toEqual([0, 1, 2])
})

test.each([
  [503, '1'],
  [429, '1'],
  [404, undefined]
])('a fault with %i changes nothing', async (failWith, wait) => {
  const { post, send } = await startService({ fail: 1, failWith })
  const { status, headers } = await post('/v1/pets', rex)
  expect([status, headers['retry-after']]).toEqual([failWith, wait])
  expect((await send('GET /_local/pets')).body).toEqual([])
})

test('faults drop connections before and after the work', async () => {
  const { post, send, log } = await startService({ fail: 1, failWith: 'dropped' })
  for (let number = 0; number < 20; number += 1)
    await expect(post('/v1/pets', rex)).rejects.toThrow('hang up')
  expect(log.filter(line => line.startsWith('POST /v1/pets dropped '))).toHaveLength(20)
  const added = (await send('GET /_local/pets')).body as object[]
  expect(added.length).toBeGreaterThan(0)
  expect(added.length).toBeLessThan(20)
})

test('faults stall connections, and the service can still be closed', async () => {
  const { post, log, close } = await startService({ fail: 1, failWith: 'stalled' })
  const reply = post('/v1/pets', rex).catch(({ message }) => message)
  while (log.length === 0) await new Promise(setImmediate)
  expect(log[0]).toMatch(/^POST \/v1\/pets stalled /)
  await close()
  expect(await reply).toBe('socket hang up')
})

test('a delay comes after the work, and ends when the service is closed', async () => {
  const { post, send, close } = await startService({ latency: 3_600_000 })
  const reply = post('/v1/pets', rex)
  while ((await send('GET /_local/pets')).text === '[]');
  const closed = close()
  expect(await reply).toMatchObject({ status: 201, headers: { connection: 'close' } })
  await closed
})

test('faults and delays concern the interface alone', async () => {
  const { send } = await startService({ fail: 1, latency: 3_600_000 })
  for (const target of ['GET /', 'GET /health', 'GET /openapi.json', 'GET /_local/requests'])
    expect((await send(target)).status).toBe(200)
  expect((await send('POST /_local/reset')).status).toBe(204)
  expect((await send('GET /v1/pets', { headers: { authorization: '' } })).status).toBe(401)
})
