import { readdirSync, writeFileSync } from 'node:fs'
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
  await spawnCli(['env', 'set', 'staging', '--base-url', serving.reach.url, ...options], {
    home,
    env
  })
  const stored = async () => {
    const requests = await (await serving.fetch('/_local/requests')).json()
    return { requests: requests as { status: number }[] }
  }
  return { home, env, stored }
}

/** Kills an import when it has added some rows, then runs it again. */
async function killed(
  argv: readonly string[],
  where: { home: string; env?: Record<string, string> }
) {
  const first = startCli(['pets', 'import', ...argv], where)
  await first.printed('stdout', /("added"[\s\S]*){20}/)
  first.child.kill('SIGKILL')
  await first.finished
  const { code, stderr } = await spawnCli(['pets', 'import', ...argv], where)
  return { code, summary: summaryIn(stderr) }
}

describe('after kill -9, the same command adds each row once', () => {
  test('and no more than twice --concurrency are in doubt', async () => {
    const { home, env } = await slowService()
    const path = rowsFile(200, home)
    const argv = [path, '--env', 'staging', '--concurrency', '4']
    const { code, summary } = await killed(argv, { home, env })
    expect(code).toBe(8)
    expect(summary.added + summary.skipped + summary.doubtful).toBe(200)
    expect(summary.doubtful).toBeLessThanOrEqual(2 * 4)
    expect(summary.lines.doubtful).toMatch(/^\d+(-\d+)?(,\d+(-\d+)?)*$/)
    const settled = await spawnCli(['pets', 'import', ...argv, '--skip', summary.lines.doubtful], {
      home,
      env
    })
    expect(settled.code).toBe(0)
  })

  test('and none is in doubt where the service honors keys', async () => {
    const { home, env, stored } = await slowService('--idempotent')
    const path = rowsFile(200, home)
    const { code, summary } = await killed([path, '--env', 'staging'], { home, env })
    expect([code, summary.doubtful]).toEqual([0, 0])
    const { requests } = await stored()
    expect(requests.length).toBeGreaterThanOrEqual(200)
    expect(requests.every(({ status }) => status === 201)).toBe(true)
  })

  test('and none is in doubt in the local service', async () => {
    const home = temporaryDirectory()
    const path = rowsFile(3000, home)
    const { code, summary } = await killed([path, '--env', 'local'], { home })
    expect([code, summary.doubtful, summary.added + summary.skipped]).toEqual([0, 0, 3000])
    const empty = await spawnCli(['pets', 'import', path, '--env', 'local'], { home })
    expect(summaryIn(empty.stderr)).toMatchObject({ added: 0, skipped: 3000 })
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

test('an import goes on if its reader closes stdout', async () => {
  const home = temporaryDirectory()
  const path = rowsFile(2000, home)
  const running = startCli(['pets', 'import', path, '--env', 'local'], { home })
  await running.printed('stdout', 'added')
  running.child.stdout.destroy()
  const { code, stderr } = await running.finished
  expect([code, summaryIn(stderr).added]).toEqual([0, 2000])
})

needs('bash')('a pipe as a file', () => {
  test('is resumed, and is no next command', async () => {
    const home = temporaryDirectory()
    const command = `${programWords} pets import <(printf '%s\\n' name,categoryId a,5 b,x) --env local`
    const inBash = { home, under: ['bash', '-c', command] }
    const [first, second] = [await spawnCli([], inBash), await spawnCli([], inBash)]
    for (const [run, skipped] of [
      [first, 0],
      [second, 1]
    ] as const) {
      expect(run.code).toBe(8)
      expect(summaryIn(run.stderr)).toMatchObject({ skipped, invalid: 1 })
      expect(run.stderr).not.toMatch(/\/dev\/fd|\/fd\/|"next"|"hint"/)
    }
    const journals = readdirSync(join(home, '.config/petstore/journals'))
    // No copy of the pipe, and no log.
    expect(
      journals.filter(name => !/^(local-\w+\.db(\.lock\.db)?|places\.db)$/.test(name))
    ).toEqual([])
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
