import { once } from 'node:events'
import { existsSync, readdirSync, readlinkSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as wait } from 'node:timers/promises'
import { describe, expect, test, vi } from 'vitest'
import { samplePets } from '../../src/service/database.ts'
import { connect as connectToDatabase } from '../service/sqlite.ts'
import { posting, startServing } from '../support/serving.ts'
import { spawnCli, startCli } from '../support/spawn-cli.ts'
import { temporaryDirectory } from '../support/temp.ts'

const key = 'sk_test_12345678'

describe('when it is ready', () => {
  test('stdout gets one line of JSON with the URLs and the key', async () => {
    const serving = await startServing()
    const { url, messagesUrl, apiKey } = serving.reach
    const origin = `http://127.0.0.1:${new URL(url).port}`
    expect({ url, messagesUrl }).toEqual({ url: `${origin}/v1`, messagesUrl: origin })
    expect(apiKey).toMatch(/^local_[A-Za-z0-9_-]{32}$/)
    expect((await serving.fetch('/v1/pets')).status).toBe(200)
    expect((await serving.fetch('/messages', posting({ message: 'hello' }))).status).toBe(202)
    serving.child.kill('SIGTERM')
    expect(await serving.finished).toMatchObject({
      code: 0,
      stdout: `${JSON.stringify({ url, messagesUrl, apiKey })}\n`,
    })
  })

  test('stdout has lines to paste into another terminal with -o table', async () => {
    const home = temporaryDirectory()
    const running = startCli(['serve', '--port', '0', '-o', 'table'], { home })
    await running.printed('stdout', /PETSTORE_API_KEY=\S+\n/)
    const lines = running.stdout().match(/^ {2}export .*$/gm) ?? []
    expect(running.stdout()).toContain(join(home, '.config', 'petstore', 'local.db'))
    const variables = Object.fromEntries(lines.map((line) => line.trim().replace('export ', '').split('=')))
    const run = await spawnCli(['pets', 'add', '--name', 'Rex', '--category-id', '1'], { env: variables })
    expect(run).toMatchObject({ code: 0, stderr: '' })
    const sent = await spawnCli(['messages', 'send', 'hello'], { env: variables })
    expect(sent.code).toBe(0)
    expect(running.stdout()).not.toContain('Rex')
  })
})

describe('the key', () => {
  test('is the key of the local environment: created at first use, saved, and printed by auth token', async () => {
    const first = await startServing()
    const { home } = first
    expect((await spawnCli(['auth', 'token', '--env', 'local'], { home })).stdout).toBe(`${first.reach.apiKey}\n`)
    const second = await startServing([], { home })
    expect(second.reach.apiKey).toBe(first.reach.apiKey)
    expect((await startServing()).reach.apiKey).not.toBe(first.reach.apiKey)
  })

  test('is created by auth token if that runs first', async () => {
    const home = temporaryDirectory()
    const { stdout } = await spawnCli(['auth', 'token', '--env', 'local'], { home })
    expect((await startServing([], { home })).reach.apiKey).toBe(stdout.trim())
  })

  test('is PETSTORE_API_KEY if that is set, and is then not printed', async () => {
    const home = temporaryDirectory()
    const serving = await startServing([], { home, env: { PETSTORE_API_KEY: key } })
    expect(Object.keys(serving.reach)).toEqual(['url', 'messagesUrl', 'apiKeyFrom'])
    expect((await serving.fetch('/v1/pets')).status).toBe(200)
    const other = await serving.fetch('/v1/pets', { headers: { authorization: 'Bearer other' } })
    expect(other.status).toBe(401)
    expect(readdirSync(join(home, '.config', 'petstore'))).not.toContain('config.json')
  })

  test('is valid for one run if the config file cannot be written', async () => {
    const serving = await startServing([], { env: { HOME: '/dev/null/home' } })
    expect((await serving.fetch('/v1/pets')).status).toBe(200)
    const codes = serving
      .stderr()
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).notice.code)
    expect(codes.slice(0, 2)).toEqual(['key-not-saved', 'not-saved'])
  })

  test('never appears in the log, wherever a client sends it', async () => {
    const serving = await startServing()
    const { apiKey = '' } = serving.reach
    const secrets = [apiKey, 'sk_live_wrong_place']
    for (const secret of secrets) {
      await serving.fetch(`/v1/pets?limit=1&key=${secret}&${secret}`, {
        headers: { authorization: `Bearer ${secret}` },
      })
      await serving.fetch(`/v1/pets/${secret}`, { headers: { authorization: `Bearer ${secret}` } })
    }
    serving.child.kill('SIGTERM')
    const { stderr } = await serving.finished
    expect(stderr.match(/"message":"GET /g)).toHaveLength(4)
    expect(stderr).toContain('GET /v1/pets?limit=1&key=***&')
    for (const secret of secrets) expect(stderr).not.toContain(secret)
  })
})

describe('the data', () => {
  test('is shared with --env local at the same time', async () => {
    const serving = await startServing()
    const { home } = serving
    const add = ['pets', 'add', '--env', 'local', '--name', 'by hand', '--category-id', '1']
    expect(await spawnCli(add, { home })).toMatchObject({ code: 0 })
    expect((await serving.fetch('/v1/pets', posting({ name: 'by wire', categoryId: 1 }))).status).toBe(201)
    const { stdout } = await spawnCli(['pets', 'list', '--env', 'local', '--limit', '100'], { home })
    expect(JSON.parse(stdout).slice(samplePets.length)).toMatchObject([{ name: 'by hand' }, { name: 'by wire' }])
    expect(await (await serving.fetch('/v1/pets?limit=100')).json()).toEqual(JSON.parse(stdout))
  })

  test('is stored in the file that --data names', async () => {
    const directory = temporaryDirectory()
    const data = join(directory, 'pets.db')
    const first = await startServing(['--data', data, '--empty'])
    const added = await (await first.fetch('/v1/pets', posting({ name: 'Rex', categoryId: 1 }))).json()
    first.child.kill('SIGTERM')
    await first.finished
    const second = await startServing(['--data', data])
    expect(await (await second.fetch('/v1/pets')).json()).toEqual([added])
    expect(existsSync(join(second.home, '.config', 'petstore', 'local.db'))).toBe(false)
  })

  test('is not stored with :memory:, and has no sample pets with --empty', async () => {
    const serving = await startServing(['--data', ':memory:'], { env: { PETSTORE_API_KEY: key } })
    expect(await (await serving.fetch('/v1/pets?limit=100')).json()).toHaveLength(samplePets.length)
    expect(readdirSync(serving.home)).toEqual([])
    const empty = await startServing(['--data', ':memory:', '--empty'], { env: { PETSTORE_API_KEY: key } })
    expect(await (await empty.fetch('/v1/pets')).json()).toEqual([])
  })
})

describe('a signal', () => {
  test.each(['SIGINT', 'SIGTERM'] as const)('%s ends serve with 0 despite an idle connection', async (signal) => {
    const serving = await startServing()
    await (await serving.fetch('/v1/pets')).text()
    serving.child.kill(signal)
    expect(await serving.finished).toMatchObject({ code: 0, signal: null })
  })

  test('lets requests in progress finish without the remaining latency', async () => {
    const serving = await startServing(['--latency', '3600000'])
    const { hostname, port } = new URL(serving.reach.url)
    const socket = connect(Number(port), hostname)
    await once(socket, 'connect')
    socket.write(addingRequest(serving))
    // Every reply is late, so none shows that the service has read the request.
    await wait(500)
    serving.child.kill('SIGTERM')
    expect(await text(socket)).toMatch(/^HTTP\/1\.1 201 /)
    expect((await serving.finished).code).toBe(0)
  })
})

describe('a client that disconnects', () => {
  test.each([
    ['complete', undefined, 1],
    ['cut off', -1, 0],
  ])('during the latency, with its request %s, causes no abnormal exit', async (_, end, pets) => {
    const home = temporaryDirectory()
    const serving = await startServing(['--latency', '3600000', '--empty'], { home })
    const { hostname, port } = new URL(serving.reach.url)
    const socket = connect(Number(port), hostname)
    await once(socket, 'connect')
    socket.write(addingRequest(serving).slice(0, end))
    await wait(500)
    socket.destroy()
    await wait(500)
    serving.child.kill('SIGINT')
    serving.child.kill('SIGTERM')
    expect(await serving.finished).toMatchObject({ code: 0, signal: null })
    const { stdout } = await spawnCli(['pets', 'list', '--env', 'local'], { home })
    expect(JSON.parse(stdout)).toHaveLength(pets)
  })
})

describe('a database', () => {
  test.each([[[]], [['--quiet']]])(
    'that is deleted while serve runs causes 500 and a line on stderr: %j',
    async (argv) => {
      const data = join(temporaryDirectory(), 'pets.db')
      const serving = await startServing(['--data', data, ...argv])
      const add = () => serving.fetch('/v1/pets', posting({ name: 'Rex', categoryId: 1 }))
      expect((await add()).status).toBe(201)
      rmSync(data)
      expect((await add()).status).toBe(500)
      await serving.printed('stderr', /the database .*pets\.db was deleted or replaced/)
      serving.child.kill('SIGTERM')
      expect(await serving.finished).toMatchObject({ code: 0, signal: null })
      expect(existsSync(data)).toBe(false)
    },
  )

  test.skipIf(!existsSync('/proc/self/fd')).each([
    ['serve', ['serve', '--port', '0']],
    ['a command with --env local', ['pets', 'add', '--env', 'local', '--name', 'late', '--category-id', '1']],
  ])('that is locked does not delay Ctrl-C in %s', async (_, argv) => {
    const home = temporaryDirectory()
    await spawnCli(['pets', 'list', '--env', 'local'], { home })
    const path = join(home, '.config', 'petstore', 'local.db')
    const other = connectToDatabase(path)
    // Without a write-ahead log, this lock excludes readers too.
    other.exec('PRAGMA journal_mode = DELETE; BEGIN EXCLUSIVE')
    const running = startCli(argv, { home })
    const isOpening = () => openFilesOf(running.child.pid).includes(path)
    await vi.waitUntil(isOpening, { timeout: 20_000 })
    running.child.kill('SIGINT')
    expect(await running.finished).toMatchObject({ code: 130, signal: null, stdout: '' })
    other.exec('ROLLBACK')
    expect(other.prepare("SELECT * FROM pets WHERE name = 'late'").all()).toEqual([])
  })
})

describe('the host', () => {
  test('can be localhost without a key from a variable', async () => {
    const serving = await startServing(['--host', 'localhost', '--data', ':memory:'])
    expect((await serving.fetch('/v1/pets')).status).toBe(200)
  })

  test('can be all addresses of this machine if PETSTORE_API_KEY is set', async () => {
    const serving = await startServing(['--host', '0.0.0.0', '--data', ':memory:'], { env: { PETSTORE_API_KEY: key } })
    const { port } = new URL(serving.reach.url)
    const request = (apiKey: string) =>
      fetch(`http://127.0.0.1:${port}/v1/pets`, { headers: { authorization: `Bearer ${apiKey}` } })
    expect((await request(key)).status).toBe(200)
    expect((await request('other')).status).toBe(401)
  })
})

test('the same seed makes the same requests fail, and a run without --seed prints its seed', async () => {
  const argv = ['--data', ':memory:', '--fail', '0.5', '--fail-with', '502']
  const run = async (more: string[]) => {
    const serving = await startServing([...argv, ...more])
    const statuses: number[] = []
    for (let number = 0; number < 30; number += 1) statuses.push((await serving.fetch('/v1/pets')).status)
    return { statuses, stderr: serving.stderr() }
  }
  const first = await run([])
  expect(new Set(first.statuses)).toEqual(new Set([200, 502]))
  const [, seed = ''] = /--seed (\d+)/.exec(first.stderr) ?? []
  expect((await run(['--seed', seed])).statuses).toEqual(first.statuses)
})

test('a port in use exits with 9 and a hint', async () => {
  const { reach, home } = await startServing()
  const { port } = new URL(reach.url)
  const run = await spawnCli(['serve', '--port', port], { home })
  expect(run).toMatchObject({ code: 9, stdout: '' })
  expect(JSON.parse(run.stderr).error).toMatchObject({ code: 'local', hint: 'petstore serve --port 0' })
})

test('env unset local deletes the data only after serve has ended', async () => {
  const serving = await startServing()
  const { home } = serving
  const unset = ['env', 'unset', 'local', '--yes']
  const refused = await spawnCli(unset, { home })
  expect(refused).toMatchObject({ code: 9, stdout: '' })
  expect(JSON.parse(refused.stderr).error).toMatchObject({
    code: 'local',
    message: expect.stringMatching(
      /another program \(such as 'petstore serve'\) is using the database .*; nothing was deleted/,
    ),
  })
  const added = await serving.fetch('/v1/pets', posting({ name: 'Rex', categoryId: 1 }))
  expect(added.status).toBe(201)
  const { id } = (await added.json()) as { id: number }
  serving.child.kill('SIGTERM')
  await serving.finished
  expect((await spawnCli(['pets', 'get', String(id), '--env', 'local'], { home })).code).toBe(0)
  expect((await spawnCli(unset, { home })).code).toBe(0)
  expect((await spawnCli(['pets', 'get', String(id), '--env', 'local'], { home })).code).toBe(5)
  expect(samplePets.length).toBeLessThan(id)
})

/** The paths of the open files of a process. A file may be closed while they are listed. */
function openFilesOf(pid: number | undefined): string[] {
  const directory = `/proc/${pid}/fd`
  return readdirSync(directory).flatMap((name) => {
    try {
      return readlinkSync(join(directory, name))
    } catch {
      return []
    }
  })
}

/** The text of a request that adds a pet. */
function addingRequest({ reach }: Awaited<ReturnType<typeof startServing>>): string {
  const body = '{"name":"Rex","categoryId":1}'
  const lines = ['Host: x', `Authorization: Bearer ${reach.apiKey}`, 'Content-Type: application/json']
  return ['POST /v1/pets HTTP/1.1', ...lines, `Content-Length: ${body.length}`, '', body].join('\r\n')
}
