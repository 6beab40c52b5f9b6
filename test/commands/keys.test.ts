import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { type RecordingServer, recordingServer } from '../support/recording-server.ts'
import { runCli } from '../support/run-cli.ts'
import { temporaryDirectory } from '../support/temp.ts'

const key = 'sk_canry'
const list = ['pets', 'list']
const add = ['pets', 'add', '--name', 'Rex', '--category-id', '2']
const send = ['messages', 'send', 'hello']

/** The server that the key belongs to, and another one. */
let own: RecordingServer
let other: RecordingServer
let home: string

beforeEach(async () => {
  own = await recordingServer({ json: [] })
  other = await recordingServer({ json: [] })
  home = temporaryDirectory()
})

/** Saves the key like `auth login`. */
function save(environment: object): void {
  const directory = join(home, '.config', 'petstore')
  mkdirSync(directory, { recursive: true })
  const production = { apiKey: key, keyOrigins: [own.url], ...environment }
  writeFileSync(join(directory, 'config.json'), JSON.stringify({ environments: { production } }))
}

async function expectRefusal(argv: readonly string[], env: Record<string, string>, code: number) {
  const run = await runCli(argv, { home, env })
  expect(run).toMatchObject({ code, stdout: '' })
  expect(run.stderr).not.toContain(key)
  expect([own.connections(), other.connections()]).toEqual([0, 0])
  return run.stderr
}

test.each(['sk canry', 'sk\ncanry', 'sk_\u00e9'])(
  'a key that cannot be sent ends with 4: %j',
  async value => {
    const urls = { PETSTORE_BASE_URL: own.url, PETSTORE_MESSAGES_URL: own.url }
    const env = { ...urls, PETSTORE_API_KEY: value }
    for (const argv of [list, send])
      expect(await expectRefusal(argv, env, 4)).toContain('the API key in PETSTORE_API_KEY')
    save({ apiKey: value, baseUrl: own.url })
    expect(await expectRefusal(list, {}, 4)).toContain("the API key saved for 'production'")
  }
)

test.each([
  ['another port', () => other.url],
  ['another name of the same machine', () => own.url.replace('127.0.0.1', 'localhost')],
  ['another scheme', () => own.url.replace('http:', 'https:')]
])('a saved key is not sent to %s (4)', async (_what, address) => {
  save({ baseUrl: own.url, messagesUrl: own.url })
  const env = { PETSTORE_BASE_URL: address(), PETSTORE_MESSAGES_URL: address() }
  for (const argv of [list, add, send])
    expect(await expectRefusal(argv, env, 4)).toContain('is not sent to')
})
