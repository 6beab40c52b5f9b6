import { describe, expect, test } from 'vitest'
import type { SavedState } from '../../src/settings/saved-state.ts'
import { type PartialSettings, Settings } from '../../src/settings/settings.ts'
import type { SettingName } from '../../src/settings/table.ts'
import { hostWith } from './host.ts'

const configPath = '/config/config.json'
const file = { kind: 'file', name: configPath }
const byDefault = { kind: 'default' }
const flag = (name: string) => ({ kind: 'flag', name })
const variable = (name: string) => ({ kind: 'variable', name })

interface Sources {
  flags?: PartialSettings
  env?: Record<string, string>
  state?: SavedState
  isTerminal?: boolean
}

function settingsOf({ flags = {}, env = {}, state = {}, isTerminal = false }: Sources): Settings {
  const terminal = { stdin: isTerminal, stdout: isTerminal, stderr: isTerminal }
  return new Settings({ host: { ...hostWith(env), terminal }, flags, saved: state, configPath })
}

const staging: SavedState = { environment: 'staging' }

describe('a flag overrides a variable, which overrides a saved value, which overrides the default', () => {
  const cases: [SettingName, Sources, unknown, object][] = [
    [
      'env',
      { flags: { env: 'a' }, env: { PETSTORE_ENV: 'b' }, state: staging },
      'a',
      flag('--env')
    ],
    ['env', { env: { PETSTORE_ENV: 'b' }, state: staging }, 'b', variable('PETSTORE_ENV')],
    ['env', { env: { PETSTORE_ENV: '' }, state: staging }, 'staging', file],
    ['env', {}, 'production', byDefault],

    [
      'output',
      { flags: { output: 'csv' }, env: { PETSTORE_OUTPUT: 'tsv' }, state: saved() },
      'csv',
      flag('--output')
    ],
    [
      'output',
      { env: { PETSTORE_OUTPUT: 'tsv' }, state: saved() },
      'tsv',
      variable('PETSTORE_OUTPUT')
    ],
    ['output', { env: { PETSTORE_OUTPUT: '' }, state: saved(), isTerminal: true }, 'ndjson', file],
    ['output', {}, 'json', byDefault],
    ['output', { isTerminal: true }, 'table', byDefault],
    // A flag overrides a wrong variable.
    [
      'output',
      { flags: { output: 'csv' }, env: { PETSTORE_OUTPUT: 'xml' } },
      'csv',
      flag('--output')
    ],

    [
      'timeout',
      { flags: { timeout: 1 }, env: { PETSTORE_TIMEOUT: '2' }, state: saved() },
      1,
      flag('--timeout')
    ],
    [
      'timeout',
      { env: { PETSTORE_TIMEOUT: '2.5' }, state: saved() },
      2.5,
      variable('PETSTORE_TIMEOUT')
    ],
    ['timeout', { env: { PETSTORE_TIMEOUT: '' }, state: saved() }, 7, file],
    ['timeout', {}, 30, byDefault],

    [
      'retries',
      { flags: { retries: 0 }, env: { PETSTORE_RETRIES: '2' }, state: saved() },
      0,
      flag('--retries')
    ],
    [
      'retries',
      { env: { PETSTORE_RETRIES: '0' }, state: saved() },
      0,
      variable('PETSTORE_RETRIES')
    ],
    ['retries', { env: { PETSTORE_RETRIES: '' }, state: saved() }, 9, file],
    ['retries', {}, 3, byDefault],

    [
      'color',
      { flags: { color: 'auto' }, env: { NO_COLOR: '1' }, state: saved() },
      'auto',
      flag('--color')
    ],
    ['color', { flags: { color: 'never' }, env: { FORCE_COLOR: '1' } }, 'never', flag('--color')],
    [
      'color',
      { env: { NO_COLOR: '1', FORCE_COLOR: '1' }, state: saved() },
      'never',
      variable('NO_COLOR')
    ],
    ['color', { env: { NO_COLOR: '0' } }, 'never', variable('NO_COLOR')],
    [
      'color',
      { env: { FORCE_COLOR: '1' }, state: { preferences: { color: 'never' } } },
      'always',
      variable('FORCE_COLOR')
    ],
    ['color', { env: { NO_COLOR: '', FORCE_COLOR: '' }, state: saved() }, 'always', file],
    ['color', { env: { FORCE_COLOR: '0' } }, 'never', variable('FORCE_COLOR')],
    ['color', { env: { FORCE_COLOR: 'false' } }, 'never', variable('FORCE_COLOR')],

    [
      'input',
      { flags: { input: false }, env: { CI: 'true' }, isTerminal: true },
      false,
      flag('--no-input')
    ],
    ['input', { env: { CI: 'true' }, isTerminal: true }, false, variable('CI')],
    ['input', { env: { CODEX_CI: '1' }, isTerminal: true }, false, variable('CODEX_CI')],
    ['input', { env: { CLAUDECODE: '0' }, isTerminal: true }, true, byDefault],
    ['input', { env: { CI: '' }, isTerminal: true }, true, byDefault],
    ['input', { env: { CI: '0' }, isTerminal: true }, true, byDefault],
    ['input', { env: { CI: 'false' }, isTerminal: true }, true, byDefault],
    ['input', {}, false, byDefault],

    ['quiet', { flags: { quiet: true } }, true, flag('--quiet')],
    ['quiet', {}, false, byDefault],
    // This is not a preference, so the config file cannot set it.
    ['quiet', { state: { preferences: { quiet: true } as object } }, false, byDefault],
    [
      'verbose',
      { flags: { verbose: true }, env: { PETSTORE_DEBUG: '0' } },
      true,
      flag('--verbose')
    ],
    ['verbose', { env: { PETSTORE_DEBUG: '1' } }, true, variable('PETSTORE_DEBUG')],
    ['verbose', { env: { PETSTORE_DEBUG: '' } }, false, byDefault],

    [
      'config-dir',
      { env: { XDG_CONFIG_HOME: '/shared' } },
      '/shared/petstore',
      variable('XDG_CONFIG_HOME')
    ],
    [
      'config-dir',
      { env: { PETSTORE_CONFIG_DIR: '/here' } },
      '/here',
      variable('PETSTORE_CONFIG_DIR')
    ]
  ]
  test.each(cases)('%s of %j', (name, sources, value, origin) => {
    expect(settingsOf(sources).resolve(name)).toEqual({ value, origin })
  })
})

test('there are no prompts if stdin or stderr is not a terminal', () => {
  for (const missing of ['stdin', 'stderr'] as const) {
    const terminal = { stdin: true, stdout: true, stderr: true, [missing]: false }
    const settings = new Settings({
      host: { ...hostWith({}), terminal },
      flags: {},
      saved: {},
      configPath
    })
    expect(settings.value('input')).toBe(false)
  }
})

test.each([
  ['PETSTORE_OUTPUT', 'xml', 'output'],
  ['PETSTORE_TIMEOUT', '-1', 'timeout'],
  ['PETSTORE_RETRIES', 'many', 'retries']
] as const)('a wrong %s is an error only when its setting is read', (name, value, setting) => {
  const settings = settingsOf({ env: { [name]: value } })
  expect(() => settings.value(setting)).toThrow(
    expect.objectContaining({
      code: 'usage',
      message: expect.stringContaining(name),
      hint: `unset ${name}`
    })
  )
  expect(settings.value('env')).toBe('production')
})

describe('the environments', () => {
  const state: SavedState = {
    environment: 'staging',
    environments: {
      demo: {},
      staging: {
        baseUrl: 'https://s.example',
        messagesUrl: 'https://m.example',
        apiKey: 'saved',
        keyOrigins: []
      },
      local: { apiKey: 'local-key' },
      archive: {}
    }
  }
  const env = { PETSTORE_BASE_URL: 'https://v.example', PETSTORE_API_KEY: 'given' }

  test('are the built-in ones and those in the config file', () => {
    expect(
      settingsOf({ state })
        .environments()
        .map(({ name, isSelected }) => [name, isSelected])
    ).toEqual([
      ['production', false],
      ['staging', true],
      ['local', false],
      ['archive', false],
      ['demo', false]
    ])
  })

  test('variables apply only to the selected one', () => {
    const settings = settingsOf({ state, env })
    expect(settings.environmentNamed('staging')).toMatchObject({
      baseUrl: { value: 'https://v.example', origin: variable('PETSTORE_BASE_URL') },
      messagesUrl: { value: 'https://m.example', origin: file },
      apiKey: { value: 'given', origin: variable('PETSTORE_API_KEY') }
    })
    expect(settings.environmentNamed('production')).toMatchObject({
      baseUrl: undefined,
      apiKey: undefined
    })
    const elsewhere = settingsOf({ state, env, flags: { env: 'production' } })
    expect(elsewhere.environmentNamed('staging').apiKey).toEqual({ value: 'saved', origin: file })
  })

  test('no variable applies to local', () => {
    expect(
      settingsOf({ state, env, flags: { env: 'local' } }).environmentNamed('local')
    ).toMatchObject({
      baseUrl: undefined,
      apiKey: { value: 'local-key', origin: file }
    })
  })

  test.each([
    [{ flags: { env: 'nowhere' } }, "'nowhere'"],
    [{ env: { PETSTORE_ENV: 'nowhere' } }, "'nowhere' (from PETSTORE_ENV)"],
    [{ state: { environment: 'nowhere' } }, `'nowhere' (the default in ${configPath})`],
    [{ flags: { env: 'constructor' } }, "'constructor'"],
    [{ flags: { env: '__proto__' } }, "'__proto__'"]
  ])(
    'selecting one that does not exist is a usage error, but the list still works: %j',
    (sources, nameAndSource) => {
      const settings = settingsOf(sources)
      expect(() => settings.endpoint('pets')).toThrow(
        expect.objectContaining({
          code: 'usage',
          message: `no environment is named ${nameAndSource}`,
          hint: 'petstore env list'
        })
      )
      expect(settings.environments()).toHaveLength(3)
    }
  )
})

describe('an endpoint', () => {
  const state: SavedState = {
    environments: {
      production: {
        baseUrl: 'https://api.example/v1/',
        messagesUrl: 'https://messages.example',
        apiKey: 'saved',
        keyOrigins: ['https://api.example']
      }
    }
  }

  test('has the saved URL and the key that was saved for its origin', () => {
    expect(settingsOf({ state }).endpoint('pets')).toEqual({
      url: 'https://api.example/v1',
      key: 'saved',
      describeKey: "the API key saved for 'production'",
      environment: 'production',
      urlVariable: undefined,
      keyVariable: undefined
    })
  })

  test('prefers the URL and the key in variables', () => {
    const env = {
      PETSTORE_BASE_URL: 'https://v.example/v1',
      PETSTORE_API_KEY: 'given\n',
      CI: 'true'
    }
    expect(settingsOf({ state, env }).endpoint('pets')).toEqual({
      url: 'https://v.example/v1',
      key: 'given',
      describeKey: 'the API key in PETSTORE_API_KEY',
      environment: 'production',
      urlVariable: 'PETSTORE_BASE_URL',
      keyVariable: 'PETSTORE_API_KEY'
    })
  })

  test('with a URL from a variable has the saved key if the origin is the same', () => {
    const env = { PETSTORE_BASE_URL: 'https://API.example:443/v2' }
    expect(settingsOf({ state, env }).endpoint('pets')).toMatchObject({
      url: 'https://api.example/v2',
      key: 'saved'
    })
  })

  test.each([
    'https://evil.example/v1',
    'https://api.example.evil.example',
    'https://api.example:8443/v1',
    'http://127.0.0.1:4010',
    'https://api.example.'
  ])('at another origin (%s) does not get the saved key', address => {
    const settings = settingsOf({ state, env: { PETSTORE_BASE_URL: address } })
    expect(() => settings.endpoint('pets')).toThrow(
      expect.objectContaining({
        code: 'auth',
        message: expect.stringContaining('PETSTORE_API_KEY'),
        hint: 'unset PETSTORE_BASE_URL'
      })
    )
  })

  test('with a saved URL that was not saved with the key does not get it either', () => {
    expect(() => settingsOf({ state }).endpoint('messages')).toThrow(
      expect.objectContaining({ code: 'auth', hint: 'petstore auth login --env production' })
    )
  })

  test.each([
    ['pets', 'base URL', '', 'petstore auth login --env staging --base-url https://HOST/v1'],
    [
      'messages',
      'messages URL',
      '',
      'petstore auth login --env staging --base-url https://HOST/v1'
    ],
    [
      'messages',
      'messages URL',
      'https://a.example/v1',
      'petstore env set staging --messages-url https://HOST'
    ]
  ] as const)(
    'for %s without a URL is an error with the command that sets the URL',
    (service, words, url, hint) => {
      const env = { PETSTORE_API_KEY: 'given', PETSTORE_BASE_URL: url }
      const settings = settingsOf({ flags: { env: 'staging' }, env })
      expect(() => settings.endpoint(service)).toThrow(
        expect.objectContaining({
          code: 'local',
          message: `no ${words} is set for 'staging'; --env local works without`,
          hint
        })
      )
    }
  )

  test('may be plain http to another machine with PETSTORE_ALLOW_HTTP=1', () => {
    const env = {
      PETSTORE_BASE_URL: 'http://v.example/v1',
      PETSTORE_API_KEY: 'given',
      PETSTORE_ALLOW_HTTP: '1'
    }
    expect(settingsOf({ env }).endpoint('pets')).toMatchObject({ url: 'http://v.example/v1' })
  })

  test.each(['', '0', 'true', 'yes', '11', ' 1'])(
    'may not be plain http to another machine with PETSTORE_ALLOW_HTTP=%j',
    allowed => {
      const env = {
        PETSTORE_BASE_URL: 'http://v.example/v1',
        PETSTORE_API_KEY: 'given',
        PETSTORE_ALLOW_HTTP: allowed
      }
      expect(() => settingsOf({ env }).endpoint('pets')).toThrow(
        expect.objectContaining({
          code: 'local',
          message: expect.stringContaining('set PETSTORE_ALLOW_HTTP=1')
        })
      )
    }
  )

  test('without a key is an error with the command that logs in', () => {
    const settings = settingsOf({
      env: { PETSTORE_BASE_URL: 'https://v.example/v1', PETSTORE_API_KEY: '' }
    })
    expect(() => settings.endpoint('pets')).toThrow(
      expect.objectContaining({ code: 'auth', hint: 'petstore auth login --env production' })
    )
  })

  test.each([
    [{ PETSTORE_BASE_URL: 'http://v.example' }, 'local', 'PETSTORE_BASE_URL'],
    [{ PETSTORE_BASE_URL: 'https://user:pass@v.example' }, 'local', 'PETSTORE_BASE_URL'],
    [{ PETSTORE_BASE_URL: 'v.example' }, 'local', 'PETSTORE_BASE_URL'],
    [{ PETSTORE_API_KEY: 'a b' }, 'auth', 'PETSTORE_API_KEY'],
    [{ PETSTORE_API_KEY: '\n' }, 'auth', 'PETSTORE_API_KEY']
  ])('with an invalid variable is an error that names the variable: %j', (env, code, name) => {
    expect(() => settingsOf({ state, env }).endpoint('pets')).toThrow(
      expect.objectContaining({ code, message: expect.stringContaining(name) })
    )
  })
})

function saved(): SavedState {
  return { preferences: { output: 'ndjson', timeout: 7, retries: 9, color: 'always' } }
}

test('a relative XDG_CONFIG_HOME is ignored, and is not named as the source', () => {
  const host = { ...hostWith({ XDG_CONFIG_HOME: 'relative' }, '/home/me') }
  const settings = new Settings({ host, flags: {}, saved: {}, configPath })
  expect(settings.resolve('config-dir')).toEqual({
    value: '/home/me/.config/petstore',
    origin: byDefault
  })
})
