import { describe, expect, test } from 'vitest'
import type { SavedState } from '../../src/settings/config-text.ts'
import { type PartialSettings, Settings } from '../../src/settings/settings.ts'
import type { SettingName } from '../../src/settings/table.ts'
import { hostWith } from './host.ts'

interface Sources {
  flags?: PartialSettings
  env?: Record<string, string>
  state?: SavedState
  isTerminal?: boolean
}

function settingsOf({ flags = {}, env = {}, state = {}, isTerminal = false }: Sources): Settings {
  const terminal = { stdin: isTerminal, stdout: isTerminal, stderr: isTerminal }
  const host = { ...hostWith(env, '/home/me'), terminal }
  return new Settings(host, flags, state)
}

const preferences = { output: 'ndjson', timeout: 7, retries: 9, color: 'always' } as const
const state: SavedState = { environment: 'staging', preferences }
const isTerminal = true

const typed = 'the command line'

/** The origin is the command line, a variable, the config file or the default. */
test.each<[SettingName, Sources, unknown, string?]>([
  ['env', { flags: { env: 'a' }, env: { PETSTORE_ENV: 'b' }, state }, 'a', typed],
  ['env', { env: { PETSTORE_ENV: 'b' }, state }, 'b', 'PETSTORE_ENV'],
  ['env', { env: { PETSTORE_ENV: '' }, state }, 'staging', 'the config file'],
  ['env', {}, 'production'],
  ['output', { isTerminal, state }, 'ndjson', 'the config file'],
  ['output', {}, 'json'],
  ['output', { isTerminal }, 'table'],
  ['timeout', { env: { PETSTORE_TIMEOUT: '2.5' }, state }, 2.5, 'PETSTORE_TIMEOUT'],
  ['timeout', {}, 30],
  ['retries', {}, 3],
  ['color', { env: { NO_COLOR: '1', FORCE_COLOR: '1' }, state }, 'never', 'NO_COLOR'],
  ['color', { env: { NO_COLOR: '', FORCE_COLOR: '1' } }, 'always', 'FORCE_COLOR'],
  ['color', { env: { FORCE_COLOR: '0' } }, 'never', 'FORCE_COLOR'],
  ['input', { isTerminal }, true],
  ['input', {}, false],
  ['input', { flags: { input: false }, isTerminal }, false, typed],
  ['input', { env: { CI: 'true' }, isTerminal }, false, 'CI'],
  ['input', { env: { CI: '0', CLAUDECODE: 'false' }, isTerminal }, true],
  ['verbose', { env: { PETSTORE_DEBUG: '1' } }, true, 'PETSTORE_DEBUG']
])('%s of %j is %j from %s', (setting, sources, value, name = 'default') => {
  const resolved = settingsOf(sources).resolve(setting)
  expect([resolved.value, resolved.origin.name]).toEqual([value, name])
})

test.each([
  'CI AI_AGENT AGENT CLAUDECODE GEMINI_CLI CODEX_SANDBOX CURSOR_AGENT OPENCODE'.split(' ')
])('%s turn prompts off', (...names) => {
  for (const name of names)
    expect([name, settingsOf({ env: { [name]: 'x' }, isTerminal }).value('input')]).toEqual([
      name,
      false
    ])
})

test.each([
  ['PETSTORE_OUTPUT', 'xml', 'output'],
  ['PETSTORE_TIMEOUT', '-1', 'timeout'],
  ['PETSTORE_RETRIES', 'many', 'retries']
] as const)('a wrong %s is an error only when its setting is read', (name, value, setting) => {
  const settings = settingsOf({ env: { [name]: value } })
  const failure = { code: 'usage', hint: `unset ${name}` }
  expect(() => settings.value(setting)).toThrow(expect.objectContaining(failure))
  expect(settings.value('env')).toBe('production')
})

describe('read-only', () => {
  const marked: SavedState = { environments: { staging: { readOnly: true } } }
  test.each([
    ['staging', '', "'staging' is set --read-only"],
    ['production', '', undefined],
    ['production', 'false', undefined],
    ['production', '1', 'PETSTORE_READ_ONLY is set'],
    ['local', 'yes', 'PETSTORE_READ_ONLY is set']
  ])('%s with PETSTORE_READ_ONLY=%j: %s', (environment, value, reason) => {
    const settings = settingsOf({ state: marked, env: { PETSTORE_READ_ONLY: value } })
    expect(settings.environmentNamed(environment).readOnlyReason).toBe(reason)
  })
})

describe('idempotent', () => {
  const [baseUrl, messagesUrl] = ['https://a.example/v1', 'https://m.example']
  const production = { baseUrl, messagesUrl, idempotent: true } as const
  const marked: SavedState = {
    environments: { production, demo: { baseUrl, idempotent: true } }
  }
  test.each([
    ['local', {}, true],
    ['demo', {}, true],
    ['staging', {}, false],
    ['production', {}, true],
    ['production', { PETSTORE_BASE_URL: 'https://a.example/v2' }, true],
    ['production', { PETSTORE_BASE_URL: 'https://b.example/v1' }, false],
    ['production', { PETSTORE_MESSAGES_URL: 'https://b.example' }, false]
  ])('%s with %j: %s', (environment, env, isIdempotent) => {
    expect(settingsOf({ state: marked, env }).environmentNamed(environment).isIdempotent).toBe(
      isIdempotent
    )
  })
})

describe('the environments', () => {
  const staging = { baseUrl: 'https://s.example', apiKey: 'saved' }
  const local = { apiKey: 'local-key' }
  const saved: SavedState = { environment: 'staging', environments: { demo: {}, staging, local } }
  const env = { PETSTORE_BASE_URL: 'https://v.example', PETSTORE_API_KEY: 'given' }

  test.each([
    ['staging', 'staging', 'https://v.example', 'given'],
    ['staging', 'production', undefined, undefined],
    ['local', 'local', undefined, 'local-key']
  ])(
    'variables apply to the selected one, but not to local: %s, %s',
    (selected, name, url, key) => {
      const settings = settingsOf({ state: saved, env, flags: { env: selected } })
      const { baseUrl, apiKey } = settings.environmentNamed(name)
      expect([baseUrl?.value, apiKey?.value]).toEqual([url, key])
    }
  )

  test.each<[Sources, string]>([
    [{ flags: { env: 'nowhere' } }, "'nowhere'"],
    [{ env: { PETSTORE_ENV: 'nowhere' } }, "'nowhere' (from PETSTORE_ENV)"],
    [{ state: { environment: 'nowhere' } }, "'nowhere' (from the config file)"]
  ])('%j: an unknown one is a usage error, and the list still works', (sources, source) => {
    const settings = settingsOf(sources)
    expect(() => settings.endpoint('pets')).toThrow(
      expect.objectContaining({
        code: 'usage',
        message: `no environment is named ${source}`,
        hint: 'petstore env list'
      })
    )
    expect(settings.environments()).toHaveLength(3)
  })
})

describe('an endpoint', () => {
  const production = {
    baseUrl: 'https://api.example/v1/',
    messagesUrl: 'https://messages.example',
    apiKey: 'saved',
    keyOrigins: ['https://api.example']
  }
  const saved: SavedState = { environments: { production } }
  const elsewhere = { PETSTORE_BASE_URL: 'https://v.example/v1' }

  test.each([
    [{}, 'https://api.example/v1', 'saved'],
    [{ ...elsewhere, PETSTORE_API_KEY: 'given\n' }, 'https://v.example/v1', 'given'],
    [{ PETSTORE_BASE_URL: 'https://API.example:443/v2' }, 'https://api.example/v2', 'saved']
  ])('with %j is %s with the key %s', (env, url, key) => {
    expect(settingsOf({ state: saved, env }).endpoint('pets')).toMatchObject({ url, key })
  })

  const login = 'petstore auth login --env production'
  const setUp = `${login} --base-url https://HOST/v1`
  const noKey = { PETSTORE_BASE_URL: 'https://v.example/v1', PETSTORE_API_KEY: '' }
  test.each<[Sources, 'pets' | 'messages', string, string, string | undefined]>([
    [
      {},
      'pets',
      'local',
      "no base URL is set for 'production' or given in PETSTORE_BASE_URL",
      setUp
    ],
    [
      { env: noKey },
      'messages',
      'local',
      'no messages URL is set',
      'petstore env set production --messages-url https://HOST'
    ],
    [{ env: noKey }, 'pets', 'auth', 'no API key', login],
    [{ state: saved, env: elsewhere }, 'pets', 'auth', 'is not sent', 'unset PETSTORE_BASE_URL'],
    [{ state: saved }, 'messages', 'auth', 'is not sent', login],
    [
      { state: saved, env: { PETSTORE_API_KEY: 'a b' } },
      'pets',
      'auth',
      'PETSTORE_API_KEY',
      undefined
    ],
    [{ env: { PETSTORE_BASE_URL: 'v.example' } }, 'pets', 'local', 'PETSTORE_BASE_URL', undefined]
  ])('of %j for %s is the error %s: %s', (sources, service, code, words, hint) => {
    expect(() => settingsOf(sources).endpoint(service)).toThrow(
      expect.objectContaining({ code, message: expect.stringContaining(words), hint })
    )
  })

  test.each(['', '0', 'true', ' 1'])('is no plain http with PETSTORE_ALLOW_HTTP=%j', value => {
    const plain = { PETSTORE_BASE_URL: 'http://v.example', PETSTORE_API_KEY: 'k' }
    const settings = (allowed: string) =>
      settingsOf({ env: { ...plain, PETSTORE_ALLOW_HTTP: allowed } })
    expect(() => settings(value).endpoint('pets')).toThrow('set PETSTORE_ALLOW_HTTP=1')
    expect(settings('1').endpoint('pets').url).toBe('http://v.example')
  })
})
