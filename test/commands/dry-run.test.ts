import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { awkwardNames, hostileNames } from '../output/hostile.ts'
import { needs } from '../support/needs.ts'
import { recordingServer } from '../support/recording-server.ts'
import { runCli } from '../support/run-cli.ts'
import { temporaryDirectory } from '../support/temp.ts'

const run = promisify(execFile)
const key = 'sk_test_12345678'

/** Replies with a list of pets to GET and with a message to POST. */
async function service() {
  const server = await recordingServer(({ method }) =>
    method === 'GET'
      ? { json: [] }
      : { json: { id: 'm', message: 'x', status: 'sent', createdAt: 'now' } }
  )
  const addresses = { PETSTORE_BASE_URL: `${server.url}/v1`, PETSTORE_MESSAGES_URL: server.url }
  return { server, addresses, env: { ...addresses, PETSTORE_API_KEY: key } }
}

async function runScript(commands: string) {
  const home = temporaryDirectory()
  const script = join(home, 'script.sh')
  writeFileSync(script, `set -euo pipefail\n${commands}`)
  return run('bash', [script], {
    env: { PATH: process.env.PATH, HOME: home, PETSTORE_API_KEY: key }
  })
}

/** A dry run needs no key and no service. */
const dryRun = (argv: readonly string[], env: Record<string, string>) =>
  runCli([...argv, '--dry-run'], { env })

needs(
  'bash',
  'curl',
  'base64'
)('the output of --dry-run', () => {
  /**
   * The request that the program sends, and the request that bash sends with the output of the dry
   * run.
   */
  async function bothRequests(argv: readonly string[]) {
    const { server, addresses, env } = await service()
    const shown = await dryRun(argv, addresses)
    expect(shown).toMatchObject({ code: 0, stderr: expect.not.stringContaining('error') })
    expect(server.requests).toHaveLength(0)
    await runCli(argv, { env })
    await runScript(shown.stdout)
    const [real, pasted] = server.requests.map(({ method, path, body, headers }) => ({
      method,
      path,
      body,
      type: headers['content-type'],
      accept: headers.accept,
      authorization: headers.authorization,
      length: headers['content-length']
    }))
    expect(server.requests).toHaveLength(2)
    return { real, pasted, command: shown.stdout }
  }

  test.each<[what: string, argv: string[]]>([
    ['a list', ['pets', 'list']],
    ['a list with a query', ['pets', 'list', '--status', 'sold', '--limit', '7']],
    ['one pet', ['pets', 'get', '-9223372036854775808']],
    [
      'a new pet',
      ['pets', 'add', '--name', 'Rex', '--category-id', '9007199254740993', '--status', 'sold']
    ],
    ['text that is special in a shell', ['messages', 'send', '$HOME `id` "quoted" \\ !! $(id)']],
    ['text that is special for curl', ['messages', 'send', '@/etc/passwd']],
    [
      'a request of any kind',
      ['api', 'PATCH', "/pets/it's?a=[1]{2}", '-f', "q='", '-F', 'n=9007199254740993']
    ],
    ...['DELETE', 'OPTIONS', 'PATCH', 'POST', 'PROPFIND', 'PROPPATCH', 'PUT', 'QUERY'].map(
      (method): [string, string[]] => [`${method} without a body`, ['api', method, '/pets/7']]
    ),
    ['a HEAD request', ['api', 'HEAD', '/pets', '-f', 'a=b c&d']],
    ['a body that is too long for an argument', ['messages', 'send', 'x'.repeat(120_000)]]
  ])('sends the same request in bash: %s', async (_what, argv) => {
    const { real, pasted, command } = await bothRequests(argv)
    expect(pasted).toEqual(real)
    expect(pasted?.authorization).toBe(`Bearer ${key}`)
    expect(command).not.toContain(key)
  })

  test('sends the same request in bash for every hostile name', async () => {
    const names = [...hostileNames.map(([, name]) => name), ...awkwardNames].filter(
      name => name.trim() !== ''
    )
    const { server, addresses, env } = await service()
    const commands: string[] = []
    for (const name of names) {
      const argv = ['pets', 'add', `--name=${name}`, '--category-id', '1']
      await runCli(argv, { env })
      commands.push((await dryRun(argv, addresses)).stdout)
    }
    await runScript(commands.join('\n'))
    const bodies = server.requests.map(({ body }) => body)
    expect(bodies).toHaveLength(names.length * 2)
    expect(bodies.slice(names.length)).toEqual(bodies.slice(0, names.length))
  })
})

describe('--dry-run', () => {
  test('needs a URL but no key, and never shows a key', async () => {
    const { server, addresses, env } = await service()
    expect(await dryRun(['pets', 'list'], {})).toMatchObject({ code: 9, stdout: '' })
    for (const chosen of [addresses, env]) {
      const { code, stdout, stderr } = await dryRun(['pets', 'list', '-v'], chosen)
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
      expect(stdout).toContain('$PETSTORE_API_KEY')
      expect(stdout).not.toContain(key)
    }
    expect(server.connections()).toBe(0)
  })

  test('uses the port of petstore serve for the local environment', async () => {
    const { code, stdout, stderr } = await dryRun(['pets', 'list', '--env', 'local'], {})
    expect(code).toBe(0)
    expect(stdout).toContain('http://127.0.0.1:4010/v1/pets')
    expect(JSON.parse(stderr).notice.message).toContain(
      "to run the curl command, start 'petstore serve'"
    )
  })

  test('shows the request that would test a key, without a prompt, and saves nothing', async () => {
    const { server, addresses } = await service()
    const home = temporaryDirectory()
    const login = ['auth', 'login', '--base-url', addresses.PETSTORE_BASE_URL, '--dry-run']
    const { code, stdout } = await runCli(login, { home, terminal: true })
    expect(code).toBe(0)
    expect(stdout).toContain(`${addresses.PETSTORE_BASE_URL}/pets?limit=1`)
    expect(
      (await runCli(['env', 'list', '-o', 'tsv', '--fields', 'baseUrl'], { home })).stdout.trim()
    ).toBe('')
    expect(await runCli([...login, '--no-verify'], { home })).toMatchObject({ code: 2, stdout: '' })
    expect(server.connections()).toBe(0)
  })

  test.each<[argv: string[], commands: number]>([
    [['pets', 'list'], 1],
    [['pets', 'list', '--until', '.[0]'], 1],
    [['pets', 'get', '7'], 1],
    [['pets', 'add', '--file', '-'], 1],
    [['pets', 'import', '-', '--format', 'ndjson'], 2],
    [['messages', 'send', 'x'], 1],
    [['api', 'DELETE', '/pets/7', '-H', 'X-One: 1'], 1],
    [['api', 'POST', '/x', '--messages', '-F', 'a=9007199254740993'], 1],
    [['auth', 'status'], 1],
    [['doctor'], 1]
  ])('%j opens no connection', async (argv, commands) => {
    const { server, env } = await service()
    const pet = '{"name":"Rex","categoryId":1}\n'
    const stdin = argv.includes('import') ? pet + pet : pet
    const { code, stdout } = await runCli([...argv, '--dry-run'], { env, stdin })
    expect(code).toBe(0)
    expect(stdout.match(/^curl /gm)).toHaveLength(commands)
    expect(stdout).not.toContain(key)
    expect(server.connections()).toBe(0)
  })

  test.each([
    [['pets', 'add', '--name', 'Rex'], '--category-id is missing'],
    [['pets', 'list', '--jq', '.['], 'syntax error'],
    [['auth', 'token'], '--dry-run has no effect'],
    [['env', 'list'], '--dry-run has no effect']
  ])('%j is still a usage error', async (argv, words) => {
    const { addresses } = await service()
    const { code, stdout, stderr } = await dryRun(argv, addresses)
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toContain(words)
  })
})

describe('a key inside the request', () => {
  const send = (text: string) => ['messages', 'send', text]
  test.each<[what: string, argv: string[], shown: string]>([
    ['in a text', send(`the key is ${key}, keep it`), 'the key is ***, keep it'],
    ['encoded in a text', send(Buffer.from(`user:${key}`).toString('base64')), '***'],
    ['in a header', ['api', 'GET', '/pets', '-H', `X-Api-Key: ${key}`], 'x-api-key: ***'],
    ['in a query', ['api', 'GET', `/pets?key=${key}`], '/pets?key=***'],
    [
      'in bytes',
      ['api', 'POST', '/pets', '--file', '-'],
      Buffer.from('\xff*** ', 'latin1').toString('base64')
    ]
  ])('is redacted: %s', async (_what, argv, shown) => {
    const { server, env } = await service()
    const stdin = Buffer.from(`\xff${key} `, 'latin1')
    for (const flags of [[], ['--json']]) {
      const run = await runCli([...argv, '--dry-run', ...flags], {
        env,
        stdin: Readable.from([stdin])
      })
      expect(run.code).toBe(0)
      expect(run.stdout).toContain(shown)
      expect(run.stdout).not.toContain(key)
      expect(run.stdout).not.toContain(Buffer.from(key).toString('base64').slice(2, -4))
    }
    expect(server.requests).toHaveLength(0)
  })

  test('causes no notice if it is only in the authorization header', async () => {
    const { addresses } = await service()
    const run = await runCli(['pets', 'list', '--dry-run'], {
      env: { ...addresses, PETSTORE_API_KEY: 'PETSTORE' }
    })
    expect(run).toMatchObject({ code: 0, stderr: '' })
    expect(run.stdout).toContain('"authorization: Bearer $PETSTORE_API_KEY"')
  })

  test('is redacted if the key is saved', async () => {
    const { addresses } = await service()
    const home = temporaryDirectory()
    await runCli(['auth', 'login', '--no-verify', '--base-url', addresses.PETSTORE_BASE_URL], {
      home,
      stdin: key
    })
    const run = await runCli(['pets', 'add', '--name', key, '--category-id', '1', '--dry-run'], {
      home
    })
    expect(run.stdout).toContain('"name":"***"')
  })
})

describe('--dry-run with --json on the command line', () => {
  test.each([[['--json']], [['-o', 'json']], [['-qojson']]])(
    '%j prints the request as one object',
    async flags => {
      const { server, env } = await service()
      const argv = [
        'pets',
        'add',
        '--name',
        "R'x",
        '--category-id',
        '9007199254740993',
        '--dry-run',
        ...flags
      ]
      const { code, stdout } = await runCli(argv, { env })
      expect(code).toBe(0)
      expect(stdout).toContain('9007199254740993')
      expect(stdout).not.toContain(key)
      expect(JSON.parse(stdout)).toEqual({
        method: 'POST',
        url: `${server.url}/v1/pets`,
        headers: {
          accept: 'application/json',
          authorization: 'Bearer $PETSTORE_API_KEY',
          'content-type': 'application/json'
        },
        body: { name: "R'x", categoryId: expect.anything() },
        curl: expect.stringMatching(/^curl .*--request POST/)
      })
      expect(server.requests).toHaveLength(0)
    }
  )

  test.each<[argv: string[], method: string]>([
    [['api', 'delete', '/pets/7', '--json'], 'DELETE'],
    [['api', 'GET', '/pets', '-o', 'json'], 'GET'],
    [['auth', 'login', '--base-url', 'https://pets.example/v1', '--json'], 'GET']
  ])('%j: works for commands that print no data', async (argv, method) => {
    const { env } = await service()
    const { code, stdout } = await dryRun(argv, env)
    expect(code).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({ method, curl: expect.stringMatching(/^curl /) })
  })

  test('has all fields of the request, even with --fields', async () => {
    const { env } = await service()
    const { stdout } = await runCli(['pets', 'list', '--dry-run', '--json', '--fields', 'name'], {
      env
    })
    expect(JSON.parse(stdout)).toMatchObject({ method: 'GET', body: null })
  })

  test('is not filtered by --jq, which is for the reply', async () => {
    const { env } = await service()
    const argv = ['pets', 'list', '--dry-run', '--jq', '.[].name']
    expect(await runCli(argv, { env })).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^curl /)
    })
    const { code, stdout } = await runCli([...argv, '--json'], { env })
    expect(code).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({ method: 'GET' })
    const wrong = await runCli(['pets', 'list', '--dry-run', '--jq', '.['], { env })
    expect(wrong).toMatchObject({ code: 2, stdout: '' })
  })

  test('is a curl command if JSON is only the default', async () => {
    const { env } = await service()
    const { stdout } = await runCli(['pets', 'list', '--dry-run'], {
      env: { ...env, PETSTORE_OUTPUT: 'json' }
    })
    expect(stdout).toMatch(/^curl /)
  })

  test('says that it is not the request if a secret in it is masked', async () => {
    const { env } = await service()
    const masked = await runCli(['pets', 'list', '--dry-run'], {
      env: { ...env, PETSTORE_API_KEY: 'pets' }
    })
    expect(masked.code).toBe(0)
    expect(JSON.parse(masked.stderr).notice).toMatchObject({
      code: 'masked',
      message: expect.stringContaining('sends something else')
    })
    const plain = await runCli(['pets', 'list', '--dry-run'], { env })
    expect(plain.stderr).toBe('')
  })
})

test.each([[['--file', '-']], [['--file', '-', '--json']]])(
  '%j: a byte order mark before the JSON is not sent',
  async options => {
    const argv = ['pets', 'add', ...options, '--dry-run', '--env', 'local']
    const { code, stdout } = await runCli(argv, { stdin: '\ufeff{"name":"Rex","categoryId":7}' })
    expect(code).toBe(0)
    expect(stdout).toContain('Rex')
    expect(stdout).not.toContain('\ufeff')
  }
)
