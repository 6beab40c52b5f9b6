import { once } from 'node:events'
import {
  chownSync,
  createReadStream,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync
} from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { setTimeout } from 'node:timers/promises'
import { stripVTControlCharacters } from 'node:util'
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import {
  type Answer,
  type Handler,
  type RecordingServer,
  recordingServer
} from '../support/recording-server.ts'
import { ctrlC, runCli } from '../support/run-cli.ts'
import { temporaryDirectory } from '../support/temp.ts'

let home: string
beforeEach(() => {
  home = temporaryDirectory()
})

const key = 'sk_test_12345678'
const at = (server: RecordingServer) => ({
  PETSTORE_API_KEY: key,
  PETSTORE_BASE_URL: `${server.url}/v1`,
  PETSTORE_CONFIG_DIR: join(home, 'config')
})

function file(name: string, content: string | Buffer): string {
  const path = join(home, name)
  writeFileSync(path, content)
  return path
}

const rowsOf = (names: readonly string[]) =>
  names.map(name => `{"name":"${name}","categoryId":1}\n`).join('')

/** A service that adds every pet, except those with another reply for their name. */
function service(
  others: Readonly<Record<string, Answer | Handler>> = {}
): Promise<RecordingServer> {
  let lastId = 100
  return recordingServer((request, response, raw) => {
    const pet = JSON.parse(request.body)
    const other = others[pet.name]
    if (typeof other === 'function') return other(request, response, raw)
    lastId += 1
    return other ?? { status: 201, json: { id: lastId, ...pet } }
  })
}

const drop: Handler = (_request, response) => {
  response.destroy()
  return undefined
}
const refusal = (status: number): Answer => ({
  status,
  json: { code: 'no', message: 'no such thing', status }
})

const events = (stdout: string) =>
  stdout
    .split('\n')
    .filter(line => line !== '')
    .map(line => JSON.parse(line))
    .sort((one, other) => one.line - other.line)
const outcomes = (stdout: string) => events(stdout).map(({ line, outcome }) => `${line} ${outcome}`)
const namesSent = ({ requests }: RecordingServer) =>
  requests.map(({ body }) => JSON.parse(body).name).sort()
const linesIn = (stderr: string) =>
  stderr
    .trim()
    .split('\n')
    .map(line => JSON.parse(line))
const summary = (stderr: string) => linesIn(stderr).find(line => 'summary' in line)?.summary
const noticeOf = (stderr: string, code: string): string | undefined =>
  linesIn(stderr).find(({ notice }) => notice?.code === code)?.notice.message
const lastError = (stderr: string) => linesIn(stderr).at(-1).error
const journals = () => join(home, 'config', 'journals')

describe('every row', () => {
  test('is sent unchanged and reported on its own line', async () => {
    const server = await service()
    const path = file(
      'pets.ndjson',
      '{"name":"a","categoryId":9007199254740993,"status":"sold","id":5}\n'
    )
    const run = await runCli(['pets', 'import', path], { env: at(server) })
    expect(run.code).toBe(0)
    expect(run.stdout).toBe('{"line":1,"outcome":"added","id":101}\n')
    expect(server.requests.map(({ method, path: where, body }) => [method, where, body])).toEqual([
      ['POST', '/v1/pets', '{"name":"a","categoryId":9007199254740993,"status":"sold"}']
    ])
    expect(summary(run.stderr)).toEqual({
      added: 1,
      skipped: 0,
      rejected: 0,
      invalid: 0,
      doubtful: 0,
      doubtfulLines: [],
      rows: 1,
      journal: expect.stringMatching(/\.journal$/)
    })
  })

  test('is added, rejected, invalid or doubtful, and the exit code is 8 unless all are added', async () => {
    const server = await service({ b: refusal(422), c: drop, d: refusal(500) })
    const path = file('pets.ndjson', `${rowsOf(['a', 'b', 'c', 'd'])}nonsense\n`)
    const run = await runCli(['pets', 'import', path], { env: at(server) })
    expect(run.code).toBe(8)
    expect(outcomes(run.stdout)).toEqual([
      '1 added',
      '2 rejected',
      '3 doubtful',
      '4 doubtful',
      '5 invalid'
    ])
    expect(events(run.stdout)[1]).toMatchObject({
      status: 422,
      message: expect.stringContaining('no such thing')
    })
    expect(events(run.stdout)[3]?.message).toMatch(/^d \(category 1\): the service failed/)
    const hint = 'petstore pets list --name=c --name=d --env production'
    expect(lastError(run.stderr)).toMatchObject({
      code: 'partial',
      exitCode: 8,
      message: expect.stringContaining('1 rejected, 1 invalid, 2 doubtful of 5 rows; look whether'),
      hint
    })
    expect(summary(run.stderr)).toMatchObject({
      doubtful: 2,
      doubtfulLines: [3, 4],
      rows: 5,
      next: hint
    })
  })

  const ten = 'abcdefghij'.split('')
  const listing = 'petstore pets list --env production --limit 100'
  test.each([
    ['once per name', ['a', "O'Malley", 'a'], `--name=a --name='O'\\''Malley' --env production`],
    ['of ten rows', ten, `${ten.map(name => `--name=${name}`).join(' ')} --env production`],
    ['of no more than ten rows', [...ten, 'k'], undefined],
    ['unless one cannot be shown', ['a', 'b\u200b'], undefined],
    ['unless one has the key, which is masked', ['a', `b${key}`], undefined]
  ])('next finds doubtful pets by name: %s', async (_, names, options) => {
    const server = await service(Object.fromEntries(names.map(name => [name, drop])))
    const path = file('pets.ndjson', rowsOf(names))
    const { stderr } = await runCli(['pets', 'import', path, '--concurrency', '20'], {
      env: at(server)
    })
    const next = options === undefined ? listing : `petstore pets list ${options}`
    expect(summary(stderr)).toMatchObject({ doubtful: names.length, next })
    expect(lastError(stderr)).toMatchObject({ hint: next })
  })

  test('has the number of its element in a JSON array', async () => {
    const server = await service()
    const path = file('pets.json', '[{"name":"a","categoryId":1},{"name":"","categoryId":1}]')
    const run = await runCli(['pets', 'import', path], { env: at(server) })
    expect(events(run.stdout)).toMatchObject([
      { line: 1, outcome: 'added', id: 101 },
      { line: 2, outcome: 'invalid' }
    ])
  })
})

describe('the same command again', () => {
  test('skips added rows, retries the others, and resends doubtful ones with --resend-doubtful', async () => {
    const others: Record<string, Answer | Handler> = { b: refusal(422), c: drop }
    const server = await service(others)
    const path = file('pets.ndjson', `${rowsOf(['a', 'b', 'c'])}nonsense\n`)
    await runCli(['pets', 'import', path], { env: at(server) })
    const again = await runCli(['pets', 'import', path], { env: at(server) })
    expect(again.code).toBe(8)
    expect(outcomes(again.stdout)).toEqual(['1 skipped', '2 rejected', '3 doubtful', '4 invalid'])
    expect(namesSent(server)).toEqual(['a', 'b', 'b', 'c'])

    delete others.b
    delete others.c
    const last = await runCli(['pets', 'import', path, '--resend-doubtful'], { env: at(server) })
    expect(outcomes(last.stdout)).toEqual(['1 skipped', '2 added', '3 added', '4 invalid'])
    expect(namesSent(server)).toEqual(['a', 'b', 'b', 'b', 'c', 'c'])
  })

  test.each([422, 429])(
    'leaves a row doubtful that was resent and refused with %i, because it may have been added before',
    async status => {
      const others: Record<string, Answer | Handler> = { a: drop }
      const server = await service(others)
      const path = file('pets.ndjson', rowsOf(['a']))
      await runCli(['pets', 'import', path], { env: at(server) })
      others.a = refusal(status)
      await runCli(['pets', 'import', path, '--resend-doubtful', '--retries', '0'], {
        env: at(server)
      })
      delete others.a
      const last = await runCli(['pets', 'import', path], { env: at(server) })
      expect(outcomes(last.stdout)).toEqual(['1 doubtful'])
      expect(namesSent(server)).toEqual(['a', 'a'])
    }
  )

  test('with --restart starts over in a new journal', async () => {
    const server = await service()
    const path = file('pets.ndjson', rowsOf(['a']))
    await runCli(['pets', 'import', path], { env: at(server) })
    const again = await runCli(['pets', 'import', path, '--restart'], { env: at(server) })
    expect(outcomes(again.stdout)).toEqual(['1 added'])
    expect(server.requests).toHaveLength(2)
    expect(outcomes((await runCli(['pets', 'import', path], { env: at(server) })).stdout)).toEqual([
      '1 skipped'
    ])
  })
})

describe('doubtful rows', () => {
  const lose = async (content: string, name = 'pets.ndjson') => {
    const others: Record<string, Answer | Handler> = { b: drop, c: drop }
    const server = await service(others)
    const path = file(name, content)
    await runCli(['pets', 'import', path], { env: at(server) })
    delete others.b
    delete others.c
    const run = async (...options: string[]) => {
      const { code, stdout, stderr } = await runCli(['pets', 'import', path, ...options], {
        env: at(server)
      })
      return { code, outcomes: stdout === '' ? lastError(stderr).message : outcomes(stdout) }
    }
    return { run, server }
  }

  test('are settled one by one: accepted, or sent again', async () => {
    const { run, server } = await lose(rowsOf(['a', 'b', 'c']))
    expect(await run('--accept-doubtful=2')).toEqual({
      code: 8,
      outcomes: ['1 skipped', '2 skipped', '3 doubtful']
    })
    expect(await run('--resend-doubtful=3')).toEqual({
      code: 0,
      outcomes: ['1 skipped', '2 skipped', '3 added']
    })
    expect(await run()).toMatchObject({ code: 0 })
    expect(namesSent(server)).toEqual(['a', 'b', 'c', 'c'])
  })

  test.each([
    ['--accept-doubtful=2,1', 'line 1 is not doubtful'],
    ['--resend-doubtful=7', 'line 7 is not doubtful'],
    [
      '--accept-doubtful=0',
      "invalid accept-doubtful '0': use line numbers separated by commas, such as 4,6"
    ]
  ])(
    'that are not doubtful are a usage error, and nothing is changed: %s',
    async (option, message) => {
      const { run, server } = await lose(rowsOf(['a', 'b', 'c']))
      expect(await run(option)).toEqual({ code: 2, outcomes: message })
      expect(await run()).toEqual({ code: 8, outcomes: ['1 skipped', '2 doubtful', '3 doubtful'] })
      expect(server.requests).toHaveLength(3)
    }
  )

  test('cannot be accepted and sent again at once', async () => {
    const { run } = await lose(rowsOf(['a', 'b', 'c']))
    expect(await run('--accept-doubtful=2', '--resend-doubtful=3,2')).toEqual({
      code: 2,
      outcomes: 'line 2 is in both --resend-doubtful and --accept-doubtful'
    })
  })

  test('are all sent again but those that are accepted', async () => {
    const { run } = await lose(rowsOf(['a', 'b', 'c']))
    expect(await run('--accept-doubtful=2', '--resend-doubtful')).toEqual({
      code: 0,
      outcomes: ['1 skipped', '2 skipped', '3 added']
    })
  })

  test('of a JSON array are named by their elements', async () => {
    const { run } = await lose(
      '[{"name":"a","categoryId":1},{"name":"b","categoryId":1}]',
      'pets.json'
    )
    expect(await run('--accept-doubtful=1')).toEqual({
      code: 2,
      outcomes: 'element 1 is not doubtful'
    })
    expect(await run('--resend-doubtful=2')).toMatchObject({ code: 0 })
  })
})

describe('rows that an earlier run has added', () => {
  const added = 'all 2 rows were added on 20 November; to add them again: --restart'
  const now = new Date('2030-11-21T00:00:00Z')

  /** Imports a file, then the same content in another way. */
  const importTwice = async (again: (path: string) => { argv: string[]; stdin?: string }) => {
    const server = await service()
    const path = file('pets.ndjson', rowsOf(['a', 'b']))
    await runCli(['pets', 'import', path], { env: at(server) })
    const [journal = ''] = readdirSync(journals()).filter(name => name.endsWith('.journal'))
    utimesSync(join(journals(), journal), now, new Date('2030-11-20T12:00:00Z'))
    const { argv, ...options } = again(path)
    const run = await runCli(['pets', 'import', ...argv], { env: at(server), now, ...options })
    expect(server.requests).toHaveLength(2)
    return run
  }

  test.each<[what: string, again: Parameters<typeof importTwice>[0]]>([
    ['the same command', path => ({ argv: [path] })],
    ['a copy', path => ({ argv: [file('copy.ndjson', readFileSync(path))] })],
    ['a pipe', () => ({ argv: ['-'], stdin: rowsOf(['a', 'b']) })],
    [
      'a new file after a rename',
      path => {
        renameSync(path, `${path}.old`)
        return { argv: [file('pets.ndjson', rowsOf(['a', 'b']))] }
      }
    ]
  ])('are not added again, and a notice says so: %s', async (_, again) => {
    const run = await importTwice(again)
    expect(run.code).toBe(0)
    expect(outcomes(run.stdout)).toEqual(['1 skipped', '2 skipped'])
    expect(noticeOf(run.stderr, 'added-before')).toBe(added)
  })

  test.each([
    ['with --quiet too', ['-q'], 'added-before'],
    ['to people in place of the summary', ['-o', 'csv'], `^notice: ${added}\n$`]
  ])('are mentioned %s', async (_, options, text) => {
    expect((await importTwice(path => ({ argv: [path, ...options] }))).stderr).toMatch(
      new RegExp(text)
    )
  })

  test('to a local database count only for that database', async () => {
    const env = { PETSTORE_CONFIG_DIR: join(home, 'config') }
    const argv = ['pets', 'import', file('pets.ndjson', rowsOf(['a'])), '--env', 'local']
    for (const _ of [1, 2]) {
      expect(outcomes((await runCli(argv, { env })).stdout)).toEqual(['1 added'])
      expect(outcomes((await runCli(argv, { env })).stdout)).toEqual(['1 skipped'])
      for (const name of readdirSync(join(home, 'config')))
        if (name.startsWith('local.db')) rmSync(join(home, 'config', name))
    }
  })
})

describe('a refused command changes nothing', () => {
  test('--restart with a file for the rejects that cannot be written', async () => {
    const server = await service()
    const path = file('pets.ndjson', rowsOf(['a']))
    await runCli(['pets', 'import', path], { env: at(server) })
    const before = readdirSync(journals())
    const argv = [
      'pets',
      'import',
      path,
      '--restart',
      '--rejects',
      join(home, 'missing', 'rejects')
    ]
    expect((await runCli(argv, { env: at(server) })).code).toBe(2)
    expect(readdirSync(journals())).toEqual(before)
  })

  test('--rejects of an import that is refused', async () => {
    const server = await service({ b: refusal(401) })
    await runCli(
      ['pets', 'import', file('pets.ndjson', rowsOf(['a', 'b'])), '--concurrency', '1'],
      { env: at(server) }
    )
    const changed = file('pets.ndjson', rowsOf(['c']))
    const rejects = file('rejects.ndjson', 'precious')
    for (const name of [rejects, join(home, 'new')]) {
      expect(
        (await runCli(['pets', 'import', changed, '--rejects', name], { env: at(server) })).code
      ).toBe(2)
    }
    expect(readFileSync(rejects, 'utf8')).toBe('precious')
    expect(existsSync(join(home, 'new'))).toBe(false)
  })

  test('an import into local data that cannot be written', async () => {
    const env = { PETSTORE_CONFIG_DIR: '/proc/nothing' }
    const argv = [
      'pets',
      'import',
      file('pets.ndjson', rowsOf(['a'])),
      '--env',
      'local',
      '--journal',
      join(home, 'j')
    ]
    const run = await runCli(argv, { env })
    expect(run).toMatchObject({ code: 9, stdout: '' })
    expect(lastError(run.stderr).message).toContain('cannot be written')
    expect(existsSync(join(home, 'j'))).toBe(false)
  })
})

describe('the journal of another import is refused', () => {
  test('another base URL', async () => {
    const server = await service()
    const argv = [
      'pets',
      'import',
      file('pets.ndjson', rowsOf(['a'])),
      '--journal',
      join(home, 'journal')
    ]
    await runCli(argv, { env: at(server) })
    const run = await runCli(argv, {
      env: { ...at(server), PETSTORE_BASE_URL: `${server.url}/v2` }
    })
    expect(run).toMatchObject({ code: 2, stdout: '' })
    expect(lastError(run.stderr).message).toContain('it was sent to http')
    expect(lastError(run.stderr).hint).toBe('petstore help import')
    expect(server.requests).toHaveLength(1)
  })

  // Only root can give a file to another user.
  test.runIf(process.getuid?.() === 0)('a journal of another user', async () => {
    const server = await service()
    const journal = file('journal', '')
    chownSync(journal, 12_345, 12_345)
    const argv = ['pets', 'import', file('pets.ndjson', rowsOf(['a'])), '--journal', journal]
    const run = await runCli(argv, { env: at(server) })
    expect(run.code).toBe(9)
    expect(lastError(run.stderr).message).toContain(`${journal} belongs to another user (12345)`)
    expect(server.requests).toHaveLength(0)
  })

  test('another format', async () => {
    const server = await service()
    const argv = ['pets', 'import', file('pets.txt', 'name,categoryId\na,1\n')]
    await runCli(argv, { env: at(server) })
    const run = await runCli([...argv, '--format', 'ndjson'], { env: at(server) })
    expect(run.code).toBe(2)
    expect(lastError(run.stderr).message).toContain('the format was csv and is now ndjson')
  })

  test('a changed file', async () => {
    const server = await service()
    const argv = ['--journal', join(home, 'journal')]
    await runCli(['pets', 'import', file('pets.ndjson', rowsOf(['a'])), ...argv], {
      env: at(server)
    })
    const run = await runCli(['pets', 'import', file('pets.ndjson', rowsOf(['b', 'c'])), ...argv], {
      env: at(server)
    })
    expect(run).toMatchObject({ code: 2, stdout: '' })
    expect(lastError(run.stderr).message).toMatch(
      /pets\.ndjson \(\d+ bytes, .* this one is .*pets\.ndjson \(\d+ bytes/
    )
    expect(server.requests).toHaveLength(1)
  })
})

describe('standard input', () => {
  test('is resumed with --journal', async () => {
    const server = await service()
    const argv = ['pets', 'import', '-', '--journal', join(home, 'journal')]
    await runCli(argv, { env: at(server), stdin: rowsOf(['a', 'b']) })
    const again = await runCli(argv, { env: at(server), stdin: rowsOf(['a', 'b']) })
    expect(outcomes(again.stdout)).toEqual(['1 skipped', '2 skipped'])
    const other = await runCli(argv, { env: at(server), stdin: rowsOf(['a', 'b', 'c']) })
    expect(other.code).toBe(2)
    expect(server.requests).toHaveLength(2)
    expect(readdirSync(home).sort()).toEqual(['journal', 'journal.lock.db'])
  })

  test('is different from a file named -, which can receive the rejects', async () => {
    const server = await service({ a: refusal(422) })
    const directory = process.cwd()
    process.chdir(home)
    onTestFinished(() => process.chdir(directory))
    const run = await runCli(['pets', 'import', '-', '--rejects', './-'], {
      env: at(server),
      stdin: rowsOf(['a', 'b'])
    })
    expect(outcomes(run.stdout)).toEqual(['1 rejected', '2 added'])
    expect(readFileSync(join(home, '-'), 'utf8')).toBe(rowsOf(['a']))
  })

  test('leaves files beside the journal unchanged, even a file that is piped in', async () => {
    const server = await service()
    const beside = file('journal.input', rowsOf(['a', 'b']))
    const argv = ['pets', 'import', '-', '--journal', join(home, 'journal')]
    const run = await runCli(argv, { env: at(server), stdin: createReadStream(beside) })
    expect(outcomes(run.stdout)).toEqual(['1 added', '2 added'])
    expect(readFileSync(beside, 'utf8')).toBe(rowsOf(['a', 'b']))
    expect(readdirSync(home).sort()).toEqual(['journal', 'journal.input', 'journal.lock.db'])
  })
})

test.each<[what: string, reply: Answer | Handler, option: string, next: string]>([
  ['a failing service', refusal(500), '--retries=0', 'list --name=b --name=c --env production'],
  ['a row in doubt', drop, '--stop-on-error', 'list --name=b --env production'],
  [
    'a rejected row',
    refusal(422),
    '--stop-on-error',
    'import PATH --concurrency 1 --stop-on-error --rejects rejects-pets.ndjson'
  ]
])(
  'an import that ends at its last row is not to be resumed: %s',
  async (_, reply, option, next) => {
    const server = await service({ b: reply, c: reply })
    const path = file('pets.ndjson', rowsOf(option === '--stop-on-error' ? ['a', 'b'] : ['b', 'c']))
    const argv = ['pets', 'import', path, '--concurrency', '1', option]
    const run = await runCli(argv, { env: at(server) })
    expect(run.code).toBe(8)
    const hint = `petstore pets ${next.replace('PATH', path)}`
    expect(summary(run.stderr)).toMatchObject({ next: hint })
    expect(lastError(run.stderr)).toMatchObject({ code: 'partial', hint })
  }
)

describe('an import that ends immediately and can be resumed', () => {
  test.each([401, 403])('%i exits with 4', async status => {
    const others: Record<string, Answer> = { c: refusal(status) }
    const server = await service(others)
    const path = file('pets.ndjson', rowsOf(['a', 'b', 'c', 'd', 'e']))
    const run = await runCli(['pets', 'import', path, '--concurrency', '1'], { env: at(server) })
    expect(run.code).toBe(4)
    expect(outcomes(run.stdout)).toEqual(['1 added', '2 added'])
    expect(namesSent(server)).toEqual(['a', 'b', 'c'])
    expect(summary(run.stderr)).toMatchObject({
      rows: 5,
      next: `petstore pets import ${path} --concurrency 1`
    })

    delete others.c
    const again = await runCli(['pets', 'import', path], { env: at(server) })
    expect(again.code).toBe(0)
    expect(outcomes(again.stdout)).toEqual([
      '1 skipped',
      '2 skipped',
      '3 added',
      '4 added',
      '5 added'
    ])
  })

  test('the command to resume has every option but those that would send rows again', async () => {
    const server = await service({ a: refusal(401) })
    const path = file('pets.ndjson', rowsOf(['a']))
    const others = [
      '--no-color',
      '--retries',
      '0',
      '--stop-on-error',
      '--rejects',
      join(home, 'bad')
    ]
    const run = await runCli(
      ['pets', 'import', path, '--restart', '--resend-doubtful', ...others],
      { env: at(server) }
    )
    expect(run.code).toBe(4)
    expect(summary(run.stderr).next).toBe(['petstore pets import', path, ...others].join(' '))
  })

  test('an unreachable service exits with 6', async () => {
    const server = await service()
    const path = file('pets.ndjson', rowsOf(['a', 'b', 'c']))
    await server.close()
    const run = await runCli(['pets', 'import', path, '--retries', '0'], { env: at(server) })
    expect(run).toMatchObject({ code: 6, stdout: '' })
    expect(summary(run.stderr)).toMatchObject({
      added: 0,
      next: expect.stringMatching(/^petstore pets import/)
    })
  })

  test('a service that fails for every row', async () => {
    const server = await recordingServer(refusal(500))
    const path = file('pets.ndjson', rowsOf('abcdefgh'.split('')))
    const argv = ['pets', 'import', path, '--concurrency', '1', '--retries', '0']
    const run = await runCli(argv, { env: at(server) })
    expect(run.code).toBe(8)
    expect(lastError(run.stderr)).toMatchObject({
      message: expect.stringContaining('the service keeps failing: '),
      status: 500,
      retryable: true
    })
    expect(server.requests.length).toBeLessThanOrEqual(3)
  })

  test('a URL without pets exits with 5', async () => {
    const server = await recordingServer(refusal(404))
    const path = file('pets.ndjson', rowsOf(['a', 'b', 'c']))
    const run = await runCli(['pets', 'import', path, '--concurrency', '1'], { env: at(server) })
    expect(run).toMatchObject({ code: 5, stdout: '' })
    expect(server.requests).toHaveLength(1)
  })

  test('--stop-on-error ends it at the first row that is not added, after those before it', async () => {
    const server = await service({ d: refusal(422) })
    const stop = ['--stop-on-error', '--concurrency', '1']
    const path = file('pets.ndjson', `${rowsOf(['a', 'b'])}nonsense\n${rowsOf(['c'])}`)
    const run = await runCli(['pets', 'import', path, ...stop], { env: at(server) })
    expect(run.code).toBe(8)
    expect(outcomes(run.stdout)).toEqual(['1 added', '2 added', '3 invalid'])
    expect(lastError(run.stderr).message).toMatch(/^line 3: it is not JSON/)
    // The same command would end at the same row again.
    const next = `petstore pets import ${path} --concurrency 1`
    expect(summary(run.stderr)).toMatchObject({ next })
    expect(lastError(run.stderr)).toMatchObject({ hint: next })
    const array = file('pets.json', '[{"name":"d","categoryId":1},{"name":"e","categoryId":1}]')
    const other = await runCli(['pets', 'import', array, ...stop], { env: at(server) })
    expect(lastError(other.stderr).message).toMatch(/^element 1: /)
    expect(namesSent(server)).toEqual(['a', 'b', 'd'])
  })
})

test('each run against a service that keeps failing leaves few more rows in doubt', async () => {
  const server = await recordingServer(() => ({ status: 500, json: refusal(500).json }))
  const path = file(
    'pets.ndjson',
    rowsOf(Array.from({ length: 100 }, (_, index) => `pet ${index}`))
  )
  const doubtful = async () => {
    const run = await runCli(['pets', 'import', path, '--retries', '1'], { env: at(server) })
    expect(run.code).toBe(8)
    return summary(run.stderr).doubtful
  }
  const first = await doubtful()
  expect(await doubtful()).toBe(first + 2)
  expect(server.requests).toHaveLength(first + 2)
})

test('after 429 with Retry-After, all requests wait and are then sent again', async () => {
  let received = 0
  const server = await recordingServer(({ body }) => {
    received += 1
    if (received <= 2)
      return { status: 429, headers: { 'retry-after': '0.2' }, json: refusal(429).json }
    return { status: 201, json: { id: received, ...JSON.parse(body) } }
  })
  const path = file('pets.ndjson', rowsOf(['a', 'b', 'c', 'd']))
  const run = await runCli(['pets', 'import', path, '--concurrency', '2'], { env: at(server) })
  expect(run.code).toBe(0)
  expect(outcomes(run.stdout)).toEqual(['1 added', '2 added', '3 added', '4 added'])
  expect(server.requests).toHaveLength(6)
  expect(linesIn(run.stderr).filter(({ notice }) => notice?.code === 'waiting')).toHaveLength(1)
})

describe('--check', () => {
  test('checks every row, needs no key, writes no journal and sends nothing', async () => {
    const server = await service()
    const path = file('pets.ndjson', `${rowsOf(['a'])}nonsense\n`)
    const env = { PETSTORE_CONFIG_DIR: join(home, 'config') }
    const run = await runCli(['pets', 'import', path, '--check'], { env })
    expect(run.code).toBe(8)
    expect(outcomes(run.stdout)).toEqual(['2 invalid'])
    expect(summary(run.stderr)).toMatchObject({ invalid: 1, rows: 2 })
    expect(lastError(run.stderr)).toMatchObject({
      message: '1 invalid of 2 rows',
      hint: 'petstore help import'
    })
    expect(server.requests).toHaveLength(0)
    expect(existsSync(join(home, 'config'))).toBe(false)
  })

  test('continues after an invalid row, but stops there with --stop-on-error', async () => {
    const path = file('pets.ndjson', `${rowsOf(['a'])}nonsense\n${rowsOf(['b'])}nonsense\n`)
    const all = await runCli(['pets', 'import', path, '--check'])
    expect(outcomes(all.stdout)).toEqual(['2 invalid', '4 invalid'])
    const some = await runCli(['pets', 'import', path, '--check', '--stop-on-error'])
    expect(outcomes(some.stdout)).toEqual(['2 invalid'])
    const late = file('late.ndjson', `${rowsOf(Array(2000).fill('a'))}nonsense\n`)
    const last = await runCli(['pets', 'import', late, '--check', '--stop-on-error'])
    expect(outcomes(last.stdout)).toEqual(['2001 invalid'])
    const large = file('large.ndjson', 'x'.repeat(3 << 20))
    const one = await runCli(['pets', 'import', large, '--check', '--stop-on-error', '-o', 'csv'])
    expect(one).toMatchObject({
      code: 8,
      stdout: expect.stringContaining('1,invalid,,,it is longer than 1 MiB')
    })
    expect(one.stderr).toMatch(/^1 invalid; nothing was sent\n/)
  })

  test('reads the file in the format of its name or of --format, as an import does', async () => {
    const path = file('pets.json', rowsOf(['a']))
    const run = await runCli(['pets', 'import', path, '--check'])
    expect(run).toMatchObject({ code: 2, stdout: '' })
    const advice = 'for one object per line, use --format ndjson'
    expect(lastError(run.stderr).message).toBe(
      `${path} is not a JSON array: it does not begin with [; ${advice}`
    )
    expect(await runCli(['pets', 'import', path, '--check', '--format', 'ndjson'])).toMatchObject({
      code: 0
    })
  })
})

test('--dry-run shows each row as a command, and sends nothing', async () => {
  const server = await service()
  const run = await runCli(
    ['pets', 'import', file('pets.ndjson', rowsOf(['a', 'b'])), '--dry-run'],
    {
      env: at(server)
    }
  )
  expect(run.code).toBe(0)
  expect(run.stdout.match(/^curl /gm)).toHaveLength(2)
  expect(run.stdout).toContain('"name":"b"')
  expect(server.requests).toHaveLength(0)
  expect(existsSync(join(home, 'config'))).toBe(false)
})

describe('--rejects', () => {
  test.each([
    [
      'ndjson',
      '{"name":"a","categoryId":1}\n{"name": "b","categoryId":1}\n  nonsense \n',
      '{"name": "b","categoryId":1}',
      '  nonsense '
    ],
    ['csv', 'categoryId,name\n1,a\n1,"b"\n1,\n', '1,"b"', '1,'],
    ['csv', 'categoryId;name\n1;a\n1;"b"\n1;\n', '1;"b"', '1;'],
    ['csv', 'categoryId\tname\n1\ta\n1\t"b"\n1\t\n', '1\t"b"', '1\t'],
    [
      'json',
      '[{"name":"a","categoryId":1},{"name": "b","categoryId":1},\n{"name":\n""}]',
      '{"name": "b","categoryId":1}',
      '{"name":\n""}'
    ]
  ])(
    'receives rows of %s unchanged, to be corrected and imported again',
    async (format, content, rejected, invalid) => {
      const others: Record<string, Answer> = { b: refusal(422) }
      const server = await service(others)
      const rejects = join(home, `rejects.${format}`)
      const argv = ['pets', 'import', file(`pets.${format}`, content), '--rejects', rejects]
      const run = await runCli(argv, { env: at(server) })
      expect(run.code).toBe(8)
      expect(lastError(run.stderr)).toMatchObject({
        message: expect.stringMatching(`; correct the rows in ${rejects} first$`),
        hint: `petstore pets import ${rejects}`
      })
      const rejectedRows = readFileSync(rejects, 'utf8')
      expect(rejectedRows).toContain(rejected)
      expect(rejectedRows).toContain(invalid)
      expect(rejectedRows).not.toContain('a","')

      delete others.b
      writeFileSync(rejects, rejectedRows.replace(invalid, rejected.replace('b', 'c')))
      const corrected = await runCli(['pets', 'import', rejects], { env: at(server) })
      expect(corrected.code).toBe(0)
      expect(namesSent(server)).toEqual(['a', 'b', 'b', 'c'])
    }
  )

  test('without a row to correct are not proposed for an import', async () => {
    const server = await service()
    const path = file('pets.json', '[{"name":"a","categoryId":1},]')
    const run = await runCli(['pets', 'import', path, '--rejects', join(home, 'rejects.json')], {
      env: at(server)
    })
    expect(run.code).toBe(8)
    expect(outcomes(run.stdout)).toEqual(['1 added', '2 invalid'])
    expect(summary(run.stderr)).not.toHaveProperty('next')
    expect(lastError(run.stderr)).toMatchObject({ message: '1 invalid of 2 rows' })
    expect(lastError(run.stderr)).not.toHaveProperty('hint')
  })

  test.each<
    [what: string, input: string, flags: string[], rejects: string, hint: string | undefined]
  >([
    ['with the typed format', 'rows', ['--format', 'ndjson'], 'bad', 'bad --format ndjson'],
    ['with the format of the input', 'rows.ndjson', [], 'bad.csv', 'bad.csv --format ndjson'],
    ['with the format of the content', 'rows.txt', [], 'bad.json', 'bad.json --format csv'],
    [
      'without --format if its name shows the format',
      'rows',
      ['--format', 'ndjson'],
      'bad.jsonl',
      'bad.jsonl'
    ],
    ['but not if it is /dev/null', 'rows.ndjson', [], '/dev/null', undefined]
  ])('is imported by the hint, %s', async (_, input, flags, rejects, hint) => {
    const server = await service()
    const path = rejects === '/dev/null' ? rejects : join(home, rejects)
    const content = input.endsWith('.txt') ? 'name,categoryId\n,1\n' : 'nonsense\n'
    const run = await runCli(
      ['pets', 'import', file(input, content), '--rejects', path, ...flags],
      {
        env: at(server)
      }
    )
    expect(run.code).toBe(8)
    expect(lastError(run.stderr).hint).toBe(hint && `petstore pets import ${join(home, hint)}`)
  })

  test.each<[string, string[]]>([
    ['exits with 9', []],
    ['exits with 9, with --check', ['--check']]
  ])('that cannot be written %s, after every finished row is reported', async (_, more) => {
    const server = await service({ b: refusal(422) })
    const path = file('pets.ndjson', `${rowsOf(['a', 'b'])}nonsense\n`)
    const argv = ['pets', 'import', path, '--rejects', '/dev/full', '--concurrency', '1']
    const run = await runCli([...argv, ...more], { env: at(server) })
    expect(run.code).toBe(9)
    expect(lastError(run.stderr)).toMatchObject({
      code: 'local',
      message: '/dev/full cannot be written: no space left on device',
      hint: 'df -h /dev/full'
    })
    if (more.length > 0) return expect(outcomes(run.stdout)).toEqual(['3 invalid'])
    expect(outcomes(run.stdout).slice(0, 2)).toEqual(['1 added', '2 rejected'])
    expect(summary(run.stderr)).toMatchObject({
      added: 1,
      rejected: 1,
      next: expect.stringContaining('--rejects')
    })
    const journal = readdirSync(journals()).find(name => name.endsWith('.journal')) ?? ''
    expect(readFileSync(join(journals(), journal), 'utf8').match(/^a 1 /gm)).toHaveLength(1)
  })

  describe('never overwrite what petstore did not write', () => {
    let server: RecordingServer
    let rejects: string
    beforeEach(async () => {
      server = await service({ b: refusal(422) })
      rejects = join(home, 'rejects.ndjson')
    })
    const importPets = (...argv: string[]) =>
      runCli(
        ['pets', 'import', file('pets.ndjson', rowsOf(['a', 'b'])), '--rejects', rejects, ...argv],
        { env: at(server) }
      )
    const keptNotice = (path: string) =>
      `kept the former ${path} as ${path}~: petstore did not write it, or it was changed since`

    test.each([
      ['an import', [] as string[]],
      ['a check', ['--check']]
    ])('but its own rejects are replaced: %s', async (_, argv) => {
      await importPets()
      const run = await importPets(...argv)
      expect(noticeOf(run.stderr, 'kept')).toBeUndefined()
      expect(existsSync(`${rejects}~`)).toBe(false)
    })

    test('corrections are kept beside the new rejects, and replace older ones', async () => {
      writeFileSync(`${rejects}~`, 'older')
      await importPets()
      writeFileSync(rejects, 'corrected')
      const run = await importPets()
      expect(noticeOf(run.stderr, 'kept')).toBe(keptNotice(rejects))
      expect(readFileSync(`${rejects}~`, 'utf8')).toBe('corrected')
      expect(readFileSync(rejects, 'utf8')).toBe(rowsOf(['b']))
    })

    test('behind a link of the user, the file is kept beside its own place', async () => {
      const target = join(home, 'target')
      writeFileSync(target, 'precious')
      symlinkSync('target', rejects)
      const run = await importPets()
      expect(noticeOf(run.stderr, 'kept')).toBe(keptNotice(target))
      expect(readFileSync(`${target}~`, 'utf8')).toBe('precious')
      expect(readFileSync(target, 'utf8')).toBe(rowsOf(['b']))
      expect(readlinkSync(rejects)).toBe('target')
    })

    test('an empty file has nothing to keep', async () => {
      writeFileSync(rejects, '')
      await importPets()
      expect(existsSync(`${rejects}~`)).toBe(false)
    })

    test('the input is never replaced', async () => {
      const path = file('rejects.ndjson~', rowsOf(['a']))
      writeFileSync(rejects, 'old')
      const run = await runCli(['pets', 'import', path, '--rejects', rejects], { env: at(server) })
      expect(run.code).toBe(2)
      expect(lastError(run.stderr).message).toBe(
        `the former --rejects and the input are the same file: ${path}`
      )
      expect(readFileSync(rejects, 'utf8')).toBe('old')
    })

    test('a place where nothing can be kept is refused before anything is sent', async () => {
      writeFileSync(rejects, 'old')
      mkdirSync(`${rejects}~`)
      expect((await importPets()).code).toBe(2)
      expect(readFileSync(rejects, 'utf8')).toBe('old')
      expect(server.requests).toHaveLength(0)
    })

    test('a dry run writes nothing', async () => {
      writeFileSync(rejects, 'old')
      await importPets('--dry-run')
      expect(readdirSync(home).sort()).toEqual(['pets.ndjson', 'rejects.ndjson'])
      expect(readFileSync(rejects, 'utf8')).toBe('old')
    })
  })

  test('of one import can be corrected and imported, and then written by another import', async () => {
    const others: Record<string, Answer> = { b: refusal(422), c: refusal(422) }
    const server = await service(others)
    const rejects = join(home, 'rejects.ndjson')
    const run = async (...argv: string[]) =>
      (await runCli(['pets', 'import', ...argv], { env: at(server) })).code
    expect(await run(file('one.ndjson', rowsOf(['a', 'b'])), '--rejects', rejects)).toBe(8)
    expect(await run(rejects)).toBe(8)
    expect(await run(file('two.ndjson', rowsOf(['c', 'd'])), '--rejects', rejects)).toBe(8)
    delete others.c
    expect(await run(rejects)).toBe(0)
  })
})

describe('the formats of stdout', () => {
  test('a table of the rows that were not added, in a terminal', async () => {
    const server = await service({ b: refusal(422) })
    const path = file('pets.ndjson', `${rowsOf(['a', 'b'])}nonsense\n`)
    const run = await runCli(['pets', 'import', path], {
      env: { ...at(server), NO_COLOR: '1' },
      terminal: { stdout: true },
      columns: 200
    })
    expect(run.stdout).toMatch(/^line +outcome +status +message\n/)
    expect(run.stdout).toMatch(/^ +2 +rejected +422 +.*no such thing$/m)
    expect(run.stdout).toMatch(/^ +3 +invalid .*not JSON/m)
    expect(run.stdout).not.toContain('added ')
    const argv = ['pets', 'import', file('good.ndjson', rowsOf(['a']))]
    for (const _again of [1, 2]) {
      const good = await runCli(argv, { env: at(server), terminal: { stdout: true } })
      expect(good).toMatchObject({ code: 0, stdout: '' })
    }
  })

  test.each([
    ['csv', 'line,outcome,id,status,message\r\n1,added,101,,\r\n'],
    ['tsv', '1\tadded\t101\t\t\n'],
    ['json', '{"line":1,"outcome":"added","id":101}\n']
  ])('%s, one line per row', async (format, expected) => {
    const server = await service()
    const run = await runCli(['pets', 'import', file('pets.ndjson', rowsOf(['a'])), '-o', format], {
      env: at(server)
    })
    expect(run).toMatchObject({ code: 0, stdout: expected })
  })

  test('--fields and --jq apply to each row', async () => {
    const server = await service()
    const argv = ['pets', 'import', file('pets.ndjson', rowsOf(['a'])), '--restart']
    expect((await runCli([...argv, '--fields', 'id,outcome'], { env: at(server) })).stdout).toBe(
      '{"id":101,"outcome":"added"}\n'
    )
    expect((await runCli([...argv, '--jq', '.id'], { env: at(server) })).stdout).toBe('102\n')
  })

  test('--jq prints the results before a failure, and the messages of the expression on stderr', async () => {
    const server = await service()
    const argv = ['pets', 'import', file('pets.ndjson', rowsOf(['a'])), '--restart', '--jq']
    const run = await runCli([...argv, '.id | debug'], { env: at(server) })
    expect(run).toMatchObject({ code: 0, stdout: '101\n' })
    expect(linesIn(run.stderr)).toContainEqual({
      notice: { code: 'jq', message: '["DEBUG:",101]' }
    })
    const failed = await runCli([...argv, '.id, error("made up")'], { env: at(server) })
    expect(failed).toMatchObject({ code: 9, stdout: '102\n' })
  })

  test('the error of --jq contains its reason only once for many rows', async () => {
    const server = await service()
    const argv = [
      'pets',
      'import',
      file('pets.ndjson', rowsOf(['a', 'b', 'c'])),
      '--concurrency',
      '3'
    ]
    const { message, hint } = lastError(
      (await runCli([...argv, '--jq', '.id.x'], { env: at(server) })).stderr
    )
    expect(message.match(/Cannot index number/g)).toHaveLength(1)
    // Not with the expression, which would fail again.
    expect(hint).toBe(`petstore ${argv.join(' ')}`)
  })

  test('--jq that runs out of memory ends the import, which can be resumed', async () => {
    const server = await service()
    const argv = [
      'pets',
      'import',
      file('pets.ndjson', rowsOf(['a'])),
      '--jq',
      'def nest: [nest]; nest'
    ]
    const run = await runCli(argv, { env: at(server) })
    expect(run).toMatchObject({ code: 9, stdout: '' })
    expect(lastError(run.stderr).message).toBe(
      '1 row was added, but the result cannot be printed: --jq: jq ran out of memory'
    )
    expect(summary(run.stderr)).toMatchObject({ added: 1 })
  })
})

describe('a progress bar in a terminal', () => {
  /**
   * Imports two rows of equal length. The second reply waits until the first row has been counted.
   */
  const importTwo = async (path: string, stdin = '') => {
    let count = () => {}
    const counted = new Promise<void>(resolve => {
      count = resolve
    })
    const server = await service({
      b: () => counted.then(() => ({ status: 201, json: { id: 1, name: 'b', categoryId: 1 } }))
    })
    const run = await runCli(['pets', 'import', path], {
      env: at(server),
      terminal: { stderr: true },
      stdin,
      steps: [['1 of 2 rows', () => void count()]]
    })
    expect(run.code).toBe(0)
    return stripVTControlCharacters(run.stderr)
  }

  test.each([
    ['a file', () => importTwo(file('pets.ndjson', rowsOf(['a', 'b'])))],
    ['a pipe', () => importTwo('-', rowsOf(['a', 'b']))]
  ])('shows how much of %s is done', async (_, importAll) => {
    expect(await importAll()).toMatch(/━{12}╌{12} +50% {2}1 of 2 rows {2}\d/)
  })

  test('is followed by one line: what was done, and the command to run next', async () => {
    const server = await service({ b: refusal(422), c: drop })
    const terminal = { terminal: { stderr: true }, env: { ...at(server), FORCE_COLOR: '1' } }
    const run = async (name: string, content: string, ...options: string[]) => {
      const path = file(name, content)
      const { stderr } = await runCli(['pets', 'import', path, ...options], terminal)
      return stderr
        .slice(stderr.lastIndexOf('\r\u001b[K') + 1)
        .replace('\u001b[K', '')
        .split('\n')
    }
    const [line = ''] = await run('good', rowsOf(['a']))
    expect([stripVTControlCharacters(line), line.startsWith('\u001b[32m')]).toEqual([
      expect.stringMatching(/^1 added in \d/),
      true
    ])
    const rejects = join(home, 'rejects.ndjson')
    expect(await run('bad', rowsOf(['a', 'b']), '--rejects', rejects)).toEqual([
      expect.stringMatching(
        new RegExp(
          `^1 added, 1 rejected in .*; correct the rows in ${rejects} first: petstore pets import ${rejects}$`
        )
      ),
      ''
    ])
    expect(await run('doubtful', rowsOf(['d', 'c']))).toEqual([
      expect.stringMatching(
        /^1 added, 1 doubtful in .* \(doubtful: line 2\); look whether .* --accept-doubtful or --resend-doubtful with their numbers: petstore pets list --name=c --env/
      ),
      ''
    ])
    expect(await run('quiet', rowsOf(['a', 'b']), '--quiet')).toEqual([
      expect.stringContaining(
        '1 rejected of 2 rows; use --rejects for a file of the rows to correct'
      ),
      expect.stringContaining('petstore pets import'),
      ''
    ])
    expect(await run('check.ndjson', 'nonsense\n', '--check')).toEqual([
      '1 invalid; nothing was sent',
      ''
    ])
  })

  test('is followed by how many rows were sent per second', async () => {
    vi.useFakeTimers({ toFake: ['performance'] })
    onTestFinished(() => {
      vi.useRealTimers()
    })
    const server = await service({
      b: () => {
        vi.advanceTimersByTime(500)
        return refusal(422)
      }
    })
    const path = file('pets.ndjson', `${rowsOf(['a', 'b', 'c'])}nonsense\n`)
    const { stderr } = await runCli(['pets', 'import', path], {
      env: at(server),
      terminal: { stderr: true }
    })
    expect(stderr).toContain('2 added, 1 rejected, 1 invalid in 0.5 s (6 rows per second)')
  })

  test('after Ctrl-C, the command to resume appears once', async () => {
    const server = await service({ b: refusal(422), c: () => new Promise(() => {}) })
    const path = file('pets.ndjson', rowsOf(['a', 'b', 'c', 'd']))
    const { code, stderr } = await runCli(['pets', 'import', path, '--concurrency', '1'], {
      env: at(server),
      terminal: { stderr: true },
      steps: [['2 of 4 rows', ctrlC]]
    })
    expect(code).toBe(130)
    expect(stderr.split('petstore pets import')).toHaveLength(2)
    expect(stderr).toMatch(
      /1 added, 1 rejected, 1 doubtful of 4 rows in .*; to resume: petstore pets import/
    )
  })
})

test('standard input from a terminal is announced', async () => {
  const run = await runCli(['pets', 'import', '-', '--check'], {
    terminal: { stdin: true },
    stdin: rowsOf(['a'])
  })
  expect(noticeOf(run.stderr, 'reading')).toBe(
    'reading rows from the terminal; end them with Ctrl-D on a line of its own'
  )
})

test('a table that is too long says so', async () => {
  const path = file('pets.ndjson', 'nonsense\n'.repeat(1500))
  const run = await runCli(['pets', 'import', path, '--check', '-o', 'table'])
  expect(run.stdout.split('\n')).toHaveLength(1002)
  expect(run.stderr).toContain('the table ends here; -o csv shows the other 500 rows as well')
})

test('an unexpected failure is reported unchanged, without a summary', async () => {
  const stdin = new Readable({ read: () => stdin.destroy(new Error('the test broke the pipe')) })
  const run = await runCli(['pets', 'import', '-', '--check'], { stdin })
  expect(run).toMatchObject({ code: 1, stdout: '' })
  expect(run.stderr).toContain('the test broke the pipe')
  expect(run.stderr).not.toContain('summary')
})

test.each(['--rejects', '--journal'])(
  '%s takes the name of a file, and - is no name',
  async option => {
    const run = await runCli([
      'pets',
      'import',
      file('pets.ndjson', rowsOf(['a'])),
      '--env',
      'local',
      option,
      '-'
    ])
    expect(run).toMatchObject({ code: 2, stdout: '' })
    expect(lastError(run.stderr).message).toBe(
      `invalid ${option.slice(2)} '-': use the name of a file`
    )
  }
)

describe('a CSV file whose name stands for JSON', () => {
  const csv = 'name;categoryId\nRex;1\n'

  test.each([
    [[], '--format csv'],
    [['--check'], '--check --format csv'],
    [['--rejects', 'REJECTS', '--resend-doubtful'], '--rejects REJECTS --format csv']
  ])('is one usage error, with a command that imports it: %j', async (more, options) => {
    for (const name of ['pets.ndjson', 'pets.jsonl', 'pets.json']) {
      const server = await service()
      const path = file(name, csv)
      const run = await runCli(['pets', 'import', path, ...more], { env: at(server) })
      expect(run).toMatchObject({ code: 2, stdout: '' })
      const { message, hint } = lastError(run.stderr)
      expect(message).toBe(`${path} is not JSON: its first line is the header of a CSV file`)
      expect(hint).toBe(`petstore pets import ${path} ${options}`)
      expect(server.requests).toHaveLength(0)
    }
  })

  test('has its help page as the hint if the import would start over', async () => {
    const server = await service()
    const argv = ['pets', 'import', file('pets.ndjson', csv), '--restart']
    const run = await runCli(argv, { env: at(server) })
    expect(run.code).toBe(2)
    expect(lastError(run.stderr).hint).toBe('petstore pets import --help')
  })

  test('is read as the format that was typed, if there is one', async () => {
    const server = await service()
    const path = file('pets.ndjson', csv)
    const asCsv = await runCli(['pets', 'import', path, '--format', 'csv'], { env: at(server) })
    expect(asCsv.code).toBe(0)
    const asNdjson = await runCli(['pets', 'import', path, '--format', 'ndjson', '--check'])
    expect(outcomes(asNdjson.stdout)).toEqual(['1 invalid', '2 invalid'])
  })

  test('is not assumed if the first line is no header', async () => {
    const path = file('pets.ndjson', 'name;category\n{"name":"a","categoryId":1}\n')
    const run = await runCli(['pets', 'import', path, '--check'])
    expect(outcomes(run.stdout)).toEqual(['1 invalid'])
  })
})

test('lines that are appended during the import are left out, and a notice says so', async () => {
  const path = join(home, 'pets.ndjson')
  writeFileSync(path, rowsOf(['a', 'b']))
  const server = await service({
    a: ({ body }) => {
      writeFileSync(path, rowsOf(['c']), { flag: 'a' })
      return { status: 201, json: { id: 7, ...JSON.parse(body) } }
    }
  })
  const run = await runCli(['pets', 'import', path], { env: at(server) })
  expect(run.code).toBe(0)
  const left = 'the 28 bytes that were appended since this run began were left out'
  expect(noticeOf(run.stderr, 'grown')).toBe(
    `${path} has grown: ${left}; move them to a file of their own before you run this import again`
  )
  expect(namesSent(server)).toEqual(['a', 'b'])
})

describe('a file that cannot be imported is a usage error', () => {
  test.each<[what: string, make: () => string, words: string]>([
    ['a missing file', () => join(home, 'nothing'), 'no such file'],
    ['an empty name', () => '', "'' cannot be read: no such file"],
    ['a directory', () => home, 'is a directory'],
    ['an empty file', () => file('pets.ndjson', ''), 'is empty'],
    [
      'CSV without a header',
      () => file('pets.csv', 'Rex,1\n'),
      "line 1: the header has the columns 'Rex', '1'; an import needs"
    ],
    [
      'CSV with another separator',
      () => file('pets.csv', 'name|categoryId\nRex|1\n'),
      "the header has the columns 'name|categoryId'; an import needs 'name' and 'categoryId', separated by commas, semicolons or tabs"
    ],
    [
      'CSV with other columns',
      () => file('pets.csv', 'Name,Category\nRex,1\n'),
      "has the columns 'Name', 'Category'; an import needs"
    ],
    [
      'JSON that is not an array',
      () => file('pets.json', '{"name":"a","categoryId":1}'),
      'is not a JSON array'
    ]
  ])('%s', async (_, make, words) => {
    const server = await service()
    const run = await runCli(['pets', 'import', make()], { env: at(server) })
    expect(run).toMatchObject({ code: 2, stdout: '' })
    expect(lastError(run.stderr).message).toContain(words)
    expect(lastError(run.stderr).hint ?? '').not.toMatch(/pets import (?!--help)/)
    expect(run.stderr).not.toContain('"summary"')
    expect(server.requests).toHaveLength(0)
  })

  test('a socket', async () => {
    const [server, path] = [await service(), join(home, 'socket')]
    const socket = createServer().listen(path)
    await once(socket, 'listening')
    onTestFinished(() => {
      socket.close()
    })
    for (const more of [[], ['--journal', join(home, 'journal')], ['--check']]) {
      const run = await runCli(['pets', 'import', path, '--format', 'ndjson', ...more], {
        env: at(server)
      })
      expect(run).toMatchObject({ code: 2, stdout: '' })
      expect(lastError(run.stderr).message).toBe(
        `${path} cannot be read: no such device or address`
      )
    }
  })
})

test('works with the local service, and a list can be imported again', async () => {
  const names = ['a,"b"\n', ' x ', '=1+1', '\u202e', 'ü😀', "it's", '\\"', '\u001b[2J', '\t']
  const pets = names.filter(name => name.trim() !== '').map(name => ({ name, categoryId: 1 }))
  const env = { PETSTORE_CONFIG_DIR: join(home, 'config') }
  const path = file('pets.json', JSON.stringify(pets).replace('1}', '9007199254740993}'))
  const first = await runCli(['pets', 'import', path, '--env', 'local'], { env })
  expect(first.code).toBe(0)
  const list = ['pets', 'list', '--env', 'local', '--limit', '100']
  const before = JSON.parse((await runCli(list, { env })).stdout)

  for (const format of ['ndjson', 'csv', 'json']) {
    mkdirSync(join(home, format))
    const listed = await runCli([...list, '-o', format], { env })
    const other = { PETSTORE_CONFIG_DIR: join(home, format) }
    await runCli(['pets', 'list', '--env', 'local'], { env: other })
    const run = await runCli(
      [
        'pets',
        'import',
        file(`listed.${format}`, listed.stdout),
        '--env',
        'local',
        '--concurrency',
        '1'
      ],
      { env: other }
    )
    expect(run.code).toBe(0)
    const after = (await runCli(list, { env: other })).stdout
    expect(after).toContain('9007199254740993')
    const last = JSON.parse(after).slice(-before.length)
    expect(last.map((pet: object) => ({ ...pet, id: 0 }))).toEqual(
      before.map((pet: object) => ({ ...pet, id: 0 }))
    )
  }
})

test('after Ctrl-C, the request in flight finishes', async () => {
  const server = await recordingServer(async () => {
    await setTimeout(300)
    return { status: 201, json: { id: 1, name: 'Rex', categoryId: 1 } }
  })
  const signal = server.received(1).then(ctrlC)
  const { stdout } = await runCli(['pets', 'import', '-'], {
    env: at(server),
    stdin: rowsOf(['Rex']),
    signal
  })
  expect(JSON.parse(stdout)).toEqual({ line: 1, outcome: 'added', id: 1 })
})
