import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
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
  readonly milliseconds: number | null
}

async function examine(options: Parameters<typeof runCli>[1], argv: readonly string[] = []) {
  const { code, stdout, stderr } = await runCli(['doctor', ...argv], options)
  const checks: Check[] = JSON.parse(stdout)
  for (const text of [stdout, stderr]) {
    expect(text).not.toContain(key)
    expect(text).not.toContain(password)
  }
  return { code, stderr, checks, byName: Object.fromEntries(checks.map((check) => [check.check, check])) }
}

const at = (server: RecordingServer) => ({
  PETSTORE_API_KEY: key,
  PETSTORE_BASE_URL: `${server.url}/v1`,
  PETSTORE_MESSAGES_URL: server.url,
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
  test('passes every check', async () => {
    const { code, stderr, checks, byName } = await examine({}, ['--env', 'local'])
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(checks.map(({ state }) => state)).toEqual(checks.map(() => 'ok'))
    expect(byName.local?.milliseconds).toBeGreaterThanOrEqual(0)
    expect(byName.petstore?.detail).toBe(manifest.version)
    expect(byName.node?.detail).toContain(process.versions.node)
    expect(byName.env?.detail).toBe('local (--env)')
    expect(byName.timeout?.detail).toBe('30 (default)')
  })

  test('works with a broken config file, which is reported and left unchanged', async () => {
    const { home, file } = homeWith(`{"apiKey":"${key}"`)
    const { code, stderr, byName } = await examine({ home }, ['--env', 'local'])
    expect(code).toBe(9)
    expect(byName.config).toMatchObject({ state: 'problem', advice: `mv -i ${file} ${file}.old` })
    expect(byName.local?.state).toBe('ok')
    expect(JSON.parse(stderr).error.message).toContain(file)
    expect(readFileSync(file, 'utf8')).toBe(`{"apiKey":"${key}"`)
  })

  test('is a problem with advice if its data cannot be read', async () => {
    const { home, file } = homeWith('{}')
    const data = join(file, '..', 'local.db')
    writeFileSync(data, 'no database', { mode: 0o600 })
    const { code, byName } = await examine({ home }, ['--env', 'local'])
    expect(code).toBe(9)
    expect(byName.local).toMatchObject({
      state: 'problem',
      detail: expect.stringContaining(data),
      advice: expect.stringContaining('mv '),
    })
  })

  test('works without a home directory', async () => {
    const { code, byName } = await examine({ home: '' }, ['--env', 'local'])
    expect(code).toBe(0)
    expect(byName.config).toMatchObject({ state: 'warning', advice: expect.stringContaining('PETSTORE_CONFIG_DIR') })
  })
})

describe('a service', () => {
  test('that replies: every step has a time, and the key and the clock are ok', async () => {
    const server = await recordingServer([{ json: [] }])
    const { code, stderr, byName } = await examine({ env: at(server) })
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    for (const step of ['dns', 'tcp', 'http']) {
      expect(byName[step]).toMatchObject({ state: 'ok', milliseconds: expect.any(Number) })
    }
    expect(byName.tls).toMatchObject({ state: 'skipped', detail: 'plain http' })
    expect(byName.key).toMatchObject({
      state: 'ok',
      detail: expect.stringMatching(/fingerprint [0-9a-f]{8}\) is accepted/),
    })
    expect(byName.clock).toMatchObject({ state: 'ok' })
    expect(byName.messages).toMatchObject({ state: 'ok' })
    expect(server.requests).toMatchObject([{ method: 'GET', path: '/v1/pets?limit=1' }])
  })

  test.each<[what: string, answer: Answer, code: number, problem: string]>([
    ['refuses the key, and repeats it', { status: 401, json: { code: key, message: key, status: 401 } }, 4, 'key'],
    ['fails', { status: 500, json: { code: key, message: key, status: 500 } }, 7, 'http'],
    ['is busy', { status: 503, headers: { 'retry-after': '1' } }, 7, 'http'],
    ['redirects', { status: 302, headers: { location: `https://pets.example/${key}` } }, 7, 'http'],
    ['sends an HTML page', { body: `<h1>${key}</h1>` }, 7, 'http'],
    ['replies with 404', { status: 404, json: { code: 'x', message: key, status: 404 } }, 5, 'http'],
  ])('that %s', async (_what, answer, expected, name) => {
    const server = await recordingServer([answer])
    const { code, stderr, byName } = await examine({ env: at(server) })
    expect(code).toBe(expected)
    expect(byName[name]).toMatchObject({ state: 'problem', advice: expect.any(String) })
    expect(JSON.parse(stderr).error).toMatchObject({ exitCode: expected, hint: byName[name]?.advice })
    expect(server.requests).toHaveLength(1)
  })

  test('that refuses the connection', async () => {
    const server = await recordingServer([])
    await server.close()
    const { code, byName } = await examine({ env: at(server) })
    expect(code).toBe(6)
    expect(byName.dns?.state).toBe('ok')
    expect(byName.tcp).toMatchObject({ state: 'warning', detail: 'failed: ECONNREFUSED' })
    expect(byName.http?.state).toBe('problem')
    expect([byName.tls, byName.key, byName.clock].map((check) => check?.state)).toEqual([
      'skipped',
      'skipped',
      'skipped',
    ])
  })

  test('whose name does not exist', async () => {
    const env = { PETSTORE_API_KEY: key, PETSTORE_BASE_URL: 'https://pets.invalid/v1' }
    const { code, byName } = await examine({ env })
    expect(code).toBe(6)
    expect(byName.dns).toMatchObject({
      state: 'warning',
      detail: expect.stringMatching(/^failed: E(NOTFOUND|AI_AGAIN)/),
    })
    expect(byName.tcp?.state).toBe('skipped')
  })

  test('without TLS at an https URL', async () => {
    const server = await recordingServer([])
    const env = { ...at(server), PETSTORE_BASE_URL: server.url.replace('http:', 'https:') }
    const { code, byName } = await examine({ env }, ['--timeout', '5'])
    expect(code).toBe(6)
    expect(byName.tcp?.state).toBe('ok')
    expect(byName.tls).toMatchObject({ state: 'warning', detail: expect.stringContaining('failed: ') })
  })

  test('behind a proxy: the steps show the connection to the proxy', async () => {
    const proxy = await recordingServer([])
    const env = { ...at(proxy), PETSTORE_BASE_URL: 'http://pets.invalid/v1', PETSTORE_ALLOW_HTTP: '1' }
    const { code, byName } = await examine({
      env: { ...env, HTTP_PROXY: proxy.url.replace('//', `//me:${password}@`) },
    })
    expect(code).toBe(7)
    expect(byName.dns).toMatchObject({ state: 'ok', detail: '127.0.0.1 (the proxy of HTTP_PROXY)' })
    expect(byName.tcp).toMatchObject({ state: 'ok', detail: expect.stringContaining(`port ${proxy.port}`) })
    expect(byName.http?.state).toBe('problem')
  })

  test('behind a proxy that is not valid', async () => {
    const env = { PETSTORE_API_KEY: key, PETSTORE_BASE_URL: 'https://pets.invalid', HTTPS_PROXY: 'socks5://a.example' }
    const { code, byName } = await examine({ env })
    expect(code).toBe(9)
    expect(byName.service).toMatchObject({ state: 'problem', advice: 'unset HTTPS_PROXY' })
  })

  test('that sends no reply is abandoned at the time limit', async () => {
    const server = await recordingServer(() => undefined)
    const { code, byName } = await examine({ env: at(server) }, ['--timeout', '0.3'])
    expect(code).toBe(6)
    expect(byName.http).toMatchObject({ state: 'problem', detail: expect.stringContaining('0.3') })
  })

  test.each([
    [3_600_000, /^3\d\d\d s ahead/],
    [-3_600_000, /^3\d\d\d s behind/],
  ])('whose clock is %i ms off', async (milliseconds, words) => {
    const server = await recordingServer([{ json: [] }])
    const { code, byName } = await examine({ env: at(server), now: () => new Date(Date.now() + milliseconds) })
    expect(code).toBe(0)
    expect(byName.clock).toMatchObject({ state: 'warning', detail: expect.stringMatching(words) })
  })

  test('gets no request and no connection with --dry-run', async () => {
    const server = await recordingServer([])
    const run = await runCli(['doctor', '--dry-run'], { env: at(server) })
    expect(run).toMatchObject({ code: 0, stdout: expect.stringMatching(/^curl .*\/pets\?limit=1'\n$/) })
    expect(server.connections()).toBe(0)
  })
})

describe('a problem', () => {
  test('nothing is configured: one problem, and no skipped steps', async () => {
    const { code, byName } = await examine({})
    expect(code).toBe(9)
    expect(byName.service).toMatchObject({ state: 'problem', advice: expect.stringContaining('petstore env set') })
    expect(Object.values(byName).filter(({ state }) => state !== 'ok')).toHaveLength(1)
  })

  test('there is no key', async () => {
    const server = await recordingServer([])
    const { code, byName } = await examine({ env: { ...at(server), PETSTORE_API_KEY: '' } })
    expect(code).toBe(4)
    expect(byName.service).toMatchObject({ state: 'problem', advice: 'petstore auth login --env production' })
    expect(server.connections()).toBe(0)
  })

  test.each([
    ['PETSTORE_TIMEOUT', 'soon', 'timeout'],
    ['PETSTORE_RETRIES', 'many', 'retries'],
    ['PETSTORE_ENV', 'nowhere', 'env'],
  ])('a wrong %s', async (variable, value, name) => {
    const server = await recordingServer([{ json: [] }])
    const { code, byName } = await examine({ env: { ...at(server), [variable]: value } })
    expect(code).toBe(2)
    expect(byName[name]).toMatchObject({ state: 'problem', detail: expect.stringContaining(variable) })
  })

  test('the worst problem determines the exit code', async () => {
    const server = await recordingServer([{ status: 401, json: { code: 'x', message: 'x', status: 401 } }])
    const { home } = homeWith('{')
    const { code, byName } = await examine({ home, env: at(server) })
    expect([byName.config?.state, byName.key?.state]).toEqual(['problem', 'problem'])
    expect(code).toBe(9)
  })

  test('files that other users can read or change, with the commands that prevent it', async () => {
    const { home, file } = homeWith('{}')
    chmodSync(file, 0o644)
    chmodSync(join(file, '..'), 0o775)
    const journals = join(file, '..', 'journals')
    mkdirSync(journals)
    chmodSync(journals, 0o777)
    const { code, byName } = await examine({ home }, ['--env', 'local'])
    expect(code).toBe(0)
    expect(byName.config).toMatchObject({
      state: 'warning',
      detail: [
        `other users can change ${join(file, '..')} (mode 0775)`,
        `other users can read ${file} (mode 0644)`,
        `other users can change ${journals} (mode 0777)`,
      ].join('; '),
      advice: `chmod go-w ${join(file, '..')}; chmod 600 ${file}; chmod go-w ${journals}`,
    })
  })

  test('certificates that are missing or not verified', async () => {
    const missing = join(temporaryDirectory(), 'ca.pem')
    const first = await examine({ env: { NODE_EXTRA_CA_CERTS: missing } }, ['--env', 'local'])
    expect(first.byName.ca).toMatchObject({ state: 'warning', detail: expect.stringContaining(missing) })
    const second = await examine({ env: { NODE_TLS_REJECT_UNAUTHORIZED: '0' } }, ['--env', 'local'])
    expect(second.byName.ca?.state).toBe('warning')
    expect(existsSync(missing)).toBe(false)
  })

  test('proxies are shown without their logins', async () => {
    const env = { HTTPS_PROXY: `http://me:${password}@proxy.example:8080`, NO_PROXY: 'a.example' }
    const { byName } = await examine({ env }, ['--env', 'local'])
    expect(byName['https-proxy']?.detail).toBe('http://***@proxy.example:8080 (HTTPS_PROXY)')
    expect(byName['no-proxy']?.detail).toBe('a.example (NO_PROXY)')
  })
})

test('in a terminal, each check is one line, and none is truncated', async () => {
  const server = await recordingServer([{ status: 401, json: { code: 'x', message: 'no \u001b[2J', status: 401 } }])
  const { stdout } = await runCli(['doctor', '--no-color'], { env: at(server), terminal: true, columns: 40 })
  const lines = stdout.trimEnd().split('\n')
  expect(lines.length).toBeGreaterThan(20)
  for (const line of lines) expect(line).toMatch(/^[✓!✗-] [a-z0-9-]+ +\S/)
  expect(stdout).toMatch(/^✗ key .*; to do: /m)
  expect(stdout).not.toContain('\u001b')
})

test('--fields selects the columns of a table', async () => {
  const { stdout } = await runCli(['doctor', '--env', 'local', '-o', 'tsv', '--fields', 'check,state'])
  expect(stdout).toMatch(/^local\tok$/m)
  const table = await runCli(['doctor', '--env', 'local', '-o', 'table', '--fields', 'check,state'])
  expect(table.stdout).toMatch(/^check +state\n/)
})
