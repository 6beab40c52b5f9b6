import { existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { type Handler, type RecordingServer, recordingServer } from '../support/recording-server.ts'
import { runCli } from '../support/run-cli.ts'
import { temporaryDirectory } from '../support/temp.ts'
import { errorOf, key } from './service.ts'

/** Below /v1 it wants the key, and repeats a wrong one; elsewhere it has nothing. */
const service: Handler = ({ headers, path }) => {
  const { authorization } = headers
  const status = path.startsWith('/v1/pets/') ? 400 : path.startsWith('/v1/') ? 401 : 404
  const error = { status, json: { code: 'x', message: `no ${authorization}`, status } }
  return status === 401 && authorization === `Bearer ${key}` ? { json: [] } : error
}

let home: string
let server: RecordingServer
beforeEach(async () => {
  home = temporaryDirectory()
  server = await recordingServer(service)
})

const config = () => join(home, '.config', 'petstore', 'config.json')
const run = (argv: readonly string[], options: Parameters<typeof runCli>[1] = {}) =>
  runCli(argv, { home, ...options })
const login = (...more: string[]) => ['auth', 'login', '--base-url', `${server.url}/v1`, ...more]
const token = async (...more: string[]) => (await run(['auth', 'token', ...more])).stdout

describe('auth login from a pipe', () => {
  test('asks once with the key, and saves it for its owner alone', async () => {
    const result = await run(login('--messages-url', server.url), { stdin: `${key}\n` })
    expect(result).toMatchObject({ code: 0, stdout: '' })
    expect(server.requests).toMatchObject([{ method: 'GET', path: '/v1/pets?limit=1' }])
    expect(statSync(config()).mode & 0o777).toBe(0o600)
    expect(await token()).toBe(`${key}\n`)
    expect((await run(['pets', 'list'])).stdout).toBe('[]\n')
  })

  test('saves nothing if the key is refused, and the hint is the same login', async () => {
    const result = await run(login('--messages-url', server.url), { stdin: 'sk_wrong' })
    expect(result).toMatchObject({ code: 4, stdout: '' })
    expect(result.stderr).not.toContain('sk_wrong')
    expect(errorOf(result.stderr).hint).toBe(
      `petstore auth login --base-url ${server.url}/v1 --messages-url ${server.url} --env production`
    )
    expect(existsSync(config())).toBe(false)
  })

  test('--no-verify asks nothing, --dry-run shows the request', async () => {
    expect((await run(login('--dry-run'), { stdin: key })).stdout).toMatch(/^curl .*limit=1/)
    expect(existsSync(config())).toBe(false)
    expect(await run(login('--no-verify'), { stdin: 'sk_untried' })).toMatchObject({ code: 0 })
    expect(server.connections()).toBe(0)
    expect(await token()).toBe('sk_untried\n')
  })

  test('creates the environment; the first becomes the default, which is told also with -q', async () => {
    const noticed = async (...more: string[]) => {
      const { stderr } = await run(login(...more), { stdin: key })
      return stderr && JSON.parse(stderr).notice.message.replace(/[0-9a-f]{8}/, 'K')
    }
    const first = "logged in to 'staging' (key K); 'staging' is now the default environment"
    const next = "logged in to 'dev' (key K); the default is still 'staging': petstore env use dev"
    expect(await noticed('--env', 'staging', '-q')).toBe(first)
    expect(await noticed('--env', 'dev')).toBe(next)
    expect(await noticed('--env', 'dev', '-q')).toBe('')
    expect(await noticed('--env', 'staging')).toBe('')
  })
})

describe('auth login in a terminal', () => {
  const typing = (steps: readonly (readonly [string, string])[], argv = ['auth', 'login']) =>
    run([...argv, '--no-color', '--retries', '0'], { terminal: true, steps })

  test('asks again for what was refused, and keeps the rest', async () => {
    const { port } = server
    const closed = await recordingServer([])
    await closed.close()
    const { code, stderr } = await typing([
      ['Base URL', 'not a url\r'],
      // A key at the wrong place.
      ['must', 'sk_pasted_12345678\r'],
      ['must', `127.0.0.1:${closed.port}/v1\r`],
      ['refused the connection', `127.0.0.1:${port}/v1/pets\r`],
      ['usually ends in /v1', `127.0.0.1:${port}\r`],
      ['usually ends in /v1', `127.0.0.1:${port}/v1\r`],
      ['API key', 'sk_wrong\r'],
      ['was refused', ` ${key} \r`],
      ['Messages URL', '\r']
    ])
    expect(code).toBe(0)
    expect(stderr).toContain("'production' is now the default")
    expect(stderr).not.toMatch(/sk_wrong|sk_test/)
    expect(server.requests.map(({ headers }) => headers.authorization)).toEqual([
      undefined,
      undefined,
      undefined,
      'Bearer sk_wrong',
      undefined,
      `Bearer ${key}`
    ])
    expect(JSON.parse(readFileSync(config(), 'utf8')).environments.production).toEqual({
      baseUrl: `${server.url}/v1`,
      apiKey: key,
      keyOrigins: [server.url]
    })
  })

  test('says that the path may be wrong before it asks for the key', async () => {
    const { url } = await recordingServer({ status: 401 })
    const { stderr } = await typing([
      ['Base URL', `${url}/v2\r`],
      ['API key', '\u0003']
    ])
    expect(stderr.replace(/\s+/g, ' ')).toMatch(
      /v2\/pets \(401\); the path of a base URL usually ends in \/v1 API key/
    )
  })

  test.each([
    [200, true],
    [401, true],
    [403, true],
    [404, false],
    [500, false]
  ])('a service is there if it answers %i without a key: %s', async (status, isThere) => {
    const { url, requests } = await recordingServer({ status, json: [] })
    const steps = [[isThere ? 'API key' : 'Base URL', '\u0003']] as const
    const { code } = await typing(steps, ['auth', 'login', '--base-url', url])
    expect([code, requests.length]).toEqual([130, 1])
  })
})

describe('auth status', () => {
  test('describes every environment, and never shows a key', async () => {
    await run(login(), { stdin: key })
    const { code, stdout } = await run(['auth', 'status'])
    expect([code, stdout.includes(key)]).toEqual([0, false])
    const baseUrl = `${server.url}/v1`
    const fingerprint = expect.stringMatching(/^[0-9a-f]{8}$/)
    const saved = { inUse: true, baseUrl, key: 'saved', fingerprint, accepted: true }
    expect(JSON.parse(stdout)).toMatchObject([
      { environment: 'production', ...saved },
      { environment: 'staging', inUse: false, key: null, accepted: null },
      { environment: 'local', accepted: true }
    ])
  })

  test.each([
    ['', null],
    ['sk_wrong', false]
  ])('with the key %j ends with 4', async (apiKey, accepted) => {
    const env = { PETSTORE_API_KEY: apiKey, PETSTORE_BASE_URL: `${server.url}/v1` }
    const { code, stdout, stderr } = await run(['auth', 'status'], { env })
    expect([code, JSON.parse(stdout)[0].accepted]).toEqual([4, accepted])
    expect(stdout + stderr).not.toMatch(/sk_wrong|sk_test/)
  })
})

test('auth status --env shows and asks only that one', async () => {
  await run(login('--env', 'staging'), { stdin: key })
  const asked = server.requests.length
  const status = (name: string) => run(['auth', 'status', '--env', name])
  expect(JSON.parse((await status('local')).stdout)).toMatchObject([
    { environment: 'local', inUse: true }
  ])
  expect(server.requests).toHaveLength(asked)
  const { code, stdout } = await status('production')
  expect([code, JSON.parse(stdout)]).toMatchObject([4, [{ environment: 'production' }]])
})

test.each<[where: string, move: (url: string) => string]>([
  ['another port', () => 'http://127.0.0.1:9'],
  ['another name of the same machine', url => url.replace('127.0.0.1', 'localhost')],
  ['another scheme', url => url.replace('http:', 'https:')]
])('a saved key is not sent to %s', async (_, move) => {
  await run(login('--no-verify', '--messages-url', server.url), { stdin: key })
  const url = move(server.url)
  const env = { PETSTORE_BASE_URL: url, PETSTORE_MESSAGES_URL: url }
  for (const line of ['pets list', 'pets add --name Rex --category-id 2', 'messages send hi']) {
    const { code, stderr } = await run(line.split(' '), { env })
    expect([code, errorOf(stderr).message]).toEqual([4, expect.stringContaining('is not sent to')])
    expect(stderr).not.toContain(key)
  }
  expect(server.connections()).toBe(0)
})

test('auth logout removes one key, or with --all every key', async () => {
  for (const name of ['production', 'staging'])
    await run(login('--no-verify', '--env', name), { stdin: key })
  await run(['auth', 'logout', '--env', 'staging'])
  expect([await token('--env', 'staging'), await token()]).toEqual(['', `${key}\n`])
  await run(['auth', 'logout', '--all'])
  expect(readFileSync(config(), 'utf8')).not.toContain(key)
  expect(await run(['auth', 'logout'])).toMatchObject({ code: 0, stdout: '' })
  expect(await run(['auth', 'logout', '--env', 'local'])).toMatchObject({ code: 2 })
})
