import { execFileSync, spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as wait } from 'node:timers/promises'
import { beforeEach, describe, expect, test } from 'vitest'
import { startCli } from '../support/spawn-cli.ts'
import { temporaryDirectory } from '../support/temp.ts'

let home: string
beforeEach(() => {
  home = temporaryDirectory()
  execFileSync('mkfifo', [join(home, 'pipe')])
  writeFileSync(join(home, 'pets.ndjson'), '{"name":"Rex","categoryId":1}\n{"name":""}\n')
})

const start = (argv: readonly string[]) =>
  startCli([...argv, '--env', 'local', '--verbose'], { home, cwd: home })

describe('a signal ends the wait for the other end of a named pipe', () => {
  test.each([
    ['the input', ['pets', 'import', 'pipe'], 'SIGINT'],
    [
      'the input of an import with --journal',
      ['pets', 'import', 'pipe', '--journal', 'journal'],
      'SIGTERM'
    ],
    ['--rejects', ['pets', 'import', 'pets.ndjson', '--rejects', 'pipe'], 'SIGINT'],
    [
      '--rejects of a check',
      ['pets', 'import', 'pets.ndjson', '--check', '--rejects', 'pipe'],
      'SIGTERM'
    ],
    ['--file of a pet', ['pets', 'add', '--file', 'pipe'], 'SIGINT'],
    ['--file of a request', ['api', 'POST', '/pets', '--file', 'pipe'], 'SIGTERM']
  ] as const)('%s', async (_, argv, signal) => {
    // A signal before the program listens for signals proves nothing, because its default action
    // ends the program. The test cannot observe that moment, so it repeats such a run with a longer
    // delay.
    let finished: Awaited<ReturnType<typeof start>['finished']>
    let milliseconds = 100
    do {
      const running = start(argv)
      await wait(milliseconds)
      running.child.kill(signal)
      finished = await running.finished
      milliseconds *= 2
    } while (finished.signal === signal && milliseconds < 10_000)
    expect(finished).toMatchObject({ code: signal === 'SIGINT' ? 130 : 143, signal: null })
  })
})

test('the rejects are read from a named pipe', async () => {
  const reader = spawn('cat', ['pipe'], { cwd: home, stdio: ['ignore', 'pipe', 'inherit'] })
  const rejects = text(reader.stdout)
  const { code } = await start(['pets', 'import', 'pets.ndjson', '--rejects', 'pipe']).finished
  expect(code).toBe(8)
  expect(await rejects).toBe('{"name":""}\n')
})

test('the rows are read from a named pipe', async () => {
  const running = start(['pets', 'import', 'pipe'])
  spawn('sh', ['-c', 'cat pets.ndjson > pipe'], { cwd: home })
  const { code, stdout } = await running.finished
  expect(code).toBe(8)
  expect(stdout).toContain('"outcome":"added"')
})

test('CSV from a named pipe with the name of JSON is refused with the right command', async () => {
  execFileSync('mkfifo', [join(home, 'pipe.ndjson')])
  const running = start(['pets', 'import', 'pipe.ndjson', '--check'])
  spawn('sh', ['-c', "printf 'name,categoryId\\nRex,1\\n' > pipe.ndjson"], { cwd: home })
  const { code, stdout, stderr } = await running.finished
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
  expect(stderr).toContain('pipe.ndjson is not JSON: its first line is the header of a CSV file')
  expect(stderr).toContain('petstore pets import pipe.ndjson --check')
  expect(stderr).toContain('--format csv')
})
