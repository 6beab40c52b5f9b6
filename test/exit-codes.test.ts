import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { endings } from '../src/failure.ts'
import { examplesOfHelp, plainCommands } from './support/examples.ts'
import { operationCalls } from './support/operation-calls.ts'
import { type Answer, type RecordingServer, recordingServer } from './support/recording-server.ts'
import { runCli } from './support/run-cli.ts'
import { temporaryDirectory } from './support/temp.ts'

const pet = { id: 7, name: 'Rex', categoryId: 2 }
const errorBody = (status: number) => ({ code: 'made_up', message: 'a made-up error', status })
const answerOf = (status: number): Answer => ({ status, json: errorBody(status) })

/** Variables that point to that server. */
const at = (server: RecordingServer) => ({
  PETSTORE_API_KEY: 'sk_test_12345678',
  PETSTORE_BASE_URL: `${server.url}/v1`,
  PETSTORE_MESSAGES_URL: server.url
})

const list = ['pets', 'list']
const add = ['pets', 'add', '--name', 'Rex', '--category-id', '2']

// What every status means is in client/retry-policy.test.ts, and in spawned/faults.test.ts for
// whole runs.
describe('after a reply of the service', () => {
  const cases = operationCalls.flatMap(({ command, method }) => {
    const [argv = []] = examplesOfHelp()
      .filter(({ text }) => text.startsWith(`${command} `))
      .flatMap(({ text }) => plainCommands(text.replace(' --env local', '')) ?? [])
    const afterFailure = method === 'GET' ? 7 : 10
    const codes = Object.entries({ 400: 3, 401: 4, 404: 5, 307: 7, 500: afterFailure })
    return codes.map(([status, code]) => ({ command, argv, status: Number(status), code }))
  })
  test('of each operation, which the first example of its command uses', () => {
    for (const { command, argv } of cases)
      expect(['petstore', ...argv].join(' '), command).toContain(command)
  })

  test.each(cases)(
    '$argv: a reply with status $status leads to exit code $code',
    async ({ argv, status, code }) => {
      const server = await recordingServer([answerOf(status)])
      const run = await runCli(argv, { env: at(server) })
      expect(run).toMatchObject({ code, stdout: '' })
      const name = endings.find(ending => ending[0] === code)?.[1]
      expect(lastError(run.stderr)).toMatchObject({
        code: name,
        exitCode: code,
        status,
        serviceCode: 'made_up'
      })
      expect(server.requests).toHaveLength(1)
    }
  )

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
        .map(line => JSON.parse(line).notice)
    ).toEqual([
      {
        code: 'retrying',
        message: expect.stringMatching(/replied with 429; retrying in 0\.\d s \(1 of 2\)$/)
      },
      {
        code: 'retrying',
        message: expect.stringMatching(/replied with 429; retrying in (0\.\d|1) s \(2 of 2\)$/)
      }
    ])
  })
})

describe('before anything is sent', () => {
  test.each<[argv: string[], words: string]>([
    [['pets', 'list', '--limit', '1e1'], 'from 1 to 100'],
    [['pets', 'get', '9223372036854775808'], 'from -9223372036854775808 to 9223372036854775807'],
    [['pets', 'get'], 'is missing'],
    [['pets', 'add', '--file', 'pet.json', '--name', 'Rex'], 'cannot be used together'],
    [['messages', 'send', '-'], 'empty'],
    [['pets', 'list', '--env', 'nowhere'], "no environment is named 'nowhere'"],
    [['pets', 'lst'], "unknown command 'pets lst'"]
  ])('%j is a usage error', async (argv, words) => {
    const server = await recordingServer([])
    const run = await runCli(argv, { env: at(server) })
    expect(run).toMatchObject({ code: 2, stdout: '' })
    expect(lastError(run.stderr)).toMatchObject({ code: 'usage', exitCode: 2, retryable: false })
    expect(lastError(run.stderr).message).toContain(words)
    expect(server.requests).toHaveLength(0)
  })

  test('a file with a pet that is not valid is a usage error', async () => {
    const server = await recordingServer([])
    const path = join(temporaryDirectory(), 'pet.json')
    writeFileSync(path, '{"name":"Rex","categoryId":1,"colour":"red"}')
    const run = await runCli(['pets', 'add', '--file', path], { env: at(server) })
    expect(run).toMatchObject({ code: 2, stdout: '' })
    expect(lastError(run.stderr).message).toContain("no field 'colour'")
    expect(server.requests).toHaveLength(0)
  })

  test.each<[variable: string, value: string]>([
    ['PETSTORE_TIMEOUT', 'soon'],
    ['PETSTORE_RETRIES', '-1'],
    ['PETSTORE_OUTPUT', 'xml'],
    ['PETSTORE_ENV', 'nowhere']
  ])('a wrong %s is a usage error that names the variable', async (variable, value) => {
    const server = await recordingServer([])
    const run = await runCli(list, { env: { ...at(server), [variable]: value } })
    expect(run).toMatchObject({ code: 2, stdout: '' })
    expect(lastError(run.stderr).message).toContain(variable)
    expect(server.requests).toHaveLength(0)
  })

  test.each<[what: string, env: Record<string, string>, code: number, words: string]>([
    ['no key', { PETSTORE_API_KEY: '' }, 4, "no API key is saved for 'production'"],
    ['no URL', { PETSTORE_BASE_URL: '' }, 9, 'no base URL is set']
  ])('%s', async (_, env, code, words) => {
    const server = await recordingServer([])
    const run = await runCli(list, { env: { ...at(server), ...env } })
    expect(run).toMatchObject({ code, stdout: '' })
    expect(lastError(run.stderr).message).toContain(words)
    expect(server.requests).toHaveLength(0)
  })
})

test('`petstore help exit-codes` prints every exit code with its meaning', async () => {
  const { stdout } = await runCli(['help', 'exit-codes'])
  for (const [code, name, meaning] of endings) {
    expect(stdout).toMatch(new RegExp(`^ +${code} +${name} +`, 'm'))
    expect(stdout.replace(/\s+/g, ' ')).toContain(meaning)
  }
})

function lastError(stderr: string) {
  const lines = stderr.trimEnd().split('\n')
  return JSON.parse(lines.at(-1) ?? '').error
}
