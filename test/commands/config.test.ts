import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { formatNames } from '../../src/output/formats.ts'
import { settingNames, settingTable } from '../../src/settings/table.ts'
import { oneOf } from '../../src/settings/value-types.ts'
import { runCli } from '../support/run-cli.ts'
import { temporaryDirectory } from '../support/temp.ts'

const key = 'sk_canary'
const configOf = (home: string) => join(home, '.config', 'petstore', 'config.json')

function homeWith(state: unknown): string {
  const home = temporaryDirectory()
  mkdirSync(join(home, '.config', 'petstore'), { recursive: true })
  writeFileSync(configOf(home), typeof state === 'string' ? state : JSON.stringify(state))
  return home
}

describe('config list', () => {
  const list = async (argv: string[], options: Parameters<typeof runCli>[1] = {}) => {
    const run = await runCli(['config', 'list', ...argv], options)
    expect(run).toMatchObject({ code: 0, stderr: '' })
    expect(run.stdout).not.toContain(key)
    const rows: { setting: string; origin: string; from: string | null }[] = JSON.parse(run.stdout)
    return Object.fromEntries(rows.map(({ setting, ...row }) => [setting, row]))
  }

  test('shows every setting with its default if nothing is set', async () => {
    const home = temporaryDirectory()
    const byDefault = (value: unknown) => ({ value, origin: 'default', from: null })
    const shown = await list([], { home })
    expect(Object.keys(shown)).toEqual(settingNames.filter(name => settingTable[name].variables))
    expect(
      Object.values(shown).every(({ origin, from }) => origin === 'default' && from === null)
    ).toBe(true)
    expect(shown).toMatchObject({
      env: byDefault('production'),
      'base-url': byDefault(null),
      'allow-http': byDefault(false),
      output: byDefault('json'),
      timeout: byDefault(30),
      input: byDefault(false),
      'config-dir': byDefault(join(home, '.config', 'petstore'))
    })
  })

  test('shows saved values, and the path of the config file', async () => {
    const home = homeWith({
      environment: 'staging',
      preferences: { output: 'json', timeout: 5, retries: 1, color: 'never' },
      environments: {
        staging: { baseUrl: 'https://a.example/v1', messagesUrl: 'https://m.example', apiKey: key }
      }
    })
    const saved = (value: unknown) => ({ value, origin: 'file', from: configOf(home) })
    expect(await list([], { home })).toMatchObject({
      env: saved('staging'),
      'base-url': saved('https://a.example/v1'),
      'messages-url': saved('https://m.example'),
      'api-key': saved(expect.stringMatching(/^fingerprint [0-9a-f]{8}$/)),
      output: saved('json'),
      timeout: saved(5),
      retries: saved(1),
      color: saved('never')
    })
  })

  test('shows variables instead of saved values', async () => {
    const home = homeWith({
      preferences: { timeout: 5 },
      environments: { production: { apiKey: 'other' } }
    })
    const variables = {
      PETSTORE_ENV: ['env', 'production'],
      PETSTORE_BASE_URL: ['base-url', 'https://b.example'],
      PETSTORE_MESSAGES_URL: ['messages-url', 'https://c.example'],
      PETSTORE_OUTPUT: ['output', 'json'],
      PETSTORE_TIMEOUT: ['timeout', 7],
      PETSTORE_RETRIES: ['retries', 0],
      FORCE_COLOR: ['color', 'always', '1'],
      PETSTORE_ALLOW_HTTP: ['allow-http', true, '1'],
      CI: ['input', false, 'true'],
      HTTPS_PROXY: ['https-proxy', 'http://proxy.example:8080'],
      http_proxy: ['http-proxy', 'http://proxy.example:8081'],
      ALL_PROXY: ['all-proxy', 'http://proxy.example:8082'],
      NO_PROXY: ['no-proxy', 'a.example,b.example'],
      NODE_EXTRA_CA_CERTS: ['ca-certs', '/etc/ssl/own.pem'],
      PETSTORE_CONFIG_DIR: ['config-dir', join(home, '.config', 'petstore')]
    } as const
    const env = Object.fromEntries(
      Object.entries(variables).map(([name, [, value, text]]) => [name, String(text ?? value)])
    )
    // FORCE_COLOR would add colors to the JSON.
    const rows = await list(['--no-color'], { home, env: { ...env, PETSTORE_API_KEY: key } })
    for (const [name, [setting, value]] of Object.entries(variables)) {
      const expected =
        setting === 'color' ? { value: 'never', origin: 'flag', from: '--color' } : undefined
      expect(rows[setting]).toEqual(expected ?? { value, origin: 'variable', from: name })
    }
    expect(rows['api-key']).toMatchObject({ origin: 'variable', from: 'PETSTORE_API_KEY' })
  })

  test('never shows a password in a URL', async () => {
    const env = {
      PETSTORE_BASE_URL: `https://me:${key}@a.example/v1`,
      PETSTORE_MESSAGES_URL: `me:${key}@a.example`
    }
    const rows = await list([], {
      env: { ...env, HTTPS_PROXY: `http://me:${key}@proxy.example:8080` }
    })
    expect(rows['https-proxy']).toMatchObject({ value: 'http://***@proxy.example:8080' })
    expect(rows['base-url']).toMatchObject({ value: 'https://***@a.example/v1' })
    expect(rows['messages-url']).toMatchObject({ value: '***@a.example' })
  })
})

describe('a preference', () => {
  test.each([
    ['output', 'csv', 'json'],
    ['timeout', '2.5', '30'],
    ['retries', '0', '3'],
    ['color', 'never', 'auto']
  ])('%s: config set to %s, config get, and config unset to %s', async (name, value, byDefault) => {
    const home = temporaryDirectory()
    const config = (...argv: string[]) => runCli(['config', ...argv], { home })
    expect(await config('get', name)).toEqual({ code: 0, stdout: `${byDefault}\n`, stderr: '' })
    expect(await config('set', name, value)).toEqual({ code: 0, stdout: '', stderr: '' })
    expect(await config('get', name)).toEqual({ code: 0, stdout: `${value}\n`, stderr: '' })
    expect(String(JSON.parse(readFileSync(configOf(home), 'utf8')).preferences[name])).toBe(value)
    const unset = await runCli(['config', 'unset', name, '--no-color'], {
      home,
      terminal: { stderr: true }
    })
    expect(unset).toEqual({ code: 0, stdout: '', stderr: `removed the saved ${name}\n` })
    expect(await config('get', name)).toMatchObject({ stdout: `${byDefault}\n` })
    expect((await config('unset', name)).stderr).toContain(`no ${name} is saved`)
  })

  test('that a variable overrides is saved anyway, and a notice names the variable', async () => {
    const home = temporaryDirectory()
    const env = { PETSTORE_TIMEOUT: '7' }
    const set = await runCli(['config', 'set', 'timeout', '5'], { home, env })
    expect(set.stderr).toContain('PETSTORE_TIMEOUT is set')
    expect((await runCli(['config', 'get', 'timeout'], { home, env })).stdout).toBe('7\n')
    expect((await runCli(['config', 'get', 'timeout'], { home })).stdout).toBe('5\n')
  })

  test.each<[argv: string[], words: string]>([
    [['get', 'colour'], 'petstore config get color'],
    [['set', 'tmeout', '5'], 'petstore config set timeout 5'],
    [['unset', 'retry'], 'petstore config unset --help'],
    [['get', 'frobnicate'], "'frobnicate' is not saved with config"],
    [['get', 'env'], "'env' is not saved with config"],
    [['get', 'constructor'], "'constructor' is not saved with config"],
    [['set', 'output', 'jsn'], 'petstore config set --help'],
    [
      ['set', 'timeout', 'soon'],
      'a number of seconds from 0.001 to 86400; petstore config set --help'
    ],
    [['set', 'output'], 'is missing']
  ])('config %j is a usage error and saves nothing', async (argv, words) => {
    const home = temporaryDirectory()
    const run = await runCli(['config', ...argv], { home })
    expect(run).toMatchObject({ code: 2, stdout: '' })
    const { message, hint } = JSON.parse(run.stderr).error
    expect(`${message}; ${hint}`).toContain(words)
    expect(existsSync(configOf(home))).toBe(false)
  })
})

describe('config path', () => {
  test.each([
    ['is not there', undefined],
    ['is broken', '{'],
    ['has the wrong shape', '[]']
  ])('prints the path of a file that %s', async (_what, content) => {
    const home = content === undefined ? temporaryDirectory() : homeWith(content)
    expect(await runCli(['config', 'path'], { home })).toEqual({
      code: 0,
      stdout: `${configOf(home)}\n`,
      stderr: ''
    })
  })
})

test.each(['list', 'get timeout', 'set timeout 5', 'unset timeout'])(
  'config %s exits with 9 for a broken config file, and leaves it unchanged',
  async line => {
    const home = homeWith(`{"apiKey":"${key}"`)
    const run = await runCli(['config', ...line.split(' ')], { home })
    expect(run).toMatchObject({ code: 9, stdout: '' })
    expect(run.stderr).toContain(configOf(home))
    expect(run.stderr).not.toContain(key)
    expect(readFileSync(configOf(home), 'utf8')).toBe(`{"apiKey":"${key}"`)
  }
)

test.each([
  [['config', 'set', 'timeout', '5'], 'timeout set to 5 seconds\n'],
  [['config', 'set', 'output', 'csv'], 'output set to csv\n'],
  [['env', 'set', 'mine', '--base-url', 'https://pets.example/v1'], "saved the URLs of 'mine'\n"],
  [['env', 'use', 'local'], "'local' is now the default environment\n"],
  [
    ['pets', 'add', '--name', 'Rex', '--category-id', '2', '--env', 'local'],
    'added pet 11 to local\n'
  ],
  [
    ['auth', 'login', '--no-verify', '--base-url', 'https://pets.example/v1'],
    "logged in to 'production' (key "
  ]
])('%j is confirmed in one line in a terminal, and nowhere else', async (argv, line) => {
  const stdin = 'sk_canary_1234'
  const inTerminal = await runCli([...argv, '--no-color'], { terminal: { stderr: true }, stdin })
  expect(inTerminal).toMatchObject({ code: 0, stderr: expect.stringContaining(line) })
  expect(inTerminal.stderr.trimEnd().split('\n')).toHaveLength(1)
  expect((await runCli([...argv, '-q'], { terminal: { stderr: true }, stdin })).stderr).toBe('')
  expect(await runCli(argv, { stdin })).toMatchObject({ code: 0, stderr: '' })
})

test('a base URL with any path is accepted', async () => {
  const argv = ['env', 'set', 'mine', '--base-url', 'https://pets.example/api']
  expect(await runCli(argv)).toMatchObject({ code: 0, stderr: '' })
})

test('config set and unset say whether they changed anything', async () => {
  const home = temporaryDirectory()
  const changes = async (...argv: string[]) =>
    JSON.parse((await runCli(['config', ...argv, '--json'], { home })).stdout)
  const saved = { setting: 'timeout', value: 5 }
  expect(await changes('set', 'timeout', '5')).toEqual({ ...saved, changed: true })
  expect(await changes('set', 'timeout', '5.0')).toEqual({ ...saved, changed: false })
  expect(await changes('unset', 'timeout')).toEqual({ ...saved, value: null, changed: true })
  expect(await changes('unset', 'timeout')).toEqual({ ...saved, value: null, changed: false })
})

describe('config set refuses an invalid value', () => {
  test.each([
    ['output', 'xml', `use ${oneOf(formatNames)}`],
    ['timeout', '0', 'use a number of seconds from 0.001 to 86400'],
    ['timeout', '1e3', 'use a number of seconds from 0.001 to 86400'],
    ['timeout', '86401', 'use a number of seconds from 0.001 to 86400'],
    ['retries', '-1', 'use a whole number from 0 to 100'],
    ['retries', '101', 'use a whole number from 0 to 100'],
    ['retries', '1.5', 'use a whole number from 0 to 100'],
    ['color', 'yes', 'use auto, always or never']
  ])('%s %s', async (name, value, expected) => {
    const home = temporaryDirectory()
    const { code, stderr } = await runCli(['config', 'set', '--', name, value], { home })
    expect(code).toBe(2)
    expect(stderr).toContain(`invalid ${name} '${value}': ${expected}`)
    expect(existsSync(configOf(home))).toBe(false)
  })
})
