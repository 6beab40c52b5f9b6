import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import manifest from '../../package.json' with { type: 'json' }
import type { Answer } from '../support/recording-server.ts'
import { runCli } from '../support/run-cli.ts'
import { temporaryDirectory } from '../support/temp.ts'
import { key, service } from './service.ts'

interface Check {
  readonly check: string
  readonly state: string
  readonly detail: string
  readonly hint: string | null
}

/** The checks by name, and as `name state` in their order. */
async function examine(options: Parameters<typeof runCli>[1], ...argv: string[]) {
  const { code, stdout, stderr } = await runCli(['doctor', ...argv], options)
  expect(stdout + stderr).not.toMatch(/sk_test|hunter2/)
  const checks: Check[] = JSON.parse(stdout)
  expect(checks.length).toBeLessThanOrEqual(6)
  const byName = Object.fromEntries(checks.map(check => [check.check, check]))
  return { code, stderr, byName, states: checks.map(({ check, state }) => `${check} ${state}`) }
}

function homeWith(content: string) {
  const home = temporaryDirectory()
  const directory = join(home, '.config', 'petstore')
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  const file = join(directory, 'config.json')
  writeFileSync(file, content, { mode: 0o600 })
  return { home, directory, file }
}

test('the local service needs no request', async () => {
  const { code, stderr, states, byName } = await examine({}, '--env', 'local')
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  const good = ['program ok', 'config file ok', 'environment ok', 'local database ok']
  expect(states).toEqual(good)
  expect(byName.program?.detail).toContain(
    `petstore ${manifest.version}, Node ${process.versions.node}`
  )
  expect(byName.environment?.detail).toBe('local (the command line), which uses no URL and no key')
})

test('nothing is configured: one problem, its hint, and nothing is created', async () => {
  const home = temporaryDirectory()
  const { code, stderr, states, byName } = await examine({ home })
  expect(code).toBe(9)
  expect(states).toEqual(['program ok', 'config file ok', 'environment problem'])
  expect(byName.environment?.hint).toBe(
    'petstore auth login --env production --base-url https://HOST/v1'
  )
  expect(JSON.parse(stderr).error.message).toBe('problem found: environment')
  expect(existsSync(join(home, '.config'))).toBe(false)
})

test('a service that replies: URLs and key have their sources', async () => {
  const { server, env } = await service()
  const { code, stderr, byName } = await examine({ env })
  expect({ code, stderr, state: byName.request?.state }).toEqual({
    code: 0,
    stderr: '',
    state: 'ok'
  })
  expect(byName.environment?.detail).toMatch(
    new RegExp(
      `^production \\(default\\), base URL ${server.url}/v1 \\(PETSTORE_BASE_URL\\), messages URL ${server.url} \\(PETSTORE_MESSAGES_URL\\), API key with fingerprint [0-9a-f]{8} \\(PETSTORE_API_KEY\\)$`
    )
  )
  expect(server.requests).toMatchObject([{ method: 'GET', path: '/v1/pets?limit=1' }])
})

describe('a request that fails', () => {
  test.each<[what: string, answer: Answer, code: number]>([
    ['a refused key', { status: 401, json: { code: key, message: key, status: 401 } }, 4],
    ['an HTML page', { body: `<h1>${key}</h1>` }, 7]
  ])('with %s is one problem, with the exit code of a list', async (_what, answer, expected) => {
    const { server, env } = await service(answer)
    const { code, byName } = await examine({ env })
    expect(code).toBe(expected)
    const detail = expect.stringMatching(/^reply: /)
    expect(byName.request).toMatchObject({ state: 'problem', detail })
    expect(server.requests).toHaveLength(1)
  })

  test('in TLS names its stage', async () => {
    const { server, env } = await service()
    const url = server.url.replace('http:', 'https:')
    const { code, byName } = await examine({ env: { ...env, PETSTORE_BASE_URL: url } })
    expect([code, byName.request?.detail]).toEqual([6, expect.stringMatching(/^TLS: /)])
  })

  const proxy = { PETSTORE_ALLOW_HTTP: '1', HTTP_PROXY: 'http://me:hunter2@127.0.0.1:9' }
  test.each<[stage: RegExp, url: string, variables?: Record<string, string>]>([
    [/^name lookup: /, 'https://pets.invalid/v1'],
    [/^connection: /, 'http://127.0.0.1:9'],
    [/^(proxy|connection): .*proxy/, 'http://pets.invalid/v1', proxy]
  ])('on the way names its stage: %s', async (stage, url, variables = {}) => {
    const env = { PETSTORE_BASE_URL: url, PETSTORE_API_KEY: key, ...variables }
    const { code, byName } = await examine({ env })
    expect([code, byName.request?.detail]).toEqual([6, expect.stringMatching(stage)])
  })
})

test.each<[answer: Answer, state: string, detail: RegExp]>([
  [{ status: 401 }, 'ok', /^the service replies$/],
  [{ status: 404 }, 'problem', /^reply: /]
])('without a key, the address is asked all the same: %j', async (answer, state, detail) => {
  const { server, urls } = await service(answer)
  const { code, stderr, byName } = await examine({ env: urls })
  expect(code).toBe(4)
  expect(JSON.parse(stderr).error.message).toBe('problem found: environment')
  expect(byName.environment?.hint).toBe('petstore auth login --env production')
  expect(byName.request).toMatchObject({ state, detail: expect.stringMatching(detail) })
  expect(server.requests.map(({ headers }) => headers.authorization)).toEqual([undefined])
})

test('a config file that others can read is a problem', async () => {
  const { home, file } = homeWith('{}')
  chmodSync(file, 0o644)
  const { code, byName } = await examine({ home }, '--env', 'local')
  expect(code).toBe(9)
  const hint = `chmod 600 ${file}`
  expect(byName['config file']).toMatchObject({ state: 'problem', hint })
})

test('a local database that cannot be read is a problem, also if it is not in use', async () => {
  const { home, directory } = homeWith('{}')
  writeFileSync(join(directory, 'local.db'), 'no database'.repeat(500), { mode: 0o600 })
  const { env } = await service()
  const { byName } = await examine({ home, env })
  expect(byName['local database']?.state).toBe('problem')
})

test.each<[env: Record<string, string>, detail: string]>([
  [{ NODE_EXTRA_CA_CERTS: '/etc/ca.pem' }, '/etc/ca.pem (NODE_EXTRA_CA_CERTS)'],
  [{ HTTPS_PROXY: 'http://p.example:8080' }, 'http://p.example:8080 (HTTPS_PROXY)'],
  [{ https_proxy: 'me:hunter2@p.example' }, '***@p.example (https_proxy)'],
  [{ NODE_USE_SYSTEM_CA: '1' }, '1 (NODE_USE_SYSTEM_CA)']
])('the network with %j: %s', async (variables, detail) => {
  const { env } = await service()
  const { byName } = await examine({ env: { ...env, ...variables } })
  expect(byName.network).toMatchObject({ state: 'ok', detail })
})

test('a person reads each check, and the hint below it on one line', async () => {
  const { stdout } = await runCli(['doctor', '--no-color'], { terminal: true, columns: 40 })
  expect(stdout).toMatch(/^problem {2}environment: no base URL is set$/m)
  expect(stdout).toMatch(/^ {9}hint: petstore auth login .*\/v1$/m)
})
