import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import {
  canary,
  exampleLines,
  leakyAnswers,
  leakyServer,
  mayPrint,
  misspelledOption,
  type Outcome,
  runTrial,
} from '../support/canary.ts'
import { plainCommands } from '../support/example-shell.ts'
import type { Handler } from '../support/recording-server.ts'
import { recordingServer } from '../support/recording-server.ts'
import { spawnCli, startCli } from '../support/spawn-cli.ts'
import { temporaryDirectory } from '../support/temp.ts'

// The torture test runs them in a shell, with every answer and option, and also looks at the arguments of processes.
describe('a key that the service leaks is shown nowhere', () => {
  const inProcess = true

  test('in the examples of all commands', { timeout: 120_000 }, async () => {
    const lines = (await exampleLines()).filter((line) => plainCommands(line) !== undefined)
    expect(lines.length).toBeGreaterThan(30)
    const extras = [[], ['--verbose'], ['--dry-run'], misspelledOption]
    const server = await leakyServer(leakyAnswers['in a refusal'] as Handler)
    const outcomes: Outcome[] = []
    for (const [index, line] of lines.entries()) {
      const extra = extras[index % extras.length] ?? []
      const keyFrom = index % 3 === 0 ? 'file' : 'variable'
      outcomes.push(await runTrial({ line, extra, keyFrom, inProcess }, server, index))
    }
    expect(leaksOf(lines, outcomes)).toEqual([])
    expect(outcomes.filter(({ hasSent }) => hasSent).length).toBeGreaterThan(5)
  })

  test.each(Object.entries(leakyAnswers))('%s', async (name, answer) => {
    const server = await leakyServer(answer)
    const lines = [
      'petstore pets list',
      'petstore pets add --name Rex --category-id 2',
      'petstore messages send hello',
      'petstore auth status',
    ]
    for (const [index, line] of lines.entries()) {
      const keyFrom = index % 2 === 0 ? 'variable' : 'file'
      const outcome = await runTrial({ line, extra: [], keyFrom, inProcess }, server, index)
      expect(outcome.hasSent).toBe(true)
      // Data from the service is printed unchanged, even if it contains the key.
      expect(leaksOf([name === 'as data' ? '' : line], [outcome])).toEqual([])
    }
  })
})

test('a key with a final newline is masked without it', async () => {
  const server = await recordingServer(() => ({ status: 401, json: { code: 'x', message: canary, status: 401 } }))
  const env = { PETSTORE_API_KEY: `${canary}\n`, PETSTORE_BASE_URL: server.url }
  const run = await spawnCli(['pets', 'list', '-o', 'table'], { env })
  expect(run).toMatchObject({ code: 4, stderr: expect.stringContaining('***') })
  expect(run.stderr).not.toContain(canary)
})

test.each(['', '1'])(
  'a crash with the key in its message is reported without it (PETSTORE_DEBUG=%j)',
  async (debug) => {
    const crash = join(temporaryDirectory(), 'crash.cjs')
    writeFileSync(crash, `URL.canParse = () => { throw new Error('no address: ' + ${JSON.stringify(canary)}) }`)
    const run = await spawnCli(['pets', 'list', '-o', 'table'], {
      env: { PETSTORE_DEBUG: debug, PETSTORE_API_KEY: canary, PETSTORE_BASE_URL: 'https://pets.example' },
      nodeArguments: ['--require', crash],
    })
    expect(run).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('no address: ***') })
    expect(run.stderr).not.toContain(canary)
  },
)

test.each([
  ['in a callback', 'throw fault'],
  ['in a promise without a handler', 'Promise.reject(fault)'],
])('a crash %s is reported as a bug, without the key', async (_where, happens) => {
  const server = await recordingServer(() => undefined)
  const crash = join(temporaryDirectory(), 'crash.cjs')
  const fault = `new Error('no address: ' + ${JSON.stringify(canary)})`
  writeFileSync(crash, `process.on('SIGUSR2', () => { const fault = ${fault}; ${happens} })`)
  const running = startCli(['pets', 'list', '-o', 'table'], {
    env: { PETSTORE_API_KEY: canary, PETSTORE_BASE_URL: server.url },
    nodeArguments: ['--require', crash],
  })
  await server.received(1)
  running.child.kill('SIGUSR2')
  const run = await running.finished
  expect(run).toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringContaining('a bug in petstore: no address: ***'),
  })
  expect(run.stderr).not.toContain(canary)
  expect(run.stderr).not.toContain('    at ')
})

test('Node writes no key into a diagnostic report', async () => {
  const server = await recordingServer(() => undefined)
  const reports = temporaryDirectory()
  const running = startCli(['pets', 'list'], {
    env: { PETSTORE_API_KEY: canary, PETSTORE_BASE_URL: server.url },
    nodeArguments: ['--report-on-signal', '--report-signal=SIGUSR2', `--report-directory=${reports}`],
  })
  await server.received(1)
  running.child.kill('SIGUSR2')
  await running.printed('stderr', 'Node.js report completed')
  running.child.kill('SIGINT')
  await running.finished
  const [report = ''] = readdirSync(reports)
  const text = readFileSync(join(reports, report), 'utf8')
  expect(JSON.parse(text).environmentVariables).toMatchObject({ PETSTORE_BASE_URL: server.url })
  expect(text).not.toContain(JSON.stringify(canary).slice(1, -1))
})

function leaksOf(lines: readonly string[], outcomes: readonly Outcome[]): string[] {
  return outcomes.flatMap(({ leaks, isOnStdout }, index) => {
    const line = lines[index]
    return isOnStdout && line && !mayPrint(line) ? [...leaks, `${line}: stdout`] : leaks
  })
}
