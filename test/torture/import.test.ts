import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { peakMemory } from '../support/peak-memory.ts'
import { type RunningCli, spawnCli, startCli } from '../support/spawn-cli.ts'
import { temporaryDirectory } from '../support/temp.ts'

/** Starts a program that prints its port, or where it is as JSON. */
async function startProgram(path: string, ...argv: string[]): Promise<string> {
  const file = fileURLToPath(new URL(path, import.meta.url))
  const child = spawn(process.execPath, [file, ...argv], { stdio: ['ignore', 'pipe', 'inherit'] })
  onTestFinished(() => {
    child.kill('SIGKILL')
  })
  const [line] = await once(child.stdout, 'data')
  return String(line).match(/\d+(?="|\s|$)/)?.[0] ?? ''
}

const at = (port: string | number) => ({
  PETSTORE_API_KEY: 'sk_test_12345678',
  PETSTORE_BASE_URL: `http://127.0.0.1:${port}/v1`
})

/** A service that counts, with a fault for each twentieth pet. */
async function countingService(milliseconds: number) {
  const port = await startProgram('counting-service.js', String(milliseconds))
  const added = async () => {
    const counts = await (await fetch(`http://127.0.0.1:${port}`)).json()
    return new Map((counts as { added: [string, number][] }).added)
  }
  return { env: at(port), added }
}

const nameOf = (line: number) => `pet ${line}`

function writeRows(count: number, extension: 'csv' | 'ndjson' = 'ndjson') {
  const home = temporaryDirectory()
  const path = join(home, `pets.${extension}`)
  const rows = Array.from({ length: count }, (_, index) => {
    const name = nameOf(index + 1)
    return extension === 'csv' ? `${name},${index}\n` : `{"name":"${name}","categoryId":${index}}\n`
  })
  writeFileSync(path, `${extension === 'csv' ? 'name,categoryId\n' : ''}${rows.join('')}`)
  return { home, argv: ['pets', 'import', path, '-o', 'ndjson'] }
}

interface Event {
  readonly line: number
  readonly outcome: 'added' | 'skipped' | 'rejected' | 'invalid' | 'doubtful'
}

const eventsIn = (stdout: string): Event[] =>
  stdout
    .slice(0, stdout.lastIndexOf('\n') + 1)
    .split('\n')
    .filter(Boolean)
    .map(line => JSON.parse(line))
const count = (stdout: string, outcome: string) => stdout.split(`"${outcome}"`).length - 1

/** Resolves when the program has added this many rows, or has ended. */
async function hasAdded(running: RunningCli, rows: number): Promise<void> {
  while (count(running.stdout(), 'added') < rows && running.child.exitCode === null)
    await Promise.race([once(running.child.stdout, 'data'), running.finished])
}

/** Reproducible random numbers below the limit. */
function* randomNumbers(limit: number): Generator<number, never> {
  for (let seed = 7; ; seed = (seed * 48_271) % 2_147_483_647) yield seed % limit
}

/** No row is added twice or lost, and every reported outcome is true. */
function expectTrue(rows: number, stdout: string, added: ReadonlyMap<string, number>) {
  const events = eventsIn(stdout)
  const claims = new Map(events.map(({ line, outcome }) => [nameOf(line), outcome]))
  expect([events.length, claims.size]).toEqual([rows, rows])
  const wrong = [...claims].filter(([name, outcome]) => {
    const times = added.get(name) ?? 0
    if (outcome === 'added' || outcome === 'skipped') return times !== 1
    return outcome === 'rejected' ? times > 0 : outcome !== 'doubtful' || times > 1
  })
  expect(wrong).toEqual([])
}

test('an import that is killed thirty times, with faults, adds no row twice and reports every row', async () => {
  const rows = 5_000
  const { env, added } = await countingService(12)
  const { home, argv } = writeRows(rows)
  const numbers = randomNumbers(150)
  for (let kills = 0; kills < 30; kills += 1) {
    const running = startCli(argv, { env, home })
    await hasAdded(running, numbers.next().value)
    running.child.kill('SIGKILL')
    await running.finished
  }
  const { code, stdout } = await spawnCli(argv, { env, home })
  expect(code).toBe(8)
  expectTrue(rows, stdout, await added())
  // The faults of unknown outcome are at most 8 of 12, and each kill leaves twice --concurrency.
  expect(count(stdout, 'doubtful')).toBeLessThanOrEqual((rows / 20 / 12) * 8 + 30 * 16)
})

test('Ctrl-C at any moment exits with 130 or 143, and the same command resumes', async () => {
  const rows = 600
  const { env, added } = await countingService(50)
  const { home, argv } = writeRows(rows)
  const numbers = randomNumbers(40)
  for (let round = 0; round < 10; round += 1) {
    const running = startCli([...argv, '--concurrency', '16'], { env, home })
    await hasAdded(running, 1 + numbers.next().value)
    running.child.kill(round % 2 === 0 ? 'SIGINT' : 'SIGTERM')
    expect((await running.finished).code).toBe(round % 2 === 0 ? 130 : 143)
  }
  const { stdout } = await spawnCli([...argv, '--concurrency', '64'], { env, home })
  expectTrue(rows, stdout, await added())
})

test.each(['csv', 'ndjson'] as const)(
  'the memory of an import of %s hardly grows',
  async extension => {
    const env = at(await startProgram('../../bench/instant-server.js'))
    const peakOf = async (rows: number) => {
      const { home, argv } = writeRows(rows, extension)
      const memory = peakMemory()
      const { nodeArguments } = memory
      const run = await spawnCli(argv, { env, home, nodeArguments })
      expect([run.code, count(run.stdout, 'added')]).toEqual([0, rows])
      return memory.megabytes()
    }
    const [few, many] = [await peakOf(30_000), await peakOf(200_000)]
    console.log(`${few.toFixed(0)} MB for 30,000 rows, ${many.toFixed(0)} MB for 200,000`)
    // On a busy machine, garbage collection runs later.
    expect(many / few).toBeLessThan(1.5)
  }
)
