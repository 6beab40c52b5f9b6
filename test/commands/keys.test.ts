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
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  const state = {
    environments: { production: { apiKey: key, keyOrigins: [own.url], ...environment } }
  }
  writeFileSync(join(directory, 'config.json'), JSON.stringify(state), { mode: 0o600 })
}

async function expectRefusal(
  argv: readonly string[],
  env: Record<string, string>,
  code: number
): Promise<string> {
  const run = await runCli(argv, { home, env })
  expect(run).toMatchObject({ code, stdout: '' })
  expect(run.stderr).not.toContain(key)
  expect([own.connections(), other.connections()]).toEqual([0, 0])
  return JSON.parse(run.stderr).error.message
}

test('a saved key is sent to the origin it was saved with, on any path', async () => {
  save({ baseUrl: `${own.url}/v1`, messagesUrl: own.url })
  expect(await runCli(list, { home })).toMatchObject({ code: 0, stdout: '[]\n' })
  const moved = { PETSTORE_BASE_URL: `${own.url}/v2` }
  expect(await runCli(list, { home, env: moved })).toMatchObject({ code: 0 })
  expect(own.requests.map(({ headers }) => headers.authorization)).toEqual([
    `Bearer ${key}`,
    `Bearer ${key}`
  ])
})

describe('a key that cannot be sent exits with 4', () => {
  const unsendable = [
    'sk canry',
    'sk_canry ',
    'sk\ncanry',
    'sk\tcanry',
    'sk_\u00e9',
    'sk_\u001b[1m',
    'sk_\u007f',
    'sk_🐈'
  ]

  test.each(unsendable)('%j from the variable', async value => {
    const env = {
      PETSTORE_API_KEY: value,
      PETSTORE_BASE_URL: own.url,
      PETSTORE_MESSAGES_URL: own.url
    }
    for (const argv of [list, send]) {
      expect(await expectRefusal(argv, env, 4)).toContain('the API key in PETSTORE_API_KEY')
    }
  })

  test('from the config file', async () => {
    save({ apiKey: 'sk canry', baseUrl: own.url })
    expect(await expectRefusal(list, {}, 4)).toContain("the API key saved for 'production'")
  })

  test.each(['', '\n', 'sk\ncanry'])('%j at a login', async stdin => {
    const run = await runCli(['auth', 'login', '--base-url', own.url], { home, stdin })
    expect(run).toMatchObject({ code: 4, stdout: '' })
    expect(own.connections()).toBe(0)
  })
})

describe('a refused URL exits with 9', () => {
  const withUserInfo = (url: string, userInfo: string) => url.replace('//', `//${userInfo}@`)

  test.each([
    ['plain http', () => 'http://pets.example/v1', 'plain http'],
    ['a name that begins like loopback', () => 'http://127.0.0.1.pets.example', 'plain http'],
    ['a name that ends like loopback', () => 'http://petslocalhost', 'plain http'],
    ['a name that looks like loopback', () => 'http://locaIhost:4010', 'plain http'],
    ['all addresses of this machine', () => 'http://0.0.0.0:4010', 'plain http'],
    ['loopback as a subdomain', () => `http://localhost.pets.example:${own.port}`, 'plain http'],
    [
      'loopback as a user name',
      () => `http://127.0.0.1:${own.port}@pets.example`,
      'a user name or a password'
    ],
    ['a user name', () => withUserInfo(own.url, 'me'), 'a user name or a password'],
    ['a password', () => withUserInfo(own.url, `me:${key}`), 'a user name or a password'],
    [
      'an empty user name and password',
      () => withUserInfo(own.url, ':'),
      'a user name or a password'
    ],
    ['backslashes', () => own.url.replace('//', '\\\\'), 'must be a URL such as'],
    ['another scheme', () => own.url.replace('http:', 'ftp:'), 'must be a URL such as'],
    ['no scheme', () => own.url.replace('http://', ''), 'must be a URL such as']
  ])('%s', async (_what, address, words) => {
    const env = {
      PETSTORE_API_KEY: key,
      PETSTORE_BASE_URL: address(),
      PETSTORE_MESSAGES_URL: address()
    }
    for (const argv of [list, send]) expect(await expectRefusal(argv, env, 9)).toContain(words)
    save({ baseUrl: address() })
    expect(await expectRefusal(list, {}, 9)).toContain(words)
  })
})

describe('a saved key is not sent to another origin, and the command exits with 4', () => {
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

  test('after the saved URL was edited', async () => {
    save({ baseUrl: other.url, messagesUrl: other.url })
    for (const argv of [list, add, send])
      expect(await expectRefusal(argv, {}, 4)).toContain('is not sent to')
  })

  test('after env set changed the URL, which removes the key', async () => {
    save({ baseUrl: own.url })
    await runCli(['env', 'set', 'production', '--base-url', other.url], { home })
    expect(await expectRefusal(list, {}, 4)).toContain('no API key is saved')
  })

  test('the URL of another environment', async () => {
    save({ baseUrl: own.url })
    await runCli(['env', 'set', 'staging', '--base-url', own.url], { home })
    expect(await expectRefusal([...list, '--env', 'staging'], {}, 4)).toContain(
      'no API key is saved'
    )
  })

  test('unless the variable sets the key', async () => {
    save({ baseUrl: own.url })
    const env = { PETSTORE_BASE_URL: other.url, PETSTORE_API_KEY: 'sk_other' }
    expect(await runCli(list, { home, env })).toMatchObject({ code: 0 })
    expect(other.requests[0]?.headers.authorization).toBe('Bearer sk_other')
  })
})

describe('a redirect is not followed, and the command exits with 7', () => {
  const redirect = (status: number): Answer => ({
    status,
    headers: { location: `${other.url}/v1/pets?key=${key}` }
  })

  test.each([301, 302, 303, 307, 308])('%i', async status => {
    for (const argv of [list, add, send]) {
      own = await recordingServer([redirect(status)])
      save({ baseUrl: own.url, messagesUrl: own.url })
      const run = await runCli(argv, { home })
      expect(run).toMatchObject({ code: 7, stdout: '' })
      expect(run.stderr).not.toContain(key)
      expect([own.requests.length, other.connections()]).toEqual([1, 0])
    }
  })

  test('at a login, which saves nothing', async () => {
    own = await recordingServer([redirect(302)])
    const run = await runCli(['auth', 'login', '--base-url', own.url], { home, stdin: key })
    expect(run).toMatchObject({ code: 7, stdout: '' })
    expect([own.requests.length, other.connections()]).toEqual([1, 0])
    expect((await runCli(['auth', 'token'], { home })).code).toBe(4)
  })
})
