import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { endings } from '../src/failure.ts'
import { type Answer, type RecordingServer, recordingServer } from './support/recording-server.ts'
import { runCli } from './support/run-cli.ts'
import { startCli } from './support/spawn-cli.ts'
import { temporaryDirectory } from './support/temp.ts'

const pet = { id: 7, name: 'Rex', categoryId: 2 }
const errorBody = (status: number) => ({ code: 'made_up', message: 'a made-up error', status })
const answerOf = (status: number): Answer => ({ status, json: errorBody(status) })

/** Variables that point to that server. */
const at = (server: RecordingServer) => ({
  PETSTORE_API_KEY: 'sk_test_12345678',
  PETSTORE_BASE_URL: `${server.url}/v1`,
  PETSTORE_MESSAGES_URL: server.url,
})

const list = ['pets', 'list']
const get = ['pets', 'get', '7']
const add = ['pets', 'add', '--name', 'Rex', '--category-id', '2']
const send = ['messages', 'send', 'hello']

describe('after a reply of the service', () => {
  test.each<[argv: string[], status: number, code: number, name: string]>([
    [add, 400, 3, 'rejected'],
    [add, 409, 3, 'rejected'],
    [add, 422, 3, 'rejected'],
    [send, 400, 3, 'rejected'],
    [list, 418, 3, 'rejected'],
    [list, 401, 4, 'auth'],
    [list, 403, 4, 'auth'],
    [add, 401, 4, 'auth'],
    [send, 403, 4, 'auth'],
    [get, 404, 5, 'not-found'],
    [add, 404, 5, 'not-found'],
    [list, 410, 5, 'not-found'],
    [list, 500, 7, 'service'],
    [[...list, '--retries', '0'], 503, 7, 'service'],
    [list, 501, 7, 'service'],
    [list, 302, 7, 'service'],
    [add, 501, 7, 'service'],
    [add, 307, 7, 'service'],
    [add, 500, 10, 'in-doubt'],
    [add, 502, 10, 'in-doubt'],
    [add, 503, 10, 'in-doubt'],
    [send, 504, 10, 'in-doubt'],
  ])('%j: a reply with status %i leads to exit code %i', async (argv, status, code, name) => {
    const server = await recordingServer([answerOf(status)])
    const run = await runCli(argv, { env: at(server) })
    expect(run).toMatchObject({ code, stdout: '' })
    expect(lastError(run.stderr)).toMatchObject({ code: name, exitCode: code, status, serviceCode: 'made_up' })
    expect(server.requests).toHaveLength(1)
  })

  test.each<[what: string, argv: string[], answer: Answer, code: number, words: string]>([
    ['a pet without a name', list, { json: [{ id: 1, categoryId: 2 }] }, 7, 'unexpected reply'],
    ['an error page', list, { body: '<html>' }, 7, 'unexpected reply'],
    ['an empty body', add, { status: 201, body: '' }, 10, 'may have been added: the reply is not'],
    ['a truncated body', add, { status: 201, body: '{"id":' }, 10, 'was added, but the reply cannot be read'],
    [
      'an id as text',
      add,
      { status: 201, json: { ...pet, id: 'seven' } },
      10,
      'was added, but the reply cannot be read',
    ],
  ])('%s', async (_, argv, answer, code, words) => {
    const server = await recordingServer([answer])
    const run = await runCli(argv, { env: at(server) })
    expect(run).toMatchObject({ code, stdout: '' })
    expect(lastError(run.stderr).message).toContain(words)
    expect(server.requests).toHaveLength(1)
  })

  test('a request that is safe to repeat is retried up to --retries times, with a notice for each wait', async () => {
    const busy: Answer = { status: 429, headers: { 'retry-after': '0' } }
    const server = await recordingServer([busy, busy, { status: 201, json: pet }])
    const run = await runCli(add, { env: { ...at(server), PETSTORE_RETRIES: '2' } })
    expect(run.code).toBe(0)
    expect(server.requests).toHaveLength(3)
    expect(
      run.stderr
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line).notice),
    ).toEqual([
      { code: 'retrying', message: expect.stringMatching(/replied with 429; retrying in 0\.\d s \(1 of 2\)$/) },
      { code: 'retrying', message: expect.stringMatching(/replied with 429; retrying in (0\.\d|1) s \(2 of 2\)$/) },
    ])
  })

  test('success exits with 0', async () => {
    const server = await recordingServer([{ status: 201, json: pet }])
    const run = await runCli(add, { env: at(server) })
    expect(run).toMatchObject({ code: 0, stderr: '' })
    expect(JSON.parse(run.stdout)).toEqual(pet)
    expect(server.requests).toHaveLength(1)
  })
})

describe('before anything is sent', () => {
  const files = () => {
    const directory = temporaryDirectory()
    const path = join(directory, 'pet.json')
    return { path, write: (text: string) => writeFileSync(path, text) }
  }

  test.each<[argv: string[], words: string]>([
    [['pets', 'list', '--status', 'lost'], 'use available, pending or sold'],
    [['pets', 'list', '--limit', '101'], 'from 1 to 100'],
    [['pets', 'list', '--limit', '1e1'], 'from 1 to 100'],
    [['pets', 'get', '9223372036854775808'], 'from -9223372036854775808 to 9223372036854775807'],
    [['pets', 'get', 'seven'], 'use a whole number'],
    [['pets', 'get'], 'is missing'],
    [['pets', 'add'], '--name and --category-id are missing'],
    [['pets', 'add', '--name', 'Rex'], '--category-id is missing'],
    [['pets', 'add', '--name', ' \t', '--category-id', '1'], 'blank'],
    [['pets', 'add', '--file', 'pet.json', '--name', 'Rex'], 'cannot be used together'],
    [['pets', 'add', '--file', '/does/not/exist.json'], 'cannot be read'],
    [['messages', 'send', ''], 'empty'],
    [['messages', 'send', '-'], 'empty'],
    [['pets', 'list', '--env', 'nowhere'], "no environment is named 'nowhere'"],
    [['pets', 'list', '-o', 'json', '--json'], 'cannot be used together'],
    [['pets', 'list', '-o', 'xml'], "invalid output 'xml'"],
    [['pets', 'list', '--timeout', '0'], 'number of seconds'],
    [['pets', 'list', '--retries', '101'], 'from 0 to 100'],
    [['pets', 'list', '--retries', '1.5'], 'from 0 to 100'],
    [['pets', 'lst'], "unknown command 'pets lst'"],
    [['pets', 'list', '--stauts=sold'], "unknown option '--stauts'"],
    [['pets', 'list', 'extra'], "unexpected argument 'extra'"],
    [['help', 'nothing'], "no command or topic is named 'nothing'"],
  ])('%j is a usage error', async (argv, words) => {
    const server = await recordingServer([])
    const run = await runCli(argv, { env: at(server) })
    expect(run).toMatchObject({ code: 2, stdout: '' })
    expect(lastError(run.stderr)).toMatchObject({ code: 'usage', exitCode: 2, retryable: false })
    expect(lastError(run.stderr).message).toContain(words)
    expect(server.requests).toHaveLength(0)
  })

  test.each<[text: string, words: string]>([
    ['', 'is not JSON'],
    ['{"name":"Rex"', 'is not JSON'],
    ['[]', 'must be an object'],
    ['{"categoryId":1}', 'name is missing'],
    ['{"name":"Rex","categoryId":"1"}', 'categoryId must be a 64-bit integer'],
    ['{"name":"Rex","categoryId":9223372036854775808}', 'categoryId must be a 64-bit integer'],
    ['{"name":"Rex","categoryId":1,"status":"lost"}', 'status must be one of'],
    ['{"name":"  ","categoryId":1}', 'name must not be blank'],
    ['{"name":"Rex","categoryId":1,"colour":"red"}', "no field 'colour'"],
  ])('a file with the content %s is a usage error', async (text, words) => {
    const server = await recordingServer([])
    const file = files()
    file.write(text)
    const run = await runCli(['pets', 'add', '--file', file.path], { env: at(server) })
    expect(run).toMatchObject({ code: 2, stdout: '' })
    expect(lastError(run.stderr).message).toContain(words)
    expect(server.requests).toHaveLength(0)
  })

  test.each<[variable: string, value: string]>([
    ['PETSTORE_TIMEOUT', 'soon'],
    ['PETSTORE_RETRIES', '-1'],
    ['PETSTORE_OUTPUT', 'xml'],
    ['PETSTORE_ENV', 'nowhere'],
  ])('a wrong %s is a usage error that names the variable', async (variable, value) => {
    const server = await recordingServer([])
    const run = await runCli(list, { env: { ...at(server), [variable]: value } })
    expect(run).toMatchObject({ code: 2, stdout: '' })
    expect(lastError(run.stderr).message).toContain(variable)
    expect(server.requests).toHaveLength(0)
  })

  test.each<[what: string, env: Record<string, string>, code: number, words: string]>([
    ['no key', { PETSTORE_API_KEY: '' }, 4, "no API key is saved for 'production'"],
    ['a key with a space', { PETSTORE_API_KEY: 'sk one' }, 4, 'cannot contain spaces or characters beyond ASCII'],
    ['a key beyond ASCII', { PETSTORE_API_KEY: 'schlüssel' }, 4, 'cannot contain spaces or characters beyond ASCII'],
    ['no URL', { PETSTORE_BASE_URL: '' }, 9, 'no base URL is set'],
    ['plain http to another machine', { PETSTORE_BASE_URL: 'http://pets.example/v1' }, 9, 'plain http'],
    [
      'a password in the URL',
      { PETSTORE_BASE_URL: 'https://me:secret@pets.example/v1' },
      9,
      'must not contain a user name or a password',
    ],
  ])('%s', async (_, env, code, words) => {
    const server = await recordingServer([])
    const run = await runCli(list, { env: { ...at(server), ...env } })
    expect(run).toMatchObject({ code, stdout: '' })
    expect(lastError(run.stderr).message).toContain(words)
    expect(run.stderr).not.toContain('secret')
    expect(server.requests).toHaveLength(0)
  })

  test('a config file that does not parse is an error that names it', async () => {
    const home = temporaryDirectory()
    writeFileSync(join(home, 'config.json'), '{')
    const run = await runCli(list, { env: { PETSTORE_CONFIG_DIR: home } })
    expect(run).toMatchObject({ code: 9, stdout: '' })
    expect(lastError(run.stderr).message).toContain(join(home, 'config.json'))
    expect(await runCli(['--version'], { env: { PETSTORE_CONFIG_DIR: home } })).toMatchObject({ code: 0, stderr: '' })
    expect(await runCli(['help'], { env: { PETSTORE_CONFIG_DIR: home } })).toMatchObject({ code: 0, stderr: '' })
  })
})

describe('on the network', () => {
  test('a refused connection exits with 6, for a POST too: nothing was sent', async () => {
    const server = await recordingServer([])
    await server.close()
    for (const argv of [list, add]) {
      const run = await runCli([...argv, '--retries', '0'], { env: at(server) })
      expect(run).toMatchObject({ code: 6, stdout: '' })
      expect(lastError(run.stderr)).toMatchObject({ code: 'unreachable', retryable: true })
    }
  })

  test.each([
    [list, 6, 'unreachable'],
    [add, 10, 'in-doubt'],
  ])('if the service sends no reply, %j exits with %i at the deadline', async (argv, code, name) => {
    const server = await recordingServer(() => undefined)
    const run = await runCli([...argv, '--timeout', '0.3'], { env: at(server) })
    expect(run).toMatchObject({ code, stdout: '' })
    expect(lastError(run.stderr)).toMatchObject({ code: name })
    expect(server.requests).toHaveLength(1)
  })

  test.each([
    [list, 6],
    [add, 10],
  ])('if the connection is lost, %j exits with %i', async (argv, code) => {
    const server = await recordingServer((_request, response) => {
      response.destroy()
      return undefined
    })
    const run = await runCli([...argv, '--retries', '1'], { env: at(server) })
    expect(run).toMatchObject({ code, stdout: '' })
    expect(server.requests).toHaveLength(argv === list ? 2 : 1)
  })

  test.each([
    ['SIGINT', 130, list, 'interrupted'],
    ['SIGTERM', 143, list, 'terminated'],
    ['SIGINT', 130, add, 'may have been added'],
    ['SIGTERM', 143, add, 'may have been added'],
  ] as const)('%s exits with %i: %j', async (signal, code, argv, words) => {
    const server = await recordingServer(() => undefined)
    const running = startCli(argv, { env: at(server) })
    await server.received(1)
    running.child.kill(signal)
    const run = await running.finished
    expect(run).toMatchObject({ code, signal: null, stdout: '' })
    expect(lastError(run.stderr)).toMatchObject({ code: 'interrupted', exitCode: code })
    expect(lastError(run.stderr).message).toContain(words)
    expect(server.requests).toHaveLength(1)
  })
})

test('`petstore help exit-codes` prints every exit code with its meaning', async () => {
  const { stdout } = await runCli(['help', 'exit-codes'])
  for (const { code, name, meaning } of endings) {
    expect(stdout).toMatch(new RegExp(`^ +${code} +${name} +`, 'm'))
    expect(stdout.replace(/\s+/g, ' ')).toContain(meaning)
  }
})

function lastError(stderr: string) {
  const lines = stderr.trimEnd().split('\n')
  return JSON.parse(lines.at(-1) ?? '').error
}
