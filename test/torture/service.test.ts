import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { needs } from '../support/needs.ts'
import { posting, startServing } from '../support/serving.ts'
import { spawnCli } from '../support/spawn-cli.ts'
import { temporaryDirectory } from '../support/temp.ts'

/** An independent program with its own SQLite, which shows the content of the file. */
const sqliteProgram = 'sqlite3'
const env = { PETSTORE_API_KEY: 'sk_test_12345678' }
const pause = (milliseconds: number) => new Promise(resolve => setTimeout(resolve, milliseconds))

/** The names of the pets, by ascending id. */
function namesIn(path: string): string[] {
  const ask = (sql: string) => execFileSync(sqliteProgram, [path, sql], { encoding: 'utf8' }).trim()
  expect(ask('PRAGMA integrity_check')).toBe('ok')
  return ask('SELECT name FROM pets ORDER BY id').split('\n').filter(Boolean)
}

needs(sqliteProgram)('a service that is killed under load', () => {
  test('loses no pet, and with idempotency keys doubles none, in twenty kills', async () => {
    const path = join(temporaryDirectory(), 'pets.db')
    const argv = ['--data', path, '--empty', '--quiet']
    let serving = await startServing(argv, { env })
    let kills = 0
    const confirmed: string[] = []

    /** Sends one pet after another, each until it is confirmed. */
    const addPets = async (client: number) => {
      for (let number = 0; kills < 20; number += 1) {
        const name = `${client}-${number}`
        const request = posting({ name, categoryId: 1 })
        const headers = { ...(request.headers as Record<string, string>), 'idempotency-key': name }
        const send = async () => {
          const reply = await serving.fetch('/v1/pets', { ...request, headers })
          return (await reply.text()) === '' ? 0 : reply.status
        }
        while ((await send().catch(() => pause(10))) !== 201);
        confirmed.push(name)
      }
    }
    const clients = Array.from({ length: 8 }, (_, client) => addPets(client))
    for (; kills < 20; kills += 1) {
      const enough = confirmed.length + kills * 2
      while (confirmed.length < enough) await pause(1)
      serving.child.kill('SIGKILL')
      await serving.finished
      expect(namesIn(path)).toEqual(expect.arrayContaining(confirmed))
      serving = await startServing(argv, { env })
    }
    await Promise.all(clients)
    expect(namesIn(path).sort()).toEqual(confirmed.sort())
  })
})

needs(sqliteProgram)('many programs on one new file', () => {
  test('two servers and ten commands at once lose no pet', async () => {
    const home = temporaryDirectory()
    const start = () => startServing(['--quiet'], { home, env })
    const servers = await Promise.all([start(), start()])
    const overHttp = servers.flatMap((server, which) =>
      Array.from({ length: 200 }, async (_, number) => {
        const name = `http-${which}-${number}`
        const { status } = await server.fetch('/v1/pets', posting({ name, categoryId: 1 }))
        // The other one may have had the file for too long.
        expect([201, 503]).toContain(status)
        return status === 201 ? [name] : []
      })
    )
    const byCommand = Array.from({ length: 10 }, async (_, number) => {
      const name = `command-${number}`
      const argv = ['pets', 'add', '--env', 'local', '--name', name, '--category-id', '1']
      expect(await spawnCli(argv, { home })).toMatchObject({ code: 0 })
      return [name]
    })
    const names = (await Promise.all([...overHttp, ...byCommand])).flat()
    const stored = namesIn(join(home, '.config', 'petstore', 'local.db'))
    expect(stored.slice(10).sort()).toEqual(names.sort())
  })
})

/** The most memory that a process has used. */
function peakMegabytes(pid = 0) {
  const [, kilobytes] = /VmHWM:\s*(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
  return Number(kilobytes) / 1000
}

describe.runIf(process.platform === 'linux')('connections without the key', () => {
  test('keep nothing of 1,200 bodies of a megabyte', async () => {
    const serving = await startServing(['--empty'], { env })
    const { hostname, port } = new URL(serving.reach.url)
    const head = `POST /v1/pets HTTP/1.1\r\nContent-Length: ${2 ** 20}\r\n\r\n`
    const body = Buffer.alloc(2 ** 20 - 1, ' ')
    const open = Array.from({ length: 1200 }, async () => {
      const socket = connect(Number(port), hostname).setEncoding('utf8')
      onTestFinished(() => void socket.destroy())
      const isSent = new Promise(resolve => socket.write(head) && socket.write(body, resolve))
      expect((await once(socket, 'data'))[0]).toMatch(/^HTTP\/1\.1 401 /)
      await isSent
    })
    await Promise.all(open)
    expect(peakMegabytes(serving.child.pid)).toBeLessThan(300)
  })
})

/** Numbers from 0 to 1 that are the same for the same seed (mulberry32). */
function randomFrom(seed: number) {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

const lines = [
  ...['GET / ', 'GET /openapi.json ', 'HEAD /v1/pets ', 'OPTIONS * ', 'CONNECT x:1 ', 'PRI * '],
  ...['POST /v1/pets ', 'POST /messages?', 'DELETE /v1/pets/1 ', 'GET http://x/v1/pets/%zz '],
  ...['HTTP/1.1\r\n', 'HTTP/1.0\r\n', 'HTTP/2.0\r\n', '\r\n', '\r\n', '\r\n\r\n', '\n', '\0'],
  ...['Host: x\r\n', 'Host:\r\n', `Authorization: Bearer ${env.PETSTORE_API_KEY}\r\n`],
  ...['Expect: x\r\n', 'Expect: 100-continue\r\n', 'Expect: 100-continue, x\r\n', ' folded\r\n'],
  ...['Content-Length: 0\r\n', 'Content-Length: 29\r\n', 'Content-Length: -1\r\n'],
  ...[
    'Content-Length: 99999999999\r\n',
    'Transfer-Encoding: chunked\r\n',
    'Transfer-Encoding: x\r\n'
  ],
  ...['Connection: Upgrade\r\nUpgrade: x\r\n', 'Connection: close\r\n', 'Trailer: x\r\n'],
  ...['Idempotency-Key: k\r\n', 'Prefer: drop\r\n', 'Prefer: code=503\r\n', 'X: \u00ff\u0080\r\n'],
  ...[
    'Content-Type: application/json\r\n',
    '1d\r\n',
    '0\r\n\r\n',
    'zz\r\n',
    '1;x="\r\n',
    '\u0016\u0003\u0001'
  ],
  '{"name":"Rex","categoryId":1}',
  `X: ${'x'.repeat(20_000)}\r\n`
]

/** Pieces of requests in any order, some with a wrong byte. */
function bytesFrom(random: () => number): Buffer {
  const below = (limit: number) => Math.floor(random() * limit)
  const pieces = Array.from({ length: 1 + below(14) }, () => lines[below(lines.length)])
  const start = random() < 0.7 ? 'POST /v1/pets HTTP/1.1\r\n' : ''
  const bytes = Buffer.from(start + pieces.join(''), 'latin1')
  for (let wrong = below(4) - 1; wrong > 0; wrong -= 1) bytes[below(bytes.length)] = below(256)
  return bytes
}

test('no bytes from 20,000 connections end serve, and a signal does with 0', async () => {
  const seed = Number(process.env.PETSTORE_TEST_SEED ?? Date.now() % 1e9)
  console.log(`PETSTORE_TEST_SEED=${seed}`)
  const serving = await startServing(['--empty', '--quiet'], { env })
  const { hostname, port } = new URL(serving.reach.url)
  const attack = async (number: number) => {
    const random = randomFrom(seed + number)
    const bytes = bytesFrom(random)
    const cut = Math.floor(random() * bytes.length)
    const leave = random() < 0.5 ? 'end' : 'resetAndDestroy'
    const socket = connect(Number(port), hostname).on('error', () => {})
    const isClosed = new Promise(resolve => socket.once('close', resolve))
    socket.setTimeout(2000, () => socket.destroy()).resume()
    socket.write(bytes.subarray(0, cut))
    if (random() < 0.3) await new Promise(setImmediate)
    socket.write(bytes.subarray(cut), () => socket[leave]())
    await isClosed
  }
  let connections = 0
  const attackers = Array.from({ length: 40 }, async () => {
    while (connections < 20_000) {
      connections += 1
      await attack(connections)
    }
  })
  await Promise.race([Promise.all(attackers), serving.finished])
  expect(serving.child.exitCode, serving.stderr()).toBe(null)
  expect((await serving.fetch('/health')).status).toBe(200)
  serving.child.kill('SIGTERM')
  expect(await serving.finished).toMatchObject({ code: 0, signal: null })
})
