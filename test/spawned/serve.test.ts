import { once } from 'node:events'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { describe, expect, test } from 'vitest'
import { posting, startServing } from '../support/serving.ts'
import { spawnCli } from '../support/spawn-cli.ts'

const rex = { name: 'Rex', categoryId: 1 }
const idOf = async (reply: Response) => String(((await reply.json()) as { id: number }).id)

test('the key is saved at first use, and auth token prints it', async () => {
  const { home, reach } = await startServing()
  const { stdout } = await spawnCli(['auth', 'token', '--env', 'local'], { home })
  expect(stdout).toBe(`${reach.apiKey}\n`)
  expect((await startServing([], { home })).reach.apiKey).toBe(reach.apiKey)
  expect((await startServing()).reach.apiKey).not.toBe(reach.apiKey)
})

test('the data is shared with --env local at the same time', async () => {
  const serving = await startServing()
  const local = (...argv: string[]) => spawnCli([...argv, '--env', 'local'], { home: serving.home })
  const id = await idOf(await serving.fetch('/v1/pets', posting(rex)))
  expect(JSON.parse((await local('pets', 'get', id)).stdout)).toMatchObject(rex)
  await local('pets', 'add', '--name', 'By hand', '--category-id', '2')
  const listed = (await local('pets', 'list', '--limit', '100')).stdout
  expect(listed).toContain('By hand')
  expect(await (await serving.fetch('/v1/pets?limit=100')).json()).toEqual(JSON.parse(listed))
})

describe('a signal ends serve with 0', () => {
  test.each(['SIGINT', 'SIGTERM'] as const)('%s, despite an idle connection', async signal => {
    const serving = await startServing()
    await (await serving.fetch('/v1/pets')).text()
    serving.child.kill(signal)
    expect(await serving.finished).toMatchObject({ code: 0, signal: null })
  })

  test('and lets requests in progress finish without the remaining latency', async () => {
    const serving = await startServing(['--latency', '3600000'])
    const body = JSON.stringify(rex)
    const { hostname, port } = new URL(serving.reach.url)
    const socket = connect(Number(port), hostname)
    const headers = [
      'POST /v1/pets HTTP/1.1',
      'Host: x',
      `Authorization: Bearer ${serving.reach.apiKey}`,
      'Content-Type: application/json',
      `Content-Length: ${body.length}`,
      'Expect: 100-continue'
    ]
    socket.write(`${headers.join('\r\n')}\r\n\r\n`)
    await once(socket, 'data')
    serving.child.kill('SIGTERM')
    socket.write(body)
    expect(await text(socket)).toMatch(/^HTTP\/1\.1 201 /)
    expect((await serving.finished).code).toBe(0)
  })
})

test('env unset local deletes the data, and serve adds nothing to what is lost', async () => {
  const serving = await startServing()
  const { home } = serving
  const id = await idOf(await serving.fetch('/v1/pets', posting(rex)))
  const get = () => spawnCli(['pets', 'get', id, '--env', 'local'], { home })
  expect((await get()).code).toBe(0)
  expect((await spawnCli(['env', 'unset', 'local', '--yes'], { home })).code).toBe(0)
  expect((await serving.fetch('/v1/pets', posting(rex))).status).toBe(500)
  expect((await get()).code).toBe(5)
  serving.child.kill('SIGTERM')
  await serving.finished
})
