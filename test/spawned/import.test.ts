import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { needs } from '../support/needs.ts'
import { startServing } from '../support/serving.ts'
import { programWords, spawnCli, startCli } from '../support/spawn-cli.ts'
import { temporaryDirectory } from '../support/temp.ts'
import { openTerminal } from '../support/terminal.ts'

function rowsFile(count: number, home: string): string {
  const path = join(home, 'pets.csv')
  const rows = Array.from({ length: count }, (_, index) => `pet ${index},5\n`)
  writeFileSync(path, `name,categoryId\n${rows.join('')}`)
  return path
}

const summaryIn = (stderr: string) => {
  const lines = stderr.split('\n').filter(line => line.includes('"summary"'))
  return JSON.parse(lines[0] ?? '{}').summary
}

/** A service that takes 20 ms for a request, and an environment for it. */
async function slowService(...options: string[]) {
  const home = temporaryDirectory()
  const serving = await startServing(['--empty', '--latency', '20'])
  const env = { PETSTORE_API_KEY: serving.reach.apiKey ?? '' }
  const set = ['env', 'set', 'staging', '--base-url', serving.reach.url, ...options]
  await spawnCli(set, { home, env })
  return { ...serving, home, env }
}

/** Kills an import when it has added some rows. */
async function kill(
  argv: readonly string[],
  where: { home: string; env: Record<string, string> }
): Promise<void> {
  const first = startCli(['pets', 'import', ...argv], where)
  await first.printed('stdout', /("added"[\s\S]*){20}/)
  first.child.kill('SIGKILL')
  await first.finished
}

describe('after kill -9, the same command adds each row once', () => {
  test('and no more than twice --concurrency are in doubt', async () => {
    const { home, env } = await slowService()
    const argv = [rowsFile(200, home), '--env', 'staging', '--concurrency', '4']
    await kill(argv, { home, env })
    const { code, stderr } = await spawnCli(['pets', 'import', ...argv], { home, env })
    const { added, skipped, doubtful, lines } = summaryIn(stderr)
    expect([code, added + skipped + doubtful]).toEqual([8, 200])
    expect(doubtful).toBeLessThanOrEqual(2 * 4)
    const settle = ['pets', 'import', ...argv, '--skip', lines.doubtful]
    expect((await spawnCli(settle, { home, env })).code).toBe(0)
  })

  test('and none is in doubt where the service honors keys', async () => {
    const { home, env, fetch } = await slowService('--idempotent')
    const argv = [rowsFile(200, home), '--env', 'staging']
    await kill(argv, { home, env })
    const { code, stderr } = await spawnCli(['pets', 'import', ...argv], { home, env })
    expect([code, summaryIn(stderr).doubtful]).toEqual([0, 0])
    const requests = (await (await fetch('/_local/requests')).json()) as { status: number }[]
    expect(requests.length).toBeGreaterThanOrEqual(200)
    expect(requests.every(({ status }) => status === 201)).toBe(true)
  })

  test('also on another machine each night, if the journals are kept', async () => {
    const { reach, env, fetch } = await slowService()
    const kept = { PETSTORE_JOURNAL_DIR: temporaryDirectory(), PETSTORE_BASE_URL: reach.url }
    // A new home is an empty machine.
    const night = (count: number) => {
      const home = temporaryDirectory()
      const argv = [rowsFile(count, home), '--batch', 'nightly']
      return [argv, { home, env: { ...env, ...kept, CI: 'true' } }] as const
    }
    const finish = async ([argv, where]: ReturnType<typeof night>) =>
      summaryIn((await spawnCli(['pets', 'import', ...argv], where)).stderr)
    expect(await finish(night(30))).toMatchObject({ added: 30 })
    await kill(...night(80))
    const { doubtful } = await finish(night(90))
    expect(doubtful).toBeLessThanOrEqual(16)
    const pets = (await (await fetch('/v1/pets?limit=100')).json()) as { name: string }[]
    expect(pets.length).toBeGreaterThanOrEqual(90 - doubtful)
    expect(new Set(pets.map(({ name }) => name)).size).toBe(pets.length)
  })
})

test('a second import of the same file at once is 9', async () => {
  const { home, env } = await slowService()
  const argv = ['pets', 'import', rowsFile(1000, home), '--env', 'staging']
  const first = startCli(argv, { home, env })
  await first.printed('stdout', 'added')
  const second = await spawnCli(argv, { home, env })
  expect([second.code, second.stdout]).toEqual([9, ''])
  expect(second.stderr).toContain('another petstore process is using the journal')
  const { code, stderr } = await first.finished
  expect([code, summaryIn(stderr).added]).toEqual([0, 1000])
})

test('if the journals are deleted during an import, no command is named that would add its pets again', async () => {
  const { home, env } = await slowService()
  const argv = ['pets', 'import', rowsFile(1000, home), '--env', 'staging']
  const running = startCli(argv, { home, env })
  await running.printed('stdout', 'added')
  rmSync(join(home, '.config/petstore/journals'), { recursive: true })
  const { code, stderr } = await running.finished
  expect(code).toBe(9)
  expect(stderr).toContain('deleted or replaced during the import, so which pets were added is not')
  expect(stderr).not.toMatch(/"next"|"hint"/)
})

test('an import goes on if its reader closes stdout', async () => {
  const home = temporaryDirectory()
  const path = rowsFile(2000, home)
  const running = startCli(['pets', 'import', path, '--env', 'local'], { home })
  await running.printed('stdout', 'added')
  running.child.stdout.destroy()
  const { code, stderr } = await running.finished
  expect([code, summaryIn(stderr).added]).toEqual([0, 2000])
})

needs('bash')('a journal that cannot grow', () => {
  test('ends the import, and the next run knows what was added', async () => {
    const { home, env } = await slowService()
    const argv = ['pets', 'import', rowsFile(1000, home), '--env', 'staging']
    const under = ['bash', '-c', 'ulimit -f 60; exec "$@"', 'bash']
    const first = await spawnCli(argv, { home, env, under })
    expect(first.code).toBe(9)
    const { code, stderr } = await spawnCli(argv, { home, env })
    const { added, skipped, doubtful } = summaryIn(stderr)
    expect([code, added + skipped + doubtful]).toEqual([doubtful > 0 ? 8 : 0, 1000])
    expect(skipped).toBeGreaterThanOrEqual(summaryIn(first.stderr).added)
    expect(doubtful).toBeLessThanOrEqual(16)
  })
})

needs('tmux')('in a terminal', () => {
  test('a progress bar, then a summary of one line; Ctrl-C says how to resume', async () => {
    const { home, env } = await slowService()
    const path = rowsFile(5000, home)
    const command = `${programWords} pets import '${path}' --env staging`
    const terminal = await openTerminal(['sh', '-c', command], { home, env, columns: 200 })
    await terminal.waitFor(/\d+% .*of 5,000 rows.*\d\/s/)
    await terminal.press('C-c')
    expect(await terminal.exitCode()).toBe(130)
    await terminal.waitFor(
      /of 5,000 rows: .* added to staging in .*\nhint: petstore pets import .*pets\.csv --env staging/
    )
  })
})
