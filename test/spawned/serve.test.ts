import { once } from 'node:events'
import { existsSync, readdirSync, readlinkSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { describe, expect, test, vi } from 'vitest'
import { samplePets } from '../../src/service/schema.ts'
import { connect as connectToDatabase } from '../service/sqlite.ts'
import { posting, startServing } from '../support/serving.ts'
import { spawnCli, startCli } from '../support/spawn-cli.ts'
import { temporaryDirectory } from '../support/temp.ts'

describe('the key', () => {
  test('is the key of the local environment: created at first use, saved, and printed by auth token', async () => {
    const first = await startServing()
    const { home } = first
    expect((await spawnCli(['auth', 'token', '--env', 'local'], { home })).stdout).toBe(
      `${first.reach.apiKey}\n`
    )
    const second = await startServing([], { home })
    expect(second.reach.apiKey).toBe(first.reach.apiKey)
    expect((await startServing()).reach.apiKey).not.toBe(first.reach.apiKey)
  })
})

describe('the data', () => {
  test('is shared with --env local at the same time', async () => {
    const serving = await startServing()
    const { home } = serving
    const add = ['pets', 'add', '--env', 'local', '--name', 'by hand', '--category-id', '1']
    expect(await spawnCli(add, { home })).toMatchObject({ code: 0 })
    expect(
      (await serving.fetch('/v1/pets', posting({ name: 'by wire', categoryId: 1 }))).status
    ).toBe(201)
    const { stdout } = await spawnCli(['pets', 'list', '--env', 'local', '--limit', '100'], {
      home
    })
    expect(JSON.parse(stdout).slice(samplePets.length)).toMatchObject([
      { name: 'by hand' },
      { name: 'by wire' }
    ])
    expect(await (await serving.fetch('/v1/pets?limit=100')).json()).toEqual(JSON.parse(stdout))
  })
})

describe('a signal', () => {
  test.each(['SIGINT', 'SIGTERM'] as const)(
    '%s ends serve with 0 despite an idle connection',
    async signal => {
      const serving = await startServing()
      await (await serving.fetch('/v1/pets')).text()
      serving.child.kill(signal)
      expect(await serving.finished).toMatchObject({ code: 0, signal: null })
    }
  )

  test('lets requests in progress finish without the remaining latency', async () => {
    const serving = await startServing(['--latency', '3600000'])
    const { socket, body } = await beginToAdd(serving)
    serving.child.kill('SIGTERM')
    socket.write(body)
    expect(await text(socket)).toMatch(/^HTTP\/1\.1 201 /)
    expect((await serving.finished).code).toBe(0)
  })
})

describe('a client that disconnects', () => {
  test.each([
    ['complete', undefined, 1],
    ['cut off', -1, 0]
  ])('during the latency, with its request %s, causes no abnormal exit', async (_, end, pets) => {
    const home = temporaryDirectory()
    const serving = await startServing(['--latency', '3600000', '--empty'], { home })
    const { socket, body } = await beginToAdd(serving)
    socket.write(body.slice(0, end))
    const database = connectToDatabase(join(home, '.config', 'petstore', 'local.db'))
    await vi.waitUntil(() => database.rows('SELECT * FROM pets').length === pets, {
      timeout: 20_000
    })
    database.close()
    socket.destroy()
    serving.child.kill('SIGINT')
    serving.child.kill('SIGTERM')
    expect(await serving.finished).toMatchObject({ code: 0, signal: null })
    const { stdout } = await spawnCli(['pets', 'list', '--env', 'local'], { home })
    expect(JSON.parse(stdout)).toHaveLength(pets)
  })
})

describe('a database', () => {
  test('that is deleted while serve runs causes 500 and a line on stderr, also with --quiet', async () => {
    const data = join(temporaryDirectory(), 'pets.db')
    const serving = await startServing(['--data', data, '--quiet'])
    const add = () => serving.fetch('/v1/pets', posting({ name: 'Rex', categoryId: 1 }))
    expect((await add()).status).toBe(201)
    rmSync(data)
    expect((await add()).status).toBe(500)
    await serving.printed('stderr', /the database .*pets\.db was deleted or replaced/)
    serving.child.kill('SIGTERM')
    const finished = await serving.finished
    expect(finished).toMatchObject({ code: 0, signal: null })
    expect(finished.stderr).not.toContain('POST /v1/pets 201')
    expect(existsSync(data)).toBe(false)
  })

  test.skipIf(!existsSync('/proc/self/fd')).each([
    ['serve', ['serve', '--port', '0']],
    [
      'a command with --env local',
      ['pets', 'add', '--env', 'local', '--name', 'late', '--category-id', '1']
    ]
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
    expect(other.rows("SELECT * FROM pets WHERE name = 'late'")).toEqual([])
  })
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
      /another program \(such as 'petstore serve'\) is using it; nothing was deleted/
    )
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
  return readdirSync(directory).flatMap(name => {
    try {
      return readlinkSync(join(directory, name))
    } catch {
      return []
    }
  })
}

/** Begins a request that adds a pet. Resolves when the service has read all but its body. */
async function beginToAdd({ reach }: Awaited<ReturnType<typeof startServing>>) {
  const body = '{"name":"Rex","categoryId":1}'
  const { hostname, port } = new URL(reach.url)
  const socket = connect(Number(port), hostname)
  const headers = [
    `Host: x`,
    `Authorization: Bearer ${reach.apiKey}`,
    'Content-Type: application/json',
    `Content-Length: ${body.length}`,
    'Expect: 100-continue'
  ]
  socket.write(['POST /v1/pets HTTP/1.1', ...headers, '', ''].join('\r\n'))
  await once(socket, 'data')
  return { socket, body }
}
