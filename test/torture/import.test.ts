import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { needs, withOwnMounts } from '../support/needs.ts'
import { peakMemory } from '../support/peak-memory.ts'
import {
  binPath,
  cleanEnvironment,
  nodePath,
  type RunningCli,
  spawnCli,
  startCli
} from '../support/spawn-cli.ts'
import { temporaryDirectory } from '../support/temp.ts'

interface CountingService {
  readonly env: Readonly<Record<string, string>>
  /** How often each pet was added and requested. */
  counts(): Promise<{ added: Map<string, number>; asked: Map<string, number> }>
}

async function countingService(share: number, milliseconds: number): Promise<CountingService> {
  const path = fileURLToPath(new URL('counting-service.js', import.meta.url))
  const child = spawn(process.execPath, [path, String(share), String(milliseconds)], {
    stdio: ['ignore', 'pipe', 'inherit']
  })
  onTestFinished(() => {
    child.kill('SIGKILL')
  })
  const [line] = await once(child.stdout, 'data')
  const url = `http://127.0.0.1:${String(line).trim()}`
  return {
    env: { PETSTORE_API_KEY: 'sk_test_12345678', PETSTORE_BASE_URL: `${url}/v1` },
    counts: async () => {
      const { added, asked } = (await (await fetch(url)).json()) as Record<
        string,
        [string, number][]
      >
      return { added: new Map(added), asked: new Map(asked) }
    }
  }
}

const nameOf = (line: number) => `pet ${line}`

function writeRows(count: number): { home: string; path: string } {
  const home = temporaryDirectory()
  const path = join(home, 'pets.ndjson')
  const lines = Array.from(
    { length: count },
    (_, index) => `{"name":"${nameOf(index + 1)}","categoryId":${index}}\n`
  )
  writeFileSync(path, lines.join(''))
  return { home, path }
}

interface Event {
  readonly line: number
  readonly outcome: 'added' | 'skipped' | 'rejected' | 'invalid' | 'doubtful'
}

const eventsOf = (stdout: string): Event[] =>
  stdout
    .slice(0, stdout.lastIndexOf('\n') + 1)
    .split('\n')
    .filter(line => line !== '')
    .map(line => JSON.parse(line))

/** Resolves when the program has added this many rows, or has ended. */
async function hasAdded(running: RunningCli, count: number): Promise<void> {
  const isThere = () =>
    eventsOf(running.stdout()).filter(({ outcome }) => outcome === 'added').length >= count
  await Promise.race([
    running.finished,
    new Promise<void>(resolve => {
      const look = () => {
        if (isThere()) resolve()
      }
      running.child.stdout.on('data', look)
      look()
    })
  ])
}

/** Reproducible random numbers below the limit. */
function* randomNumbers(limit: number): Generator<number, never> {
  for (let seed = 7; ; seed = (seed * 48_271) % 2_147_483_647) yield seed % limit
}

/** Checks that no row is added twice or lost, and that every reported outcome is true. */
async function expectConsistent(
  rows: number,
  lastRun: readonly Event[],
  service: CountingService
): Promise<void> {
  const { added } = await service.counts()
  expect([...added.values()].filter(times => times > 1)).toEqual([])
  expect(new Set(lastRun.map(({ line }) => line)).size).toBe(rows)
  expect(lastRun).toHaveLength(rows)
  const wronglyClaimed = lastRun.filter(({ line, outcome }) => {
    const isThere = added.has(nameOf(line))
    if (outcome === 'added' || outcome === 'skipped') return !isThere
    return outcome === 'rejected' ? isThere : outcome !== 'doubtful'
  })
  expect(wronglyClaimed).toEqual([])
  const unreported = [...added.keys()].filter(name => {
    const end = lastRun.find(({ line }) => nameOf(line) === name)
    return end?.outcome !== 'added' && end?.outcome !== 'skipped' && end?.outcome !== 'doubtful'
  })
  expect(unreported).toEqual([])
}

test('an import that is killed thirty times, with faults, adds no row twice and reports every row', async () => {
  const rows = 5_000
  const service = await countingService(0.1, 12)
  const { home, path } = writeRows(rows)
  const argv = ['pets', 'import', path, '-o', 'ndjson']
  const numbers = randomNumbers(150)
  for (let kills = 0; kills < 30; kills += 1) {
    const running = startCli(argv, { env: service.env, home })
    await hasAdded(running, numbers.next().value)
    running.child.kill('SIGKILL')
    const { signal } = await running.finished
    expect(signal).toBe('SIGKILL')
  }
  const last = await startCli(argv, { env: service.env, home }).finished
  expect(last.code).toBe(8)
  const ends = eventsOf(last.stdout)
  await expectConsistent(rows, ends, service)

  const doubtful = ends.filter(({ outcome }) => outcome === 'doubtful').length
  console.log(`${doubtful} rows in doubt after 30 kills, ${rows / 10} rows with faults`)
  // The rows with faults of unknown outcome, and at most the rows in flight or being recorded at
  // each kill.
  expect(doubtful).toBeGreaterThanOrEqual((rows / 10 / 12) * 7)
  expect(doubtful).toBeLessThanOrEqual((rows / 10 / 12) * 8 + 30 * 16)
})

test('the memory of an import hardly grows with its rows', async () => {
  const server = spawn(
    process.execPath,
    [fileURLToPath(new URL('../../bench/instant-server.js', import.meta.url))],
    {
      stdio: ['ignore', 'pipe', 'inherit']
    }
  )
  onTestFinished(() => {
    server.kill('SIGKILL')
  })
  const [line] = await once(server.stdout, 'data')
  const { messagesUrl } = JSON.parse(String(line))
  const env = { PETSTORE_API_KEY: 'sk_test_12345678', PETSTORE_BASE_URL: `${messagesUrl}/v1` }
  const peakOf = async (rows: number) => {
    const { home, path } = writeRows(rows)
    const memory = peakMemory()
    const argv = ['pets', 'import', path, '-o', 'ndjson']
    const run = await spawnCli(argv, {
      env: { ...env, ...memory.env },
      home,
      nodeArguments: memory.nodeArguments
    })
    expect({ code: run.code, lines: run.stdout.split('\n').length - 1 }).toEqual({
      code: 0,
      lines: rows
    })
    return memory.megabytes()
  }
  const [few, many] = [await peakOf(50_000), await peakOf(300_000)]
  console.log(`${few.toFixed(0)} MB for 50,000 rows, ${many.toFixed(0)} MB for 300,000`)
  // On an idle machine 115 and 132, and below 150 for a million (`npm run bench:import`). On a busy
  // one, garbage collection runs later.
  expect(many).toBeLessThan(170)
  expect(many / few).toBeLessThan(1.5)
})

test('Ctrl-C at any moment exits with 130 within a second, and the same command resumes', async () => {
  const rows = 600
  const service = await countingService(0.1, 150)
  const { home, path } = writeRows(rows)
  const argv = ['pets', 'import', path, '-o', 'ndjson', '--concurrency']
  const numbers = randomNumbers(40)
  const times: number[] = []
  for (let round = 0; round < 10; round += 1) {
    const running = startCli([...argv, '16'], { env: service.env, home })
    await hasAdded(running, 1 + numbers.next().value)
    const begun = performance.now()
    running.child.kill(round % 2 === 0 ? 'SIGINT' : 'SIGTERM')
    const { code } = await running.finished
    expect(code).toBe(round % 2 === 0 ? 130 : 143)
    times.push(performance.now() - begun)
  }
  // The program does the same in every round, so slower rounds are due to other load on the
  // machine.
  expect(Math.min(...times)).toBeLessThan(1000)
  const last = await startCli([...argv, '64'], { env: service.env, home }).finished
  expect(last.code).toBe(8)
  await expectConsistent(rows, eventsOf(last.stdout), service)
})

/** Runs in a separate mount that has room for a part of the journal, and later for all of it. */
const onSmallDisk = `
set -eu
place=$1 results=$2
shift 2
mount -t tmpfs -o size=28k,mode=700 tmpfs "$place"
code=0; "$@" > "$results/first" 2> "$results/first-errors" || code=$?
mount -o remount,size=8m "$place"
again=0; "$@" > "$results/second" 2> "$results/second-errors" || again=$?
echo "$code $again"
`

needs('unshare', 'a mount namespace')('a disk that becomes full during an import', () => {
  test('ends it with 9, and it resumes when there is room', async () => {
    const rows = 5_000
    const service = await countingService(0.0001, 1)
    const { home, path } = writeRows(rows)
    const [place, results] = [temporaryDirectory(), temporaryDirectory()]
    const command = [...withOwnMounts, 'bash', '-c', onSmallDisk, 'bash', place, results]
    const program = [nodePath, binPath, 'pets', 'import', path, '-o', 'ndjson']
    const { stdout } = await promisify(execFile)(
      command[0] ?? '',
      [...command.slice(1), ...program],
      {
        env: cleanEnvironment(home, { ...service.env, PETSTORE_CONFIG_DIR: place })
      }
    )
    const read = (name: string) => readFileSync(join(results, name), 'utf8')
    expect(stdout).toBe('9 8\n')
    const error = JSON.parse(read('first-errors').trim().split('\n').at(-1) ?? '').error
    expect(error).toMatchObject({
      code: 'local',
      message: expect.stringContaining('no space left on device')
    })

    const [first, second] = [eventsOf(read('first')), eventsOf(read('second'))]
    expect(first.length).toBeGreaterThan(100)
    expect(first.length).toBeLessThan(rows)
    await expectConsistent(rows, second, service)
    // At most the rows that were in flight when the disk became full.
    expect(second.filter(({ outcome }) => outcome === 'doubtful').length).toBeLessThanOrEqual(16)
  })
})
