import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import manifest from '../../package.json' with { type: 'json' }
import { type Answer, type RecordingServer, recordingServer } from '../support/recording-server.ts'
import { runCli } from '../support/run-cli.ts'
import { temporaryDirectory } from '../support/temp.ts'

const key = 'sk_canary'
const password = 'hunter2'

interface Check {
  readonly check: string
  readonly state: string
  readonly detail: string
  readonly advice: string | null
}

async function examine(options: Parameters<typeof runCli>[1], argv: readonly string[] = []) {
  const { code, stdout, stderr } = await runCli(['doctor', ...argv], options)
  const checks: Check[] = JSON.parse(stdout)
  for (const text of [stdout, stderr]) {
    expect(text).not.toContain(key)
    expect(text).not.toContain(password)
  }
  expect(checks.length).toBeGreaterThanOrEqual(5)
  expect(checks.length).toBeLessThanOrEqual(10)
  return {
    code,
    stderr,
    checks,
    byName: Object.fromEntries(checks.map(check => [check.check, check]))
  }
}

const at = (server: RecordingServer) => ({
  PETSTORE_API_KEY: key,
  PETSTORE_BASE_URL: `${server.url}/v1`,
  PETSTORE_MESSAGES_URL: server.url
})

function homeWith(content: string): { home: string; file: string } {
  const home = temporaryDirectory()
  const directory = join(home, '.config', 'petstore')
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  const file = join(directory, 'config.json')
  writeFileSync(file, content, { mode: 0o600 })
  return { home, file }
}

describe('the local service', () => {
  test('passes every check, and settings with their default are not listed', async () => {
    const { code, stderr, checks } = await examine({}, ['--env', 'local'])
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(checks.map(({ check, state }) => [check, state])).toEqual([
      ['petstore', 'ok'],
      ['Node', 'ok'],
      ['config file', 'ok'],
      ['environment', 'ok'],
      ['local service', 'ok']
    ])
    expect(checks[0]?.detail).toBe(manifest.version)
    expect(checks[3]?.detail).toBe('local (--env)')
  })

  test('works with a broken config file, which is reported and left unchanged', async () => {
    const { home, file } = homeWith(`{"apiKey":"${key}"`)
    const { code, stderr, byName } = await examine({ home }, ['--env', 'local'])
    expect(code).toBe(9)
    expect(byName['config file']).toMatchObject({
      state: 'problem',
      advice: `mv -i ${file} ${file}.old`
    })
    expect(byName['local service']?.state).toBe('ok')
    expect(JSON.parse(stderr).error.message).toBe('1 problem found: config file')
    expect(readFileSync(file, 'utf8')).toBe(`{"apiKey":"${key}"`)
    const other = await examine({ home }, [])
    expect(other.byName.environment).toMatchObject({ state: 'skipped' })
    expect(JSON.parse(other.stderr).error.message).toBe('1 problem found: config file')
  })

  test('is a problem with advice if its data cannot be read, also if it is not in use', async () => {
    const { home, file } = homeWith('{}')
    const data = join(file, '..', 'local.db')
    writeFileSync(data, 'no database', { mode: 0o600 })
    for (const environment of ['local', 'staging']) {
      const { code, byName } = await examine({ home }, ['--env', environment])
      expect(code).toBe(9)
      expect(byName['local service']).toMatchObject({
        state: 'problem',
        detail: expect.stringContaining(data),
        advice: expect.stringContaining('mv ')
      })
    }
  })

  test('works without a home directory', async () => {
    const { code, byName } = await examine({ home: '' }, ['--env', 'local'])
    expect(code).toBe(0)
    const advice = expect.stringContaining('PETSTORE_CONFIG_DIR')
    expect(byName['config file']).toMatchObject({ state: 'warning', advice })
  })

  test('is not created if it is not in use', async () => {
    const home = temporaryDirectory()
    const { byName } = await examine({ home }, [])
    expect(byName['local service']?.state).toBe('skipped')
    expect(existsSync(join(home, '.config'))).toBe(false)
  })

  test('with a URL in a variable is a problem', async () => {
    const env = { PETSTORE_ENV: 'local', PETSTORE_BASE_URL: 'https://pets.example/v1' }
    const { code, byName } = await examine({ env })
    expect(code).toBe(2)
    expect(byName.environment).toMatchObject({
      state: 'problem',
      advice: 'unset PETSTORE_BASE_URL'
    })
  })
})

describe('a service', () => {
  test('that replies: the URLs and the key have their sources', async () => {
    const server = await recordingServer([{ json: [] }])
    const { code, stderr, checks, byName } = await examine({ env: at(server) })
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(checks.map(({ state }) => state).filter(state => state === 'problem')).toEqual([])
    const url = `${server.url}/v1`
    expect(byName.environment?.detail).toBe(
      `production (default), base URL ${url} (PETSTORE_BASE_URL)`
    )
    expect(byName['messages URL']?.detail).toBe(`${server.url} (PETSTORE_MESSAGES_URL)`)
    const which = /^the API key in PETSTORE_API_KEY \(fingerprint [0-9a-f]{8}\) is accepted$/
    expect(byName['API key']).toMatchObject({ state: 'ok', detail: expect.stringMatching(which) })
    expect(byName.request).toMatchObject({ state: 'ok' })
    expect(server.requests).toMatchObject([{ method: 'GET', path: '/v1/pets?limit=1' }])
  })

  test.each<[what: string, answer: Answer, code: number, problem: string]>([
    [
      'refuses the key, and repeats it',
      { status: 401, json: { code: key, message: key, status: 401 } },
      4,
      'API key'
    ],
    ['fails', { status: 500, json: { code: key, message: key, status: 500 } }, 7, 'request'],
    [
      'redirects',
      { status: 302, headers: { location: `https://pets.example/${key}` } },
      7,
      'request'
    ],
    ['sends an HTML page', { body: `<h1>${key}</h1>` }, 7, 'request']
  ])('that %s: its problem is printed once, with advice', async (_what, answer, expected, name) => {
    const server = await recordingServer([answer])
    const { code, stderr, byName } = await examine({ env: at(server) })
    expect(code).toBe(expected)
    const { state, detail = '', advice } = byName[name] ?? {}
    expect({ state, advice }).toEqual({ state: 'problem', advice: expect.any(String) })
    if (name === 'request') expect(detail).toMatch(/^reply: /)
    expect(JSON.parse(stderr).error).toMatchObject({
      exitCode: expected,
      message: `1 problem found: ${name}`
    })
    expect(server.requests).toHaveLength(1)
  })

  const closedPort = async () => {
    const server = await recordingServer([])
    await server.close()
    return `${server.url}/v1`
  }
  const plainPort = async () => (await recordingServer([])).url.replace('http:', 'https:')
  const proxyEnv = async () => ({
    PETSTORE_ALLOW_HTTP: '1',
    HTTP_PROXY: (await closedPort()).replace('/v1', '').replace('//', `//me:${password}@`)
  })
  test.each<
    [stage: RegExp, url: () => Promise<string>, env?: () => Promise<Record<string, string>>]
  >([
    [/^name lookup: /, async () => 'https://pets.invalid/v1'],
    [/^connection: /, closedPort],
    [/^TLS: /, plainPort],
    [/^(proxy|connection): .*proxy/, async () => 'http://pets.invalid/v1', proxyEnv]
  ])(
    'that cannot be reached: the stage is %s, with a key or without',
    async (stage, url, env = async () => ({})) => {
      const shared = { PETSTORE_BASE_URL: await url(), ...(await env()) }
      for (const PETSTORE_API_KEY of [key, '']) {
        const { code, byName } = await examine({ env: { ...shared, PETSTORE_API_KEY } }, [
          '--timeout',
          '5'
        ])
        expect(code).toBe(6)
        expect(byName.request).toMatchObject({
          state: 'problem',
          detail: expect.stringMatching(stage)
        })
        expect(byName['API key']?.state).toBe(PETSTORE_API_KEY === '' ? 'problem' : 'skipped')
      }
    }
  )

  test('that sends no reply is abandoned at the time limit', async () => {
    const server = await recordingServer(() => undefined)
    const { code, byName } = await examine({ env: at(server) }, ['--timeout', '0.3'])
    expect(code).toBe(6)
    expect(byName.request).toMatchObject({
      state: 'problem',
      detail: expect.stringContaining('0.3')
    })
  })

  test('gets no request and no connection with --dry-run', async () => {
    const server = await recordingServer([])
    const run = await runCli(['doctor', '--dry-run'], { env: at(server) })
    expect(run).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^curl .*\/pets\?limit=1'\n$/)
    })
    expect(server.connections()).toBe(0)
  })
})

describe('a problem', () => {
  test('nothing is configured: one problem, and what to do', async () => {
    const { code, byName } = await examine({})
    expect(code).toBe(9)
    const advice = 'petstore auth login --env production --base-url https://HOST/v1'
    expect(byName.environment).toMatchObject({ state: 'problem', advice })
    expect(Object.values(byName).filter(({ state }) => state === 'problem')).toHaveLength(1)
  })

  test('there is no key, though the service replies', async () => {
    const server = await recordingServer([
      { status: 401, json: { code: 'x', message: 'x', status: 401 } }
    ])
    const { code, byName } = await examine({ env: { ...at(server), PETSTORE_API_KEY: '' } })
    expect(code).toBe(4)
    expect(byName['API key']).toMatchObject({
      state: 'problem',
      advice: 'petstore auth login --env production'
    })
    expect(byName.request).toMatchObject({ state: 'ok', detail: 'the service replies with 401' })
  })

  test.each([
    ['PETSTORE_TIMEOUT', 'soon', 'request'],
    ['PETSTORE_RETRIES', 'many', 'request'],
    ['PETSTORE_ENV', 'nowhere', 'environment']
  ])('a wrong %s', async (variable, value, name) => {
    const server = await recordingServer([{ json: [] }])
    const { code, byName } = await examine({ env: { ...at(server), [variable]: value } })
    expect(code).toBe(2)
    expect(byName[name]).toMatchObject({
      state: 'problem',
      detail: expect.stringContaining(variable)
    })
  })

  test('a config file that other users can read, with the command that prevents it', async () => {
    const { home, file } = homeWith('{}')
    chmodSync(file, 0o644)
    const { code, byName } = await examine({ home }, ['--env', 'local'])
    expect(code).toBe(0)
    const detail = `${file} can be read or changed by other users (mode 0644)`
    expect(byName['config file']).toMatchObject({
      state: 'warning',
      detail,
      advice: `chmod 600 ${file}`
    })
  })

  test('an environment that does not exist, without repeating what may be a key', async () => {
    const { code, stdout } = await runCli(['-e', 'sk-live-0123456789abcdef', 'doctor'])
    expect(code).toBe(2)
    expect(stdout).toContain("no environment is named '***'")
    expect(stdout).not.toContain('sk-live')
  })

  test('a config directory without room, or one that is read-only', async () => {
    const full = await examine({ env: { PETSTORE_CONFIG_DIR: '/proc' } }, ['--env', 'local'])
    expect(full.code).toBe(9)
    expect(full.byName['config file']).toMatchObject({
      state: 'problem',
      detail: 'less than 1 MB is free in /proc',
      advice: 'df -h /proc'
    })
    const { home, file } = homeWith('{}')
    chmodSync(file, 0o600)
    chmodSync(dirname(file), 0o500)
    const { byName } = await examine({ home }, ['--env', 'local'])
    expect(byName['config file']).toMatchObject({
      state: 'warning',
      detail: `${dirname(file)} is read-only (mode 0500)`
    })
    chmodSync(dirname(file), 0o700)
  })

  test.each<[env: Record<string, string>, state: string, detail: string]>([
    [
      { NODE_EXTRA_CA_CERTS: '/missing/ca.pem' },
      'warning',
      'NODE_EXTRA_CA_CERTS=/missing/ca.pem: no certificate can be read'
    ],
    [
      { NODE_TLS_REJECT_UNAUTHORIZED: '0' },
      'warning',
      'NODE_TLS_REJECT_UNAUTHORIZED=0: no certificate is checked'
    ],
    [
      { NODE_EXTRA_CA_CERTS: '/dev/null' },
      'warning',
      'NODE_EXTRA_CA_CERTS=/dev/null: no certificate can be read'
    ],
    [
      { NODE_EXTRA_CA_CERTS: '/etc/passwd' },
      'warning',
      'NODE_EXTRA_CA_CERTS=/etc/passwd: no certificate can be read'
    ],
    [{ NODE_USE_SYSTEM_CA: '1' }, 'ok', 'NODE_USE_SYSTEM_CA=1']
  ])('certificates: %j', async (env, state, detail) => {
    const server = await recordingServer([{ json: [] }])
    expect((await examine({ env: { ...at(server), ...env } })).byName.certificates).toMatchObject({
      state,
      detail
    })
  })

  test('proxies are shown without their logins, and an invalid one with what to do', async () => {
    const server = await recordingServer([{ json: [] }, { json: [] }])
    const env = { HTTPS_PROXY: `http://me:${password}@proxy.example:8080`, NO_PROXY: 'a.example' }
    const { byName } = await examine({ env: { ...at(server), ...env } })
    const detail =
      'HTTPS_PROXY=http://***@proxy.example:8080, NO_PROXY=a.example; not used for the base URL'
    expect(byName.proxy).toMatchObject({ state: 'ok', detail })
    const invalid = { PETSTORE_BASE_URL: 'https://pets.invalid', HTTPS_PROXY: 'socks5://a.example' }
    const second = await examine({ env: { ...at(server), ...invalid } })
    expect(second.byName.proxy).toMatchObject({ state: 'problem', advice: 'unset HTTPS_PROXY' })
  })
})

describe('as a table', () => {
  const env = {
    PETSTORE_API_KEY: key,
    PETSTORE_BASE_URL: 'http://127.0.0.1:9/\u001b[2J',
    PETSTORE_MESSAGES_URL: 'http://127.0.0.1:9'
  }

  test('in a pipe, each check is one line, with what to do at its end', async () => {
    const { stdout } = await runCli(['doctor', '-o', 'table', '--env', 'nope'], { env })
    for (const line of stdout.trimEnd().split('\n')) expect(line).toMatch(/^[✓!✗-] [A-Za-z ]+ +\S/)
    expect(stdout).toMatch(/^✗ environment .*; to do: petstore /m)
    expect(stdout).not.toContain('\u001b')
  })

  test('in a terminal, no line but a command is wider', async () => {
    const { stdout } = await runCli(['doctor', '--no-color'], { env, terminal: true, columns: 40 })
    const lines = stdout.trimEnd().split('\n')
    expect(lines.filter(line => line.length > 40).join()).toMatch(/^( +to do: petstore .*)?$/)
    expect(lines.filter(line => !/^([✓!✗-] [A-Za-z ]+| +) {2}\S/.test(line))).toEqual([])
    expect(stdout).not.toContain('\u001b')
  })
})

test('--fields selects the columns of a table', async () => {
  const table = await runCli(['doctor', '--env', 'local', '-o', 'table', '--fields', 'check,state'])
  expect(table.stdout).toMatch(/^check +state\n/)
})
