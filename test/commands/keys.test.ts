import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { type Answer, type RecordingServer, recordingServer } from '../support/recording-server.ts'
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

test('a saved key is sent to the origin it was saved with, on any path', async () => {
  save({ baseUrl: `${own.url}/v1` })
  await runCli(list, { home })
  await runCli(list, { home, env: { PETSTORE_BASE_URL: `${own.url}/v2` } })
  const keys = own.requests.map(({ headers }) => headers.authorization)
  expect(keys).toEqual([`Bearer ${key}`, `Bearer ${key}`])
})

test.each(['sk canry', 'sk_canry ', 'sk\ncanry', 'sk_\u00e9', 'sk_\u001b[1m', 'sk_🐈'])(
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

describe('a saved key is not sent to another origin (4)', () => {
  test.each([
    ['another port', () => other.url],
    ['another name of the same machine', () => own.url.replace('127.0.0.1', 'localhost')],
    ['another scheme', () => own.url.replace('http:', 'https:')],
    ['a name with the same beginning', () => `https://127.0.0.1.pets.example:${own.port}`]
  ])('%s in a variable', async (_what, address) => {
    save({ baseUrl: own.url, messagesUrl: own.url })
    const env = { PETSTORE_BASE_URL: address(), PETSTORE_MESSAGES_URL: address() }
    for (const argv of [list, add, send])
      expect(await expectRefusal(argv, env, 4)).toContain('is not sent to')
  })

  test('nor for another environment with the same URL', async () => {
    save({ baseUrl: own.url })
    await runCli(['env', 'set', 'staging', '--base-url', own.url], { home })
    expect(await expectRefusal([...list, '--env', 'staging'], {}, 4)).toContain('no API key')
  })

  test('but the key in a variable is for any', async () => {
    save({ baseUrl: own.url })
    const env = { PETSTORE_BASE_URL: other.url, PETSTORE_API_KEY: 'sk_other' }
    await runCli(list, { home, env })
    expect(other.requests[0]?.headers.authorization).toBe('Bearer sk_other')
  })
})

test.each([
  [301, 10],
  [303, 10],
  [307, 7]
])('a redirect (%i) is not followed', async (status, codeOfChange) => {
  const redirect: Answer = { status, headers: { location: `${other.url}/v1/pets?key=${key}` } }
  own = await recordingServer([redirect, redirect, redirect])
  save({ baseUrl: own.url, messagesUrl: own.url })
  for (const argv of [list, add, send]) {
    const run = await runCli(argv, { home })
    expect(run).toMatchObject({ code: argv === list ? 7 : codeOfChange, stdout: '' })
    expect(run.stderr).not.toContain(key)
  }
  expect([own.requests.length, other.connections()]).toEqual([3, 0])
})
