import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { type Answer, recordingServer } from '../support/recording-server.ts'
import { runCli } from '../support/run-cli.ts'
import { temporaryDirectory } from '../support/temp.ts'

const key = 'sk_test_12345678'
const refusal: Answer = {
  status: 401,
  json: { code: 'unauthorized', message: `no such key: ${key}`, status: 401 }
}
const accepting = () =>
  recordingServer(({ headers }) =>
    headers.authorization === `Bearer ${key}` ? { json: [] } : refusal
  )

const configOf = (home: string) => join(home, '.config', 'petstore', 'config.json')
const login = (url: string) => ['auth', 'login', '--base-url', url]

describe('auth login', () => {
  test('tests the key and saves it so that only its owner can read it', async () => {
    const server = await accepting()
    const home = temporaryDirectory()
    const run = await runCli(login(server.url), { home, stdin: `${key}\n` })
    expect(run).toMatchObject({ code: 0, stdout: '' })
    expect(run.stderr).not.toContain(key)
    expect(server.requests).toMatchObject([{ method: 'GET', path: '/pets?limit=1' }])
    expect(statSync(configOf(home)).mode & 0o777).toBe(0o600)
    expect(statSync(join(configOf(home), '..')).mode & 0o777).toBe(0o700)
    expect((await runCli(['auth', 'token'], { home })).stdout).toBe(`${key}\n`)
    expect((await runCli(['pets', 'list'], { home })).stdout).toBe('[]\n')
  })

  test.each(['--base-url', '--messages-url'])(
    'refuses an empty %s, and does not send the key',
    async option => {
      const server = await accepting()
      const home = temporaryDirectory()
      await runCli(
        ['env', 'set', 'production', '--base-url', server.url, '--messages-url', server.url],
        { home }
      )
      const run = await runCli(['auth', 'login', option, ''], { home, stdin: key })
      expect(run).toMatchObject({ code: 2, stdout: '' })
      expect(JSON.parse(run.stderr).error.message).toBe(
        `${option} must be a URL such as https://HOST/v1`
      )
      expect(server.requests).toHaveLength(0)
    }
  )

  test('creates an environment that does not exist, also if its URL comes from a variable', async () => {
    const server = await accepting()
    const home = temporaryDirectory()
    const run = await runCli(['auth', 'login', '--env', 'dev'], {
      home,
      stdin: key,
      env: { PETSTORE_BASE_URL: server.url }
    })
    expect(run).toEqual({ code: 0, stdout: '', stderr: '' })
    const json = await runCli(['auth', 'login', '--env', 'dev', '--json'], { home, stdin: key })
    expect(JSON.parse(json.stdout)).toMatchObject({
      environment: 'dev',
      tested: true,
      defaultEnvironment: 'dev'
    })
    expect((await runCli(['pets', 'list', '--env', 'dev'], { home })).stdout).toBe('[]\n')
    const invalid = await runCli([...login(server.url), '--env', 'bad name'], { home, stdin: key })
    expect(invalid).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("invalid environment name 'bad name'")
    })
  })

  test('saves nothing if the key is refused, not even URLs', async () => {
    const server = await accepting()
    const home = temporaryDirectory()
    const run = await runCli(login(server.url), { home, stdin: 'sk_wrong_12345678' })
    expect(run).toMatchObject({ code: 4, stdout: '' })
    expect(run.stderr).not.toContain('sk_wrong')
    expect(() => readFileSync(configOf(home))).toThrow('ENOENT')
  })

  test('if the key is refused, the hint is the same login with its URLs', async () => {
    const server = await accepting()
    const run = await runCli([...login(`${server.url}/a'b`), '--messages-url', server.url], {
      stdin: 'sk_wrong_12345678'
    })
    expect(JSON.parse(run.stderr.trimEnd().split('\n').at(-1) ?? '').error.hint).toBe(
      `petstore auth login --base-url '${server.url}/a'\\''b' --messages-url ${server.url} --env production`
    )
  })

  test('if the key is refused, the hint leaves out a URL that is already saved', async () => {
    const server = await accepting()
    const home = temporaryDirectory()
    await runCli(['env', 'set', 'mine', '--base-url', server.url], { home })
    const run = await runCli(['auth', 'login', '--env', 'mine'], {
      home,
      stdin: 'sk_wrong_12345678'
    })
    expect(JSON.parse(run.stderr).error.hint).toBe('petstore auth login --env mine')
  })

  test('saves a key untested with --no-verify', async () => {
    const server = await accepting()
    const home = temporaryDirectory()
    const run = await runCli([...login(server.url), '--no-verify'], { home, stdin: 'sk_untried' })
    expect(run.code).toBe(0)
    expect(server.requests).toHaveLength(0)
    expect((await runCli(['auth', 'token'], { home })).stdout).toBe('sk_untried\n')
  })

  test.each([
    ['', 'empty'],
    ['two words', 'cannot contain spaces'],
    ['a\nb', 'cannot contain spaces']
  ])('refuses a key that cannot be sent: %j', async (stdin, words) => {
    const server = await accepting()
    const run = await runCli(login(server.url), { stdin })
    expect(run).toMatchObject({ code: 4, stdout: '' })
    expect(run.stderr).toContain(words)
    expect(server.requests).toHaveLength(0)
  })

  test('without a URL exits with 9 if it cannot prompt', async () => {
    const run = await runCli(['auth', 'login', '--env', 'staging'], { stdin: key })
    expect(run).toMatchObject({ code: 9, stdout: '' })
    expect(run.stderr).toContain('--env staging --base-url')
  })

  test('makes the environment the default if there was none, and says so', async () => {
    const server = await accepting()
    const home = temporaryDirectory()
    const confirmation = async (name: string) => {
      const options = { home, stdin: key, terminal: { stderr: true } }
      return (await runCli([...login(`${server.url}/v1`), '--env', name, '--no-color'], options))
        .stderr
    }
    expect(await confirmation('dev')).toMatch(
      /^logged in to 'dev' \(key [0-9a-f]{8}\); 'dev' is now the default environment\n$/
    )
    expect(await confirmation('production')).toMatch(
      /^logged in to 'production' \(key [0-9a-f]{8}\)\n$/
    )
    expect(
      (await runCli(['env', 'list', '-o', 'tsv', '--fields', 'name,inUse'], { home })).stdout
    ).toContain('dev\ttrue\n')
  })

  test('prints a notice if the URL in a variable replaces the saved URL', async () => {
    const server = await accepting()
    const home = temporaryDirectory()
    const loginWith = (env: Record<string, string>, ...more: string[]) =>
      runCli(['auth', 'login', ...more], { home, stdin: key, env })
    await loginWith({ PETSTORE_BASE_URL: 'https://old.example/v1' }, '--no-verify')
    expect(
      (await loginWith({ PETSTORE_BASE_URL: 'https://old.example/v1' }, '--no-verify')).stderr
    ).toBe('')
    const run = await loginWith({ PETSTORE_BASE_URL: server.url })
    expect(JSON.parse(run.stderr).notice).toEqual({
      code: 'saved-url',
      message: `${server.url} has replaced the saved https://old.example/v1`
    })
    const typed = await loginWith(
      { PETSTORE_BASE_URL: server.url },
      '--no-verify',
      '--base-url',
      'https://a.example/v1'
    )
    expect(typed.stderr).not.toContain('replaced')
  })

  test('prints a notice if a variable overrides the saved key', async () => {
    const server = await accepting()
    const run = await runCli(login(server.url), {
      stdin: key,
      env: { PETSTORE_API_KEY: 'sk_other' }
    })
    expect(run.code).toBe(0)
    expect(run.stderr).toContain('PETSTORE_API_KEY is set')
  })
})

describe('auth status', () => {
  test('describes every environment, and never shows a key', async () => {
    const server = await accepting()
    const home = temporaryDirectory()
    await runCli(login(server.url), { home, stdin: key })
    const run = await runCli(['auth', 'status'], { home })
    expect(run.code).toBe(0)
    expect(run.stdout).not.toContain(key)
    expect(server.requests.at(-1)).toMatchObject({ method: 'GET', path: '/pets?limit=1' })
    expect(JSON.parse(run.stdout)).toMatchObject([
      {
        environment: 'production',
        inUse: true,
        baseUrl: server.url,
        key: 'saved',
        fingerprint: /^[0-9a-f]{8}$/.source && expect.stringMatching(/^[0-9a-f]{8}$/),
        accepted: true
      },
      { environment: 'staging', inUse: false, key: null, accepted: null },
      { environment: 'local', accepted: true }
    ])
  })

  test('a missing key may also come from a variable', async () => {
    const env = { PETSTORE_BASE_URL: 'https://pets.invalid/v1' }
    const { code, stderr } = await runCli(['pets', 'list'], { env })
    expect(code).toBe(4)
    expect(JSON.parse(stderr).error).toMatchObject({
      message: "no API key is saved for 'production' or given in PETSTORE_API_KEY",
      hint: 'petstore auth login --env production'
    })
  })

  test('exits with 4 if the selected environment has no key', async () => {
    const run = await runCli(['auth', 'status'])
    expect(run.code).toBe(4)
    expect(JSON.parse(run.stdout)).toHaveLength(3)
  })

  test('exits with 4 if the key is refused, and does not show a key that the service repeats', async () => {
    const server = await recordingServer(refusal)
    const env = { PETSTORE_API_KEY: key, PETSTORE_BASE_URL: server.url }
    const run = await runCli(['auth', 'status'], { env })
    expect(run.code).toBe(4)
    expect(run.stderr).not.toContain(key)
    expect(JSON.parse(run.stdout)[0]).toMatchObject({ key: 'PETSTORE_API_KEY', accepted: false })
  })

  test('sends no request with --no-verify', async () => {
    const server = await accepting()
    const env = { PETSTORE_API_KEY: 'sk_wrong_12345678', PETSTORE_BASE_URL: server.url }
    const run = await runCli(['auth', 'status', '--no-verify'], { env })
    expect(run.code).toBe(0)
    expect(JSON.parse(run.stdout)).toMatchObject([
      { environment: 'production', inUse: true, key: 'PETSTORE_API_KEY', accepted: null },
      { environment: 'staging', inUse: false, key: null, accepted: null },
      { environment: 'local', inUse: false, key: null, accepted: true }
    ])
    expect(server.requests).toHaveLength(0)
  })
})

describe('auth token', () => {
  test('prints a saved key only if it would be sent to a URL in use', async () => {
    const home = temporaryDirectory()
    await runCli([...login('https://pets.example/v1'), '--no-verify'], { home, stdin: key })
    const show = (url?: string, own?: string) =>
      runCli(['auth', 'token'], { home, env: { PETSTORE_BASE_URL: url, PETSTORE_API_KEY: own } })
    expect((await show()).stdout).toBe(`${key}\n`)
    expect((await show('https://pets.example/v2')).stdout).toBe(`${key}\n`)
    const elsewhere = await show('https://other.example/v1')
    expect(elsewhere).toMatchObject({ code: 4, stdout: '' })
    expect(JSON.parse(elsewhere.stderr).error).toMatchObject({
      message: expect.stringContaining('belongs to another URL'),
      hint: 'unset PETSTORE_BASE_URL'
    })
    expect((await show('https://other.example/v1', 'sk_other_123')).stdout).toBe('sk_other_123\n')
    // Messages still go to the URL of the key.
    await runCli(['env', 'set', 'production', '--messages-url', 'https://pets.example'], { home })
    expect((await show('https://other.example/v1')).stdout).toBe(`${key}\n`)
    expect((await show('http://plain.example/v1', 'sk_other_123')).stdout).toBe('sk_other_123\n')
  })
})

describe('auth token of the local service', () => {
  const showToken = (home: string) => runCli(['auth', 'token', '--env', 'local'], { home })

  test('creates the key at first use, and then prints the same key', async () => {
    const home = temporaryDirectory()
    const first = await showToken(home)
    expect(first).toEqual({
      code: 0,
      stdout: expect.stringMatching(/^local_\S{32}\n$/),
      stderr: ''
    })
    expect(await showToken(home)).toEqual(first)
  })

  test('exits with 9 if the key cannot be saved', async () => {
    const run = await showToken('')
    expect(run).toMatchObject({ code: 9, stdout: '' })
    expect(JSON.parse(run.stderr).error.hint).toContain('PETSTORE_CONFIG_DIR')
  })
})

test('auth logout removes no key if --all contradicts --env', async () => {
  const home = temporaryDirectory()
  const login = ['auth', 'login', '--no-verify', '--base-url', 'https://pets.example/v1']
  await runCli(login, { home, stdin: 'key-of-production' })
  const { code, stderr } = await runCli(['auth', 'logout', '--all', '--env', 'staging'], { home })
  expect({ code, stderr }).toEqual({
    code: 2,
    stderr: expect.stringContaining('--all and --env cannot be used together')
  })
  expect((await runCli(['auth', 'token'], { home })).stdout).toBe('key-of-production\n')
})

describe('auth logout', () => {
  test('removes one key, or every key with --all', async () => {
    const server = await accepting()
    const home = temporaryDirectory()
    for (const env of ['production', 'staging'])
      await runCli([...login(server.url), '--env', env], { home, stdin: key })
    expect((await runCli(['auth', 'logout', '--env', 'staging'], { home })).code).toBe(0)
    expect((await runCli(['auth', 'token', '--env', 'staging'], { home })).code).toBe(4)
    expect((await runCli(['auth', 'token', '--env', 'production'], { home })).code).toBe(0)
    const all = await runCli(['auth', 'logout', '--all', '--json'], { home })
    expect(JSON.parse(all.stdout)).toEqual({ changed: true, environments: ['production'] })
    expect(readFileSync(configOf(home), 'utf8')).not.toContain(key)
    const again = await runCli(['auth', 'logout'], { home })
    expect(again.code).toBe(0)
    expect(again.stderr).toContain('no API key is saved')
  })
})

test.each([
  [['auth', 'logout'], {}, "no API key is saved for 'production'"],
  [['auth', 'logout', '--all'], {}, 'no API key is saved for any environment'],
  [['auth', 'logout'], { PETSTORE_API_KEY: key }, 'PETSTORE_API_KEY is set and still applies']
])('%j with %j prints the notice: %s', async (argv, env, message) => {
  const { code, stderr } = await runCli(argv, { env })
  expect(code).toBe(0)
  expect(stderr).toContain(message)
  expect(stderr.includes('PETSTORE_API_KEY')).toBe('PETSTORE_API_KEY' in env)
})

test('Ctrl-C while auth status waits for a reply exits 130', async () => {
  const server = await recordingServer(() => undefined)
  const env = { PETSTORE_API_KEY: key, PETSTORE_BASE_URL: server.url }
  const run = await runCli(['auth', 'status'], {
    env,
    signal: server.received(1).then(() => 'SIGINT')
  })
  expect(run).toMatchObject({ code: 130, stdout: '' })
})
