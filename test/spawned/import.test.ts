import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  writeFileSync
} from 'node:fs'
import { dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { promisify } from 'node:util'
import { describe, expect, test, vi } from 'vitest'
import { connect as connectToDatabase } from '../service/sqlite.ts'
import { needs } from '../support/needs.ts'
import { installForAllUsers } from '../support/other-user.ts'
import { type Handler, type RecordingServer, recordingServer } from '../support/recording-server.ts'
import {
  cleanEnvironment,
  programCommand,
  programWords,
  spawnCli,
  startCli
} from '../support/spawn-cli.ts'
import { withFault } from '../support/strace.ts'
import { temporaryDirectory } from '../support/temp.ts'
import { openTerminal } from '../support/terminal.ts'

const run = promisify(execFile)

const at = (server: RecordingServer) => ({
  PETSTORE_API_KEY: 'sk_test_12345678',
  PETSTORE_BASE_URL: `${server.url}/v1`
})

const rowsOf = (count: number) =>
  Array.from({ length: count }, (_, index) => `{"name":"pet ${index + 1}","categoryId":1}\n`).join(
    ''
  )

function writeRows(home: string, count: number): string {
  const path = join(home, 'pets.ndjson')
  writeFileSync(path, rowsOf(count))
  return path
}

const adds: Handler = ({ body }) => ({ status: 201, json: { id: 7, ...JSON.parse(body) } })

const rejects: Handler = () => ({
  status: 422,
  json: { code: 'no', message: 'no such category', status: 422 }
})
const refuses: Handler = () => ({
  status: 401,
  json: { code: 'no', message: 'no such key', status: 401 }
})
const loses: Handler = (_request, response) => {
  response.destroy()
  return undefined
}

describe('an import whose output pipe is closed', () => {
  test('continues without output', async () => {
    const home = temporaryDirectory()
    const server = await recordingServer(adds)
    const script = `set -euo pipefail; ${programWords} pets import '${writeRows(home, 500)}' | head -1`
    const { stdout, stderr } = await run('bash', ['-c', script], {
      env: cleanEnvironment(home, at(server))
    })
    expect(stdout.trim().split('\n')).toHaveLength(1)
    expect(JSON.parse(stderr).summary).toMatchObject({ added: 500, rows: 500 })
    expect(server.requests).toHaveLength(500)
  })
})

describe('an import to a local database that another program has locked', () => {
  const lock = async () => {
    const home = temporaryDirectory()
    await spawnCli(['pets', 'list', '--env', 'local'], { home })
    const holder = connectToDatabase(join(home, '.config', 'petstore', 'local.db'))
    // Without a write-ahead log, this lock excludes readers too.
    holder.exec('PRAGMA journal_mode = DELETE; BEGIN EXCLUSIVE')
    const argv = ['pets', 'import', writeRows(home, 1), '--env', 'local']
    return { home, holder, argv }
  }

  test('waits before the first row', async () => {
    const { home, holder, argv } = await lock()
    const running = startCli(argv, { home })
    await running.printed('stderr', 'replied with 503; retrying')
    holder.exec('ROLLBACK')
    expect(await running.finished).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('"added"')
    })
  })

  test('ends with 7, and nothing was sent', async () => {
    const { home, holder, argv } = await lock()
    const { code, stdout, stderr } = await spawnCli([...argv, '--retries', '0'], { home })
    holder.exec('ROLLBACK')
    expect({ code, stdout }).toEqual({ code: 7, stdout: '' })
    const { error } = JSON.parse(stderr)
    expect(error).toMatchObject({ code: 'service', status: 503, retryable: true })
  })
})

needs('strace')('standard input that cannot be copied', () => {
  test('leaves nothing behind, and neither does a kill before that', async () => {
    const home = temporaryDirectory()
    const env = { PETSTORE_API_KEY: 'sk_test_12345678', PETSTORE_BASE_URL: 'http://127.0.0.1:9/v1' }
    const journalsPath = join(home, '.config', 'petstore', 'journals')
    mkdirSync(journalsPath, { recursive: true, mode: 0o700 })
    writeFileSync(join(journalsPath, `standard-input.${'0'.repeat(16)}.tmp`), '')
    const under = withFault({ call: 'unlink', error: 'EIO', when: '2' })
    const run = await spawnCli(['pets', 'import', '-'], { home, env, under, input: rowsOf(1) })
    const { error } = JSON.parse(run.stderr)
    expect(error).toMatchObject({ code: 'local', message: expect.stringMatching(/: i\/o error$/) })
    expect(readdirSync(journalsPath)).toEqual([])
  })
})

test('an import whose output is read slowly waits without a message', async () => {
  const home = temporaryDirectory()
  const path = join(home, 'pets.ndjson')
  writeFileSync(path, `{"${'x'.repeat(500)}":1,"name":"a","categoryId":1}\n`.repeat(9_000))
  const env = { PETSTORE_API_KEY: 'sk_test_12345678', PETSTORE_BASE_URL: 'http://127.0.0.1:9/v1' }
  const [file = '', ...argv] = [...programCommand, 'pets', 'import', path]
  const child = spawn(file, argv, {
    env: cleanEnvironment(home, env),
    stdio: ['ignore', 'pipe', 'pipe']
  })
  const stderr = text(child.stderr)
  await once(child.stdout, 'readable')
  await new Promise(resolve => setTimeout(resolve, 1_000))
  expect((await text(child.stdout)).trim().split('\n')).toHaveLength(9_000)
  const notices = (await stderr).trim().split('\n')
  expect(notices.flatMap(line => Object.keys(JSON.parse(line)))).toEqual(['summary', 'error'])
})

/** What an import does after a signal is the same for both. */
const sigint = ['SIGINT', 130] as const
const sigterm = ['SIGTERM', 143] as const

describe('a signal during an import', () => {
  test('lets requests in flight finish and records them, and the import can be resumed', async () => {
    const [signal, code] = sigint
    const home = temporaryDirectory()
    let isSlow = true
    const server = await recordingServer(async (request, response, raw) => {
      if (isSlow) await new Promise(resolve => setTimeout(resolve, 100))
      return adds(request, response, raw)
    })
    const argv = ['pets', 'import', writeRows(home, 60)]
    const running = startCli(argv, { env: at(server), home })
    await server.received(10)
    running.child.kill(signal)
    const first = await running.finished
    expect(first).toMatchObject({ code, signal: null })
    const ended = first.stdout.trim().split('\n').length
    expect(ended).toBe(server.requests.length)
    expect(first.stdout).not.toContain('doubtful')
    expect(first.stderr).toContain(`"next":"petstore pets import ${argv[2]}"`)

    isSlow = false
    const second = await startCli(argv, { env: at(server), home }).finished
    expect(second.code).toBe(0)
    expect(server.requests).toHaveLength(60)
    expect(second.stdout.match(/skipped/g)).toHaveLength(ended)
  })

  test('cuts off requests that do not finish, and reports their rows as doubtful', async () => {
    const [signal, code] = sigterm
    const home = temporaryDirectory()
    const server = await recordingServer((request, response, raw) =>
      request.body.includes('"pet 3"') ? undefined : adds(request, response, raw)
    )
    const running = startCli(['pets', 'import', writeRows(home, 3)], { env: at(server), home })
    await server.received(3)
    running.child.kill(signal)
    const { code: ended, stdout } = await running.finished
    expect(ended).toBe(code)
    expect(stdout).toMatch(/^\{"line":3,"outcome":"doubtful",.*may have been added.*\}$/m)
  })

  test.each([
    ['with a row left', rowsOf(1)],
    ['after the last row', '']
  ])('does not wait for a reader that does not read, %s', async (_, rest) => {
    const [signal, code] = sigint
    const home = temporaryDirectory()
    const server = await recordingServer(adds)
    const path = join(home, 'pets.ndjson')
    const nonsense = `{"${'x'.repeat(500)}":1,"name":"a","categoryId":1}\n`.repeat(4_500)
    writeFileSync(path, rowsOf(1) + nonsense + rest)
    const [file = '', ...argv] = [...programCommand, 'pets', 'import', path, '--concurrency', '1']
    const child = spawn(file, argv, {
      env: cleanEnvironment(home, at(server)),
      stdio: ['ignore', 'pipe', 'ignore']
    })
    const ended = once(child, 'exit')
    await server.received(1)
    // The output after the first row is larger than the pipe and the buffer before it.
    await expect(
      Promise.race([server.received(2), once(child.stdout, 'readable')])
    ).resolves.toEqual([])
    child.kill(signal)
    expect((await ended)[0]).toBe(code)
    expect(server.requests).toHaveLength(1)
  })

  test('does not wait for a silent pipe', async () => {
    const [signal, code] = sigterm
    const server = await recordingServer(adds)
    const running = startCli(['pets', 'import', '-'], { env: at(server) })
    running.child.stdin.write(rowsOf(2))
    // What is read goes to a file without a name.
    const files = `/proc/${running.child.pid}/fd`
    const hasSome = () => {
      try {
        return readdirSync(files).some(name =>
          readlinkSync(join(files, name)).endsWith(' (deleted)')
        )
      } catch {
        // A file was closed between the two calls.
        return false
      }
    }
    await vi.waitUntil(hasSome, { timeout: 20_000 })
    running.child.kill(signal)
    expect(await running.finished).toMatchObject({ code, stdout: '' })
    expect(server.requests).toHaveLength(0)
  })
})

test.each([
  ['SIGINT', 'every'],
  ['SIGTERM', 'a later']
] as const)('%s ends an import whose jq expression never ends at %s row', async (signal, row) => {
  const server = await recordingServer(adds)
  const condition = row === 'every' ? 'true' : '.line > 2'
  const expression = `if ${condition} then (def forever: forever; forever) else .line end`
  const argv = [
    'pets',
    'import',
    writeRows(temporaryDirectory(), 4),
    '--concurrency',
    '1',
    '--jq',
    expression
  ]
  const running = startCli(argv, { env: at(server) })
  // Output is no sign of progress here: jq gets several finished rows at once, and may print none
  // of them.
  await server.received(row === 'every' ? 1 : 3)
  const again = setInterval(() => running.child.kill(signal), 200)
  const { code, signal: by } = await running.finished
  clearInterval(again)
  expect(by ?? code).toBeOneOf([signal, signal === 'SIGINT' ? 130 : 143])
})

test('Ctrl-C lets requests in flight finish between two runs of jq, and ends the program during one', async () => {
  const home = temporaryDirectory()
  // Slow enough that the signal arrives before the last row, also on a busy machine.
  let replyTime = 300
  const server = await recordingServer(async (request, response, raw) => {
    await new Promise(resolve => setTimeout(resolve, replyTime))
    return adds(request, response, raw)
  })
  const argv = ['pets', 'import', writeRows(home, 200), '--jq', '.outcome']
  const running = startCli(argv, { env: at(server), home })
  await running.printed('stdout', 'added\n')
  running.child.kill('SIGINT')
  const first = await running.finished
  if (first.signal === null) {
    expect(first.code).toBe(130)
    expect(first.stdout).toBe('added\n'.repeat(server.requests.length))
    expect(first.stderr).toContain('"next":"petstore pets import')
  } else {
    expect(first.signal).toBe('SIGINT')
  }

  const sent = server.requests.length
  replyTime = 10
  const second = await startCli(argv, { env: at(server), home }).finished
  const skipped = second.stdout.match(/skipped/g)?.length ?? 0
  const doubtful = second.stdout.match(/doubtful/g)?.length ?? 0
  // A kill leaves the requests in flight and the next ones in doubt.
  expect(doubtful).toBeLessThanOrEqual(first.signal === null ? 0 : 2 * 8)
  expect(server.requests.length - sent).toBe(200 - skipped - doubtful)
})

test.each(['--rejects', '--journal'])(
  'in a deleted working directory, %s is a local problem',
  async option => {
    const home = temporaryDirectory()
    const script = `mkdir gone && cd gone && rmdir ../gone && exec ${programWords} pets import '${writeRows(home, 1)}' ${option} name`
    const ended = run('bash', ['-c', script], {
      cwd: home,
      env: cleanEnvironment(home, { PETSTORE_ENV: 'local' })
    })
    await expect(ended).rejects.toMatchObject({
      code: 9,
      stderr: expect.not.stringContaining('bug')
    })
  }
)

test('rejects in the file of standard output, which is another stream, are refused', async () => {
  const home = temporaryDirectory()
  const script = `${programWords} pets import '${writeRows(home, 1)}' --check --rejects out > out`
  const ended = run('bash', ['-c', script], { cwd: home, env: cleanEnvironment(home) })
  await expect(ended).rejects.toMatchObject({ code: 2 })
})

describe('an upgrade during an import', () => {
  test.each<[what: string, argv: string[], answer: Handler, code: number]>([
    ['that adds all rows', [], adds, 0],
    ['that prints a colored table', ['-o', 'table', '--color', 'always'], rejects, 8],
    ['that prints what jq makes of the rows', ['--jq', '.outcome'], rejects, 8],
    ['with a key that is refused', [], refuses, 4],
    ['with a connection that is lost', [], loses, 8]
  ])('%s ends with the summary and the right code', async (_, argv, answer, code) => {
    const home = temporaryDirectory()
    const program = installForAllUsers()
    const dist = join(dirname(dirname(program)), 'dist')
    const server = await recordingServer((...call) => {
      if (existsSync(dist)) renameSync(dist, `${dist}.x`)
      return answer(...call)
    })
    const { child, finished } = startCli(['pets', 'import', writeRows(home, 2), ...argv], {
      env: at(server),
      home,
      program
    })
    child.stdin.end()
    const ended = await finished
    expect(ended).toMatchObject({ code, stderr: expect.stringMatching(/"summary"|rejected in /) })
    expect(ended.stderr).not.toContain('bug')
  })
})

test('the job in the documentation mails the rows that were not added, and then a new export', async () => {
  const page = readFileSync(new URL('../../docs/import.md', import.meta.url), 'utf8')
  const [, job = ''] = /^```bash\n(.*?)^```$/ms.exec(page) ?? []
  const home = temporaryDirectory()
  mkdirSync(join(home, 'shop'))
  mkdirSync(join(home, 'programs'))
  const write = (name: string, text: string) =>
    writeFileSync(join(home, name), text, { mode: 0o755 })
  write('programs/petstore', `#!/bin/sh\nexec ${programWords} "$@"\n`)
  write('programs/mail', '#!/bin/sh\necho "$2" > "$HOME/mail"\ncat >> "$HOME/mail"\n')
  const server = await recordingServer((request, response, raw) =>
    request.body.includes('bad')
      ? { status: 422, json: { code: 'no', message: 'no such category', status: 422 } }
      : adds(request, response, raw)
  )
  const env = {
    ...cleanEnvironment(home, at(server)),
    PATH: `${home}/programs:${process.env.PATH}`
  }
  const runJob = (rows: string) => {
    write('shop/export.csv', `name,categoryId\n${rows}`)
    return run('bash', ['-c', job], { env })
  }
  await expect(runJob('good,1\nbad,1\n')).rejects.toMatchObject({ code: 8 })
  const mail = readFileSync(join(home, 'mail'), 'utf8')
  expect(mail).toMatch(/^pets: rows to correct\n/)
  expect(mail).toMatch(/\nname,categoryId\nbad,1\n$/)
  await runJob('other,2\n')
  expect(server.requests).toHaveLength(3)
})

needs('tmux')('in a terminal', () => {
  test('shows progress, then a table of the rows not added and the command that resumes', async () => {
    const home = temporaryDirectory()
    let release = () => {}
    const held = new Promise<void>(resolve => {
      release = resolve
    })
    const server = await recordingServer(async (request, response, raw) => {
      if (request.body.includes('"pet 30"')) await held
      return request.body.includes('"pet 2"')
        ? { status: 422, json: { code: 'no', message: 'no such \u001b[2Jcategory', status: 422 } }
        : adds(request, response, raw)
    })
    const command = [...programCommand, 'pets', 'import', writeRows(home, 40)]
    const terminal = await openTerminal(command, { env: at(server), home, columns: 200 })
    await terminal.waitFor(/━+╌+ +\d+% +39 of 40 rows/)
    release()
    expect(await terminal.exitCode()).toBe(8)
    const screen = await terminal.screen()
    expect(screen).toMatch(/^line +outcome +status +message$/m)
    expect(screen).toMatch(/^ +2 +rejected +422 .*no such ␛\[2Jcategory$/m)
    expect(screen).toMatch(
      /39 added, 1 rejected in .*: petstore pets import .*--rejects rejects-pets.ndjson$/m
    )
    expect(screen).not.toContain('╌')
  })

  test('--quiet shows no bar and no summary', async () => {
    const home = temporaryDirectory()
    const server = await recordingServer(adds)
    const command = [...programCommand, 'pets', 'import', writeRows(home, 5), '--quiet']
    const terminal = await openTerminal(command, { env: at(server), home })
    expect(await terminal.exitCode()).toBe(0)
    expect(await terminal.screen()).toBe('')
  })
})
