import { existsSync, linkSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { recordingServer } from '../support/recording-server.ts'
import { runCli } from '../support/run-cli.ts'
import { temporaryDirectory } from '../support/temp.ts'

const key = 'sk_test_12345678'

/**
 * No database, because on Node 20 a closed connection holds its file until the process ends, and
 * nothing deletes a database in use.
 */
function saveLocalData(home: string): void {
  const directory = join(home, '.config', 'petstore')
  mkdirSync(directory, { recursive: true })
  writeFileSync(join(directory, 'local.db'), 'damaged')
}

describe('env', () => {
  test('production, staging and local always exist', async () => {
    const { stdout } = await runCli(['env', 'list', '-o', 'tsv'])
    expect(stdout).toBe('production\ttrue\t\t\nstaging\tfalse\t\t\nlocal\tfalse\t\t\n')
  })

  test('a misspelled name is corrected, also if it begins like a negation', async () => {
    const home = temporaryDirectory()
    await runCli(['env', 'set', 'unit', '--base-url', 'https://pets.example/v1'], { home })
    const { code, stderr } = await runCli(['pets', 'list', '--env', 'unti'], { home })
    expect(code).toBe(2)
    expect(JSON.parse(stderr).error.hint).toBe('petstore pets list --env unit')
  })

  test('set creates an environment, use makes it the default, unset removes it', async () => {
    const home = temporaryDirectory()
    const made = await runCli(
      [
        'env',
        'set',
        'mine',
        '--base-url',
        'https://pets.example/v1/',
        '--messages-url',
        'https://pets.example'
      ],
      { home }
    )
    expect(made).toMatchObject({ code: 0, stdout: '' })
    await runCli(['env', 'use', 'mine'], { home })
    const rows = JSON.parse((await runCli(['env', 'list'], { home })).stdout)
    expect(rows.at(-1)).toEqual({
      name: 'mine',
      inUse: true,
      baseUrl: 'https://pets.example/v1',
      messagesUrl: 'https://pets.example'
    })
    expect((await runCli(['env', 'unset', 'mine'], { home })).code).toBe(0)
    expect((await runCli(['env', 'use', 'mine'], { home })).code).toBe(2)
    expect((await runCli(['env', 'list', '-o', 'tsv'], { home })).stdout).toMatch(
      /^production\ttrue/
    )
  })

  test.each<[argv: string[], code: number, words: string]>([
    [['env', 'set', 'staging'], 2, 'nothing to set'],
    [['env', 'set', 'local', '--base-url', 'https://pets.example'], 2, 'takes no URLs'],
    [['env', 'set', 'bad name', '--base-url', 'https://pets.example'], 2, 'name'],
    [['env', 'set', 'staging', '--base-url', 'pets.example'], 2, 'https://'],
    [['env', 'set', 'staging', '--base-url', 'http://pets.example'], 9, 'plain http'],
    [['env', 'set', 'staging', '--messages-url', 'https://a:b@pets.example'], 9, 'password'],
    [['env', 'use', 'nowhere'], 2, 'nowhere'],
    [['env', 'unset', 'nowhere'], 2, 'nowhere'],
    [['env', 'unset', 'local'], 2, 'this deletes the data']
  ])('%j exits with %i and changes nothing', async (argv, code, words) => {
    const home = temporaryDirectory()
    const run = await runCli(argv, { home })
    expect(run).toMatchObject({ code, stdout: '' })
    expect(run.stderr).toContain(words)
    expect(existsSync(join(home, '.config', 'petstore', 'config.json'))).toBe(false)
  })

  test.each([
    [['env', 'use', 'mine'], 'petstore env list'],
    [['env', 'use', 'no name'], 'petstore env list'],
    [['env', 'unset', 'mine'], 'petstore env unset --help'],
    [['pets', 'list', '--env', 'mine'], 'petstore env list']
  ])('%j with an unknown environment hints at: %s', async (argv, hint) => {
    expect(JSON.parse((await runCli(argv)).stderr).error.hint).toBe(hint)
  })

  test.each([
    [['env', 'unset', 'mine'], "removed environment 'mine'\n"],
    [['env', 'unset', 'local', '--yes'], "removed the data of 'local'\n"],
    [['env', 'unset', 'staging'], "notice: nothing is saved for 'staging'\n"]
  ])('%j prints: %s', async (argv, words) => {
    const home = temporaryDirectory()
    await runCli(['env', 'set', 'mine', '--base-url', 'https://pets.example/v1'], { home })
    saveLocalData(home)
    const run = await runCli([...argv, '--no-color'], { home, terminal: { stderr: true } })
    expect(run).toEqual({ code: 0, stdout: '', stderr: words })
  })

  test('unset names the environment that becomes the default; only local stays it', async () => {
    const home = temporaryDirectory()
    const type = (...argv: string[]) =>
      runCli([...argv, '--no-color'], { home, terminal: { stderr: true } })
    await type('env', 'set', 'mine', '--base-url', 'https://pets.example/v1')
    await type('env', 'use', 'mine')
    expect((await type('env', 'unset', 'mine')).stderr).toBe(
      "removed environment 'mine'; 'production' is now the default environment\n"
    )
    await type('env', 'use', 'local')
    saveLocalData(home)
    expect((await type('env', 'unset', 'local', '--yes')).stderr).toBe(
      "removed the data of 'local'\n"
    )
    expect((await type('env', 'list', '-o', 'tsv')).stdout).toContain('local\ttrue')
  })

  test.each([
    ['is broken', '{', 0o600],
    ['is read-only', '{"environments":{"local":{"apiKey":"local_key"}}}', 0o400]
  ])('unset local deletes nothing if the config file %s', async (_, content, mode) => {
    const home = temporaryDirectory()
    const directory = join(home, '.config', 'petstore')
    await runCli(['pets', 'add', '--name', 'Rex', '--category-id', '1', '--env', 'local'], { home })
    writeFileSync(join(directory, 'config.json'), content, { mode })
    const { code, stderr } = await runCli(['env', 'unset', 'local', '--yes'], { home })
    expect({ code, message: JSON.parse(stderr).error.message }).toEqual({
      code: 9,
      message: expect.stringContaining('config.json')
    })
    expect(existsSync(join(directory, 'local.db'))).toBe(true)
  })

  test('unset local without data says so, and that nothing changed', async () => {
    const run = await runCli(['env', 'unset', 'local', '--yes', '--json'])
    expect(JSON.parse(run.stdout)).toMatchObject({ environment: 'local', changed: false })
    expect(run.stderr).toContain("nothing is saved for 'local'")
  })

  test('unset local names another hard link that still has the data', async () => {
    const home = temporaryDirectory()
    const directory = join(home, '.config', 'petstore')
    saveLocalData(home)
    linkSync(join(directory, 'local.db'), join(directory, 'second.db'))
    const run = await runCli(['env', 'unset', 'local', '--yes', '--json'], { home })
    expect(JSON.parse(run.stdout)).toMatchObject({ changed: true })
    expect(run.stderr).toContain('another name of its file (a hard link) still has the data')
    expect(existsSync(join(directory, 'second.db'))).toBe(true)
  })

  test('unset local exits with 9 without a home directory', async () => {
    const run = await runCli(['env', 'unset', 'local', '--yes'], { home: '' })
    expect(run).toMatchObject({ code: 9, stdout: '' })
    expect(JSON.parse(run.stderr).error.hint).toContain('PETSTORE_CONFIG_DIR')
  })

  test('a new URL at another origin removes the key, with a notice', async () => {
    const server = await recordingServer({ json: [] })
    const home = temporaryDirectory()
    await runCli(['auth', 'login', '--base-url', `${server.url}/v1`], { home, stdin: key })
    const same = await runCli(['env', 'set', 'production', '--base-url', `${server.url}/v2`], {
      home
    })
    expect(same.stderr).not.toContain('removed the API key')
    expect((await runCli(['pets', 'list'], { home })).code).toBe(0)
    const other = await runCli(
      ['env', 'set', 'production', '--base-url', 'https://pets.example/v1'],
      { home }
    )
    expect(other.stderr).toContain('removed the API key')
    expect(readFileSync(join(home, '.config', 'petstore', 'config.json'), 'utf8')).not.toContain(
      key
    )
    expect((await runCli(['pets', 'list'], { home })).code).toBe(4)
  })

  test('a saved key is not sent to another URL from a variable', async () => {
    const [own, other] = [await recordingServer({ json: [] }), await recordingServer({ json: [] })]
    const home = temporaryDirectory()
    await runCli(['auth', 'login', '--base-url', own.url], { home, stdin: key })
    const run = await runCli(['pets', 'list'], { home, env: { PETSTORE_BASE_URL: other.url } })
    expect(run).toMatchObject({ code: 4, stdout: '' })
    expect(other.requests).toHaveLength(0)
  })
})

describe('a URL in a variable, if the environment is local', () => {
  const requests = [
    ['pets', 'list'],
    ['pets', 'add', '--name', 'Rex', '--category-id', '1'],
    ['pets', 'import', '-'],
    ['messages', 'send', 'hello', '--dry-run'],
    ['api', 'GET', '/pets'],
    ['auth', 'status']
  ]
  test.each(requests)('is a usage error of %s %s', async (...argv) => {
    const home = temporaryDirectory()
    const env = { PETSTORE_ENV: 'local', PETSTORE_BASE_URL: 'https://pets.example/v1' }
    const run = await runCli(argv, { home, env })
    expect(run.code).toBe(2)
    expect(JSON.parse(run.stderr.trimEnd().split('\n').at(-1) ?? '').error).toMatchObject({
      message:
        "PETSTORE_BASE_URL is set, but the environment is 'local' (from PETSTORE_ENV), which has no URLs: choose the environment with --env",
      hint: 'unset PETSTORE_BASE_URL'
    })
    expect(existsSync(join(home, '.config', 'petstore', 'local.db'))).toBe(false)
  })

  test('is one too if local is the saved default, and none with --env on the command line', async () => {
    const home = temporaryDirectory()
    const env = { PETSTORE_MESSAGES_URL: 'https://pets.example' }
    await runCli(['env', 'use', 'local'], { home })
    expect((await runCli(['pets', 'list'], { home, env })).code).toBe(2)
    expect((await runCli(['pets', 'list', '--env', 'local'], { home, env })).code).toBe(0)
    expect((await runCli(['env', 'list'], { home, env })).code).toBe(0)
  })
})

test('without any set-up, each command has the same hint', async () => {
  for (const argv of [
    ['pets', 'list'],
    ['messages', 'send', 'hello'],
    ['auth', 'status'],
    ['auth', 'token']
  ]) {
    const run = await runCli([...argv, '--env', 'staging'])
    expect(run.stderr).toContain(
      '"hint":"petstore auth login --env staging --base-url https://HOST/v1"'
    )
  }
})
