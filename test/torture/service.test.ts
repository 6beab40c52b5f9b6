import { execFile, execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { promisify } from 'node:util'
import fc from 'fast-check'
import { describe, expect, onTestFinished, test } from 'vitest'
import { connect as connectToDatabase } from '../service/sqlite.ts'
import { needs, withOwnMounts } from '../support/needs.ts'
import { posting, startServing } from '../support/serving.ts'
import { binPath, cleanEnvironment, nodePath, spawnCli } from '../support/spawn-cli.ts'
import { temporaryDirectory } from '../support/temp.ts'

type Serving = Awaited<ReturnType<typeof startServing>>
type ValueOf<Generator> = Generator extends fc.Arbitrary<infer Value> ? Value : never

/** An independent program with its own SQLite, which shows the content of the file. */
const sqliteProgram = 'sqlite3'
const env = { PETSTORE_API_KEY: 'sk_test_12345678' }

/** The names of the pets by id. */
function petsIn(path: string): Map<string, string> {
  const options = { encoding: 'utf8', maxBuffer: 2 ** 28 } as const
  expect(execFileSync(sqliteProgram, [path, 'PRAGMA integrity_check'], options)).toBe('ok\n')
  const rows = execFileSync(sqliteProgram, [path, 'SELECT id, name FROM pets'], options)
    .trim()
    .split('\n')
  return new Map(rows.filter(row => row !== '').map(row => row.split('|') as [string, string]))
}

needs(sqliteProgram)('a service that is killed under load', () => {
  test('starts again without lost pets, thirty times', async () => {
    const path = join(temporaryDirectory(), 'pets.db')
    const acknowledged = new Map<string, string>()
    for (let kill = 1; kill <= 30; kill += 1) {
      const serving = await startServing(['--data', path, '--empty', '--quiet'], { env })
      const before = acknowledged.size
      let isKilled = false
      const clients = Array.from({ length: 16 }, async (_, client) => {
        for (let number = 0; !isKilled; number += 1) {
          const name = `${kill}-${client}-${number}`
          const reply = await serving
            .fetch('/v1/pets', posting({ name, categoryId: 1 }))
            .catch(() => undefined)
          // A truncated reply does not count.
          const text = reply?.status === 201 ? await reply.text().catch(() => '') : ''
          if (text !== '') acknowledged.set(String(JSON.parse(text).id), name)
          // The kills happen at different times, some of them early.
          if (acknowledged.size >= before + kill * 3 && !isKilled) {
            isKilled = true
            serving.child.kill('SIGKILL')
          }
        }
      })
      await Promise.all(clients)
      expect((await serving.finished).signal).toBe('SIGKILL')

      const stored = petsIn(path)
      for (const [id, name] of acknowledged)
        expect(stored.get(id), `kill ${kill}, pet ${id}`).toBe(name)
      expect(new Set(stored.values()).size).toBe(stored.size)
    }
    expect(acknowledged.size).toBeGreaterThanOrEqual(30 * 3)
  })
})

needs(sqliteProgram)('many programs on one file', () => {
  test('two servers and ten commands at once lose no pet', async () => {
    const home = temporaryDirectory()
    const servers = [
      await startServing(['--quiet'], { home, env }),
      await startServing(['--quiet'], { home, env })
    ]
    const path = join(home, '.config', 'petstore', 'local.db')
    const before = petsIn(path).size

    const overHttp = servers.flatMap((server, which) =>
      Array.from({ length: 10 }, async (_, client) => {
        const names: string[] = []
        for (let number = 0; number < 20; number += 1) {
          const name = `http-${which}-${client}-${number}`
          const reply = await server.fetch('/v1/pets', posting({ name, categoryId: 1 }))
          expect(reply.status).toBe(201)
          names.push(name)
        }
        return names
      })
    )
    const byCommand = Array.from({ length: 10 }, async (_, number) => {
      const name = `command-${number}`
      const argv = ['pets', 'add', '--env', 'local', '--name', name, '--category-id', '1']
      const run = await spawnCli(argv, { home })
      expect(run).toMatchObject({ code: 0, stderr: '' })
      return [name]
    })
    const names = (await Promise.all([...overHttp, ...byCommand])).flat()

    const stored = petsIn(path)
    expect(stored.size).toBe(before + 410)
    expect([...stored.values()].slice(before).sort()).toEqual(names.sort())
  })
})

describe('slow clients', () => {
  const head = `POST /v1/pets HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${env.PETSTORE_API_KEY}\r\n`

  test('that send slowly are refused with an error, while others are served', async () => {
    const serving = await startServing(['--data', ':memory:', '--quiet'], { env })
    const sockets = await Promise.all(
      Array.from({ length: 200 }, (_, number) =>
        open(serving, number % 2 === 0 ? '' : 'GET /v1/pets HTTP/1.1\r\n')
      )
    )
    const replies = sockets.map(async socket => {
      const sending = setInterval(() => socket.write('X: x\r\n'), 1000)
      let reply = ''
      for await (const chunk of socket) reply += chunk
      clearInterval(sending)
      return reply
    })
    let isOver = false
    const all = Promise.all(replies).finally(() => {
      isOver = true
    })
    let served = 0
    while (!isOver) {
      expect((await serving.fetch('/v1/pets')).status).toBe(200)
      served += 1
    }
    for (const reply of await all) {
      expect(reply).toMatch(
        /^HTTP\/1.1 (408|400) .*\r\n\r\n\{"code":"[a-z_]+","message":".+","status":(408|400)\}$/s
      )
    }
    expect(served).toBeGreaterThan(20)
  })

  test('that never finish a body delay the end by at most five seconds', async () => {
    const serving = await startServing(['--data', ':memory:', '--quiet'], { env })
    const socket = await open(
      serving,
      `${head}Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{"name":`
    )
    await serving.fetch('/health')
    const start = performance.now()
    serving.child.kill('SIGTERM')
    expect((await serving.finished).code).toBe(0)
    expect(performance.now() - start).toBeGreaterThan(4_500)
    expect(performance.now() - start).toBeLessThan(20_000)
    expect(socket.destroyed || socket.readableEnded).toBe(true)
  })
})

describe.skipIf(!existsSync('/proc/self/status'))('large bodies', () => {
  const mebibyte = 1024 * 1024
  const body = `{"name":"${'x'.repeat(mebibyte - 40)}","categoryId":1}`

  /** The most memory that the process has used so far. */
  const peakMemory = ({ child }: Serving) => {
    const [, kilobytes] =
      /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8')) ?? []
    return Number(kilobytes) * 1024
  }

  async function sendTo(serving: Serving): Promise<string> {
    const lines = ['Host: x', 'Content-Type: application/json', `Content-Length: ${body.length}`]
    const socket = await open(serving, ['POST /v1/pets HTTP/1.1', ...lines, '', body].join('\r\n'))
    let reply = ''
    for await (const chunk of socket) {
      reply += chunk
      if (reply.includes('\r\n\r\n')) break
    }
    return reply.slice('HTTP/1.1 '.length, 'HTTP/1.1 200'.length)
  }

  test('in chunks of one byte take little more memory than their size', async () => {
    const serving = await startServing(['--data', ':memory:', '--quiet'], { env })
    await serving.fetch('/v1/pets')
    const before = peakMemory(serving)
    const key = `Authorization: Bearer ${env.PETSTORE_API_KEY}`
    const type = 'Content-Type: application/json\r\nTransfer-Encoding: chunked'
    const socket = await open(
      serving,
      `POST /v1/pets HTTP/1.1\r\nHost: x\r\n${key}\r\n${type}\r\n\r\n`
    )
    const reply = once(socket, 'data')
    const piece = '1\r\n \r\n'.repeat(1 << 14)
    for (let count = 0; count < 63; count += 1)
      if (!socket.write(piece)) await once(socket, 'drain')
    socket.write('0\r\n\r\n')
    expect(String(await reply)).toMatch(/^HTTP\/1.1 400 /)
    // As a list of chunks, it took 430 MB.
    expect(peakMemory(serving) - before).toBeLessThan(150 * mebibyte)
  })

  test('that are refused for their size take no memory, however much follows', async () => {
    const serving = await startServing(['--data', ':memory:', '--quiet'], { env })
    await serving.fetch('/v1/pets')
    const before = peakMemory(serving)
    const key = `Authorization: Bearer ${env.PETSTORE_API_KEY}`
    const type = 'Content-Type: application/json'
    const length = `Content-Length: ${300 * mebibyte}`
    const socket = await open(
      serving,
      ['POST /v1/pets HTTP/1.1', 'Host: x', key, type, length, '', ''].join('\r\n')
    )
    const reply = once(socket, 'data')
    const piece = 'x'.repeat(mebibyte)
    for (let count = 0; count < 300; count += 1)
      if (!socket.write(piece)) await once(socket, 'drain')
    expect(String(await reply)).toMatch(/^HTTP\/1.1 413 /)
    expect(peakMemory(serving) - before).toBeLessThan(90 * mebibyte)
  })

  test('400 of 1 MiB at once are not read without the key', async () => {
    const data = join(temporaryDirectory(), 'pets.db')
    const serving = await startServing(['--data', data, '--empty', '--quiet'], { env })
    await serving.fetch('/v1/pets')
    const before = peakMemory(serving)
    const statuses = await Promise.all(Array.from({ length: 400 }, () => sendTo(serving)))
    expect(new Set(statuses)).toEqual(new Set(['401']))
    expect(peakMemory(serving) - before).toBeLessThan(90 * mebibyte)
  })
})

needs(sqliteProgram)('clients with random behavior', () => {
  // Sizes instead of bodies keep a counterexample readable.
  const size = fc.constantFrom(3, 20_000, 1_048_000, 1_048_577)
  const request = fc.record({
    kind: fc.constantFrom(
      'add',
      'add',
      'add in chunks',
      'list',
      'get',
      'health',
      'description',
      'garbage'
    ),
    hasKey: fc.boolean(),
    expectsContinue: fc.boolean(),
    size
  })

  function bytesOf({ kind, hasKey, expectsContinue, size }: ValueOf<typeof request>): string {
    const body = `{"name":"${'x'.repeat(size)}","categoryId":1}`
    const shared = [
      'Host: x',
      ...(hasKey ? [`Authorization: Bearer ${env.PETSTORE_API_KEY}`] : []),
      ...(expectsContinue ? ['Expect: 100-continue'] : [])
    ]
    const withHead = (line: string, ...headers: string[]) =>
      [`${line} HTTP/1.1`, ...shared, ...headers, '', ''].join('\r\n')
    const json = 'Content-Type: application/json'
    switch (kind) {
      case 'add':
        return withHead('POST /v1/pets', json, `Content-Length: ${body.length}`) + body
      case 'add in chunks':
        return `${withHead('POST /v1/pets', json, 'Transfer-Encoding: chunked')}${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`
      case 'list':
        return withHead('GET /v1/pets')
      case 'get':
        return withHead('GET /v1/pets/3')
      case 'health':
        return withHead('HEAD /health')
      case 'description':
        return withHead('GET /v1/openapi.json', 'Connection: Upgrade', 'Upgrade: x')
      default:
        return 'garbage\r\n\r\n'
    }
  }

  const client = fc.record({
    requests: fc.array(request, { minLength: 1, maxLength: 3 }),
    /** The share of the bytes that the client sends. */
    share: fc.constantFrom(1, 1, 1, 0.99, 0.5),
    reads: fc.boolean(),
    leavesAfter: fc.option(fc.nat({ max: 400 }))
  })
  const run = fc.record({
    argv: fc.constantFrom(
      [],
      ['--latency', '300'],
      ['--latency', '3600000'],
      ['--fail', '0.5', '--fail-with', 'drop'],
      ['--fail', '0.5', '--fail-with', 'stall']
    ),
    clients: fc.array(client, { minLength: 20, maxLength: 40, size: 'max' }),
    isLocked: fc.boolean(),
    endsAfter: fc.nat({ max: 800 }),
    signals: fc.array(fc.constantFrom('SIGINT', 'SIGTERM'), { minLength: 1, maxLength: 2 })
  })

  test('never end serve abnormally, whenever a signal arrives', async () => {
    const path = join(temporaryDirectory(), 'pets.db')
    const behave = async (plan: ValueOf<typeof run>) => {
      const serving = await startServing(['--data', path, ...plan.argv], { env })
      const other = connectToDatabase(path)
      if (plan.isLocked) other.exec('BEGIN IMMEDIATE')
      await Promise.all(
        plan.clients.map(async ({ requests, share, reads, leavesAfter }) => {
          const text = requests.map(bytesOf).join('')
          const socket = await open(serving, text.slice(0, text.length * share))
          if (reads) socket.resume()
          if (leavesAfter !== null) setTimeout(() => socket.resetAndDestroy(), leavesAfter)
        })
      )
      await new Promise(resolve => setTimeout(resolve, plan.endsAfter))
      for (const signal of plan.signals) serving.child.kill(signal)
      expect(await serving.finished).toMatchObject({ code: 0, signal: null })
      expect(serving.stderr()).not.toContain('panicked')
      if (plan.isLocked) other.exec('ROLLBACK')
      other.close()
      petsIn(path)
    }
    await fc.assert(fc.asyncProperty(run, behave), { numRuns: 25, endOnFailure: true })
  })
})

async function open({ reach }: Serving, beginning: string): Promise<Socket> {
  const { hostname, port } = new URL(reach.url)
  const socket = connect(Number(port), hostname).setEncoding('utf8')
  onTestFinished(() => void socket.destroy())
  socket.on('error', () => {})
  await once(socket, 'connect')
  socket.write(beginning)
  return socket
}

/**
 * Runs in a separate mount that has room for no database, then for a small one, then for
 * everything. After the failed import, the rest is filled, and the next pet is larger than the
 * space that the log reuses.
 */
const onSmallDisk = `
set -eu
place=$1 results=$2 rows=$3
shift 3
run() { code=0; "$@" > "$results/out" 2> "$results/$name" || code=$?; echo "$name $code"; }
mount -t tmpfs -o size=64k,mode=700 tmpfs "$place"
head -c 64k /dev/zero > "$place/filler"
name=no-room run "$@" pets add --name never --category-id 1
rm "$place/filler"
mount -o remount,size=256k "$place"
name=import run "$@" pets import "$rows" --journal "$results/journal"
head -c 1m /dev/zero > "$place/filler" 2>/dev/null || true
name=send run "$@" messages send "$(head -c 120000 /dev/zero | tr '\\0' x)"
rm "$place/filler"
mount -o remount,size=8m "$place"
name=again run "$@" pets import "$rows" --journal "$results/journal"
cp "$place"/local.db* "$results"
`

needs(
  'unshare',
  'a mount namespace',
  sqliteProgram
)('a full disk under --env local', () => {
  test('exits with 9 and a plain message, and leaves nothing in doubt', async () => {
    const home = temporaryDirectory()
    const [place, results, rows] = [
      temporaryDirectory(),
      temporaryDirectory(),
      join(home, 'rows.ndjson')
    ]
    const names = Array.from({ length: 400 }, (_, index) => String(index).padStart(500, '0'))
    writeFileSync(rows, names.map(name => `{"name":"${name}","categoryId":1}\n`).join(''))
    const command = [...withOwnMounts, 'bash', '-c', onSmallDisk, 'bash', place, results, rows]
    const program = [nodePath, binPath, '--env', 'local', '-o', 'ndjson']
    const { stdout } = await promisify(execFile)(
      command[0] ?? '',
      [...command.slice(1), ...program],
      {
        env: cleanEnvironment(home, { PETSTORE_CONFIG_DIR: place })
      }
    )
    expect(stdout).toBe('no-room 9\nimport 9\nsend 9\nagain 0\n')
    for (const run of ['no-room', 'import', 'send']) {
      const last = readFileSync(join(results, run), 'utf8').trim().split('\n').at(-1) ?? ''
      expect(JSON.parse(last).error).toMatchObject({
        code: 'local',
        message: expect.stringContaining('the disk is full'),
        hint: `df -h ${place}`
      })
    }
    const stored = [...petsIn(join(results, 'local.db')).values()]
    expect(stored.filter(name => /^\d{500}$/.test(name)).sort()).toEqual(names)
    expect(stored.filter(name => name.startsWith('never'))).toEqual([])
  })
})
