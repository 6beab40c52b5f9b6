import { expect, test } from 'vitest'
import { recordingServer } from './support/recording-server.ts'
import { runCli } from './support/run-cli.ts'

const list = ['pets', 'list']

/** The last line of stderr. */
const errorOf = (stderr: string) => JSON.parse(stderr.trimEnd().split('\n').at(-1) ?? '').error

async function service(answers: Parameters<typeof recordingServer>[0] = []) {
  const server = await recordingServer(answers)
  const env = {
    PETSTORE_API_KEY: 'sk_test_12345678',
    PETSTORE_BASE_URL: `${server.url}/v1`,
    PETSTORE_MESSAGES_URL: server.url
  }
  return { server, env }
}

// What every status means is in client/retry-policy.test.ts, for whole runs in
// spawned/faults.test.ts.
test.each<[argv: string[], what: string]>([
  [list, 'list the pets'],
  [['pets', 'get', '7'], 'show pet 7'],
  [['pets', 'add', '--name', 'Rex', '--category-id', '2'], 'add the pet'],
  [['messages', 'send', 'hi'], 'send the message']
])('%j: an error has code, status and the words of the service', async (argv, what) => {
  const json = { code: 'made_up', message: 'a made-up error', status: 400 }
  const { server, env } = await service([{ status: 400, json }])
  const run = await runCli(argv, { env })
  expect(run).toMatchObject({ code: 3, stdout: '' })
  expect(errorOf(run.stderr)).toMatchObject({
    code: 'rejected',
    exitCode: 3,
    status: 400,
    serviceCode: 'made_up',
    retryable: false,
    hint: `petstore ${argv.slice(0, 2).join(' ')} --help`,
    message: expect.stringMatching(`refused to ${what} at .*: a made-up error$`)
  })
  expect(server.requests).toHaveLength(1)
})

test.each<[type: string, json: object, words: string]>([
  ['a list', [1], '(418)'],
  ['a message that is no text', { message: 7 }, '(418)']
])('%s in the body of a refusal', async (_, json, words) => {
  const { env } = await service({ status: 418, json })
  expect(errorOf((await runCli(list, { env })).stderr).message.endsWith(words)).toBe(true)
})

test.each<[argv: string[], env: Record<string, string>, code: number, words: string]>([
  [['pets', 'list', '--limit', '1e1'], {}, 2, 'from 1 to 100'],
  [['pets', 'get', '9223372036854775808'], {}, 2, 'it has more than 64 bits'],
  [['pets', 'list', '--env', 'nowhere'], {}, 2, "no environment is named 'nowhere'"],
  [list, { PETSTORE_TIMEOUT: 'soon' }, 2, 'PETSTORE_TIMEOUT'],
  [list, { PETSTORE_RETRIES: '-1' }, 2, 'PETSTORE_RETRIES'],
  [list, { PETSTORE_OUTPUT: 'xml' }, 2, 'PETSTORE_OUTPUT'],
  [list, { PETSTORE_ENV: 'nowhere' }, 2, 'PETSTORE_ENV'],
  [list, { PETSTORE_API_KEY: '' }, 4, "no API key is saved for 'production'"],
  [list, { PETSTORE_BASE_URL: '' }, 9, 'no base URL is set']
])('%j with %j ends with %i before anything is sent', async (argv, extra, code, words) => {
  const { server, env } = await service()
  const run = await runCli(argv, { env: { ...env, ...extra } })
  expect(run).toMatchObject({ code, stdout: '' })
  expect(errorOf(run.stderr)).toMatchObject({ exitCode: code, retryable: false })
  expect(errorOf(run.stderr).message).toContain(words)
  expect(server.connections()).toBe(0)
})
