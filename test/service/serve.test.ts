import { describe, expect, test } from 'vitest'
import { acceptOnly, startService } from '../../src/service/serve.ts'

const keys: [given: string, isAccepted: boolean][] = [
  ['the-key', true],
  ['', false],
  ['the-ke', false],
  ['the-key ', false],
  ['The-key', false],
  ['x'.repeat(100_000), false]
]
test.each(keys.map(([given, isAccepted]) => ({ given, isAccepted })))(
  'the key $given is accepted: $isAccepted',
  ({ given, isAccepted }) => {
    expect(acceptOnly('the-key')(given)).toBe(isAccepted)
  }
)

const base = {
  host: '127.0.0.1',
  port: 0,
  key: 'the-secret-key',
  database: { path: ':memory:', samples: true },
  faults: { latencyMilliseconds: 0, share: 0, failWith: 503, seed: 0 } as const,
  now: () => new Date(),
  log: undefined,
  onFailure: () => {},
  retyped: (change: object) => `again with ${JSON.stringify(change)}`,
  signal: new AbortController().signal
}

describe('the log', () => {
  test.each([
    ['/v1/pets?limit=1&status=sold', 'GET /v1/pets?limit=1&status=sold 200'],
    ['/v1/pets', 'GET /v1/pets 200'],
    ['/v1/pets?api_key=other&limit=2', 'GET /v1/pets?api_key=***&limit=2 200'],
    ['/v1/pets?flag&a=b=c', 'GET /v1/pets?flag&a=*** 200'],
    ['/v1/pets?=a&b=&limit=1&', 'GET /v1/pets?=***&b=***&limit=1& 200']
  ])('of %s shows no value of an unknown parameter', async (target, line) => {
    const lines: string[] = []
    const serving = await startService({ ...base, log: async logged => void lines.push(logged) })
    await fetch(`${serving.origin}${target}`, { headers: { authorization: `Bearer ${base.key}` } })
    await serving.close()
    expect(lines.map(logged => logged.replace(/ \d+\.\d ms$/, ''))).toEqual([line])
  })
})

describe('the host and the port', () => {
  test('a port in use is an error', async () => {
    const first = await startService(base)
    const port = Number(new URL(first.origin).port)
    await expect(startService({ ...base, port })).rejects.toMatchObject({
      code: 'local',
      message: `cannot listen on 127.0.0.1, port ${port}: address already in use`,
      hint: 'again with {"--port":"0"}'
    })
    await first.close()
  })

  test.each([
    ['0.0.0.0', /^http:\/\/127\.0\.0\.1:\d+$/],
    ['::', /^http:\/\/\[::1\]:\d+$/],
    ['::1', /^http:\/\/\[::1\]:\d+$/]
  ])('on %s, the service is reachable at a loopback address', async (host, origin) => {
    const serving = await startService({ ...base, host })
    expect(serving.origin).toMatch(origin)
    const headers = { authorization: `Bearer ${base.key}` }
    expect((await fetch(`${serving.origin}/v1/pets`, { headers })).status).toBe(200)
    await serving.close()
  })

  test.each(['192.0.2.1', 'no-such-host.invalid'])(
    '%s, which is not this machine, is an error',
    async host => {
      await expect(startService({ ...base, host })).rejects.toMatchObject({
        code: 'local',
        message: expect.stringContaining(`cannot listen on ${host}, port 0: `),
        hint: 'again with {"--host":"127.0.0.1"}'
      })
    }
  )

  test('another error is passed on', async () => {
    await expect(startService({ ...base, port: 70_000 })).rejects.toMatchObject({
      code: 'ERR_SOCKET_BAD_PORT'
    })
  })
})

test('the sample pets are listed only if they are requested', async () => {
  const listed = async (samples: boolean) => {
    const serving = await startService({ ...base, database: { path: ':memory:', samples } })
    const headers = { authorization: `Bearer ${base.key}` }
    const pets = await (await fetch(`${serving.origin}/v1/pets`, { headers })).json()
    await serving.close()
    return Array.isArray(pets) && pets.length > 0
  }
  expect(await listed(true)).toEqual(true)
  expect(await listed(false)).toEqual(false)
})
