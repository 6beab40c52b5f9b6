import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { rowsOf } from '../cli/typing.ts'
import { runCli } from '../support/run-cli.ts'
import { temporaryDirectory } from '../support/temp.ts'

let home: string
beforeEach(() => {
  home = temporaryDirectory()
})
const inDirectory = (name: string) => join(home, '.config', 'petstore', name)
const petstore = (...argv: string[]) => runCli(argv, { home })
const inTerminal = async (...argv: string[]) =>
  (await runCli([...argv, '--no-color'], { home, terminal: { stderr: true } })).stderr
const list = async () => JSON.parse((await petstore('env', 'list')).stdout)

test('production, staging and local always exist', async () => {
  const unset = { baseUrl: null, messagesUrl: null, readOnly: false }
  expect(await list()).toEqual([
    { name: 'production', inUse: true, ...unset, idempotent: false },
    { name: 'staging', inUse: false, ...unset, idempotent: false },
    { name: 'local', inUse: false, ...unset, idempotent: true }
  ])
})

test('env set creates one, env use makes it the default, env unset removes it', async () => {
  const urls = ['--base-url', 'pets.example/v1/', '--messages-url', 'localhost:4010']
  const set = await petstore('env', 'set', 'mine', ...urls, '--read-only', '--idempotent')
  expect(set).toEqual({ code: 0, stdout: '', stderr: '' })
  expect(await petstore('env', 'use', 'mine')).toMatchObject({ code: 0 })
  const [baseUrl, messagesUrl] = ['https://pets.example/v1', 'http://localhost:4010']
  const marks = { readOnly: true, idempotent: true }
  const mine = { name: 'mine', inUse: true, baseUrl, messagesUrl, ...marks }
  expect((await list()).at(-1)).toEqual(mine)

  await petstore('env', 'set', 'mine', '--read-write', '--not-idempotent')
  expect((await list()).at(-1)).toEqual({ ...mine, readOnly: false, idempotent: false })
  expect(await inTerminal('env', 'unset', 'mine')).toBe(
    "removed 'mine'; the default is now production\n"
  )
  expect(await list()).toHaveLength(3)
})

const misuses = rowsOf(`
env set staging => 2 nothing to set
env set local --base-url https://pets.example => 2 takes no URLs
env set local --idempotent => 2 takes no URLs
env set staging --idempotent => 9 none is saved
env set staging --read-only --read-write => 2 read-write
env set staging --base-url ftp://pets.example => 2 https://
env set staging --base-url http://pets.example => 9 plain http
env set staging --messages-url a:b@pets.example => 2 must be a URL
env set a;b --base-url https://pets.example => 2 name
env use nowhere => 2 nowhere
env use => 2 the environment is missing
env unset nowhere => 2 nowhere
env unset local => 2 --yes
env unset local --dry-run => 2 --dry-run
`)

test.each(misuses)('%s ends with %s and changes nothing', async (line, expected) => {
  const [code, words = ''] = expected.split(/ (.*)/)
  const run = await petstore(...line.split(' '))
  expect(run).toMatchObject({
    code: Number(code),
    stdout: '',
    stderr: expect.stringContaining(words)
  })
  expect(existsSync(inDirectory('config.json'))).toBe(false)
})

test('env use without a name is a choice in a terminal', async () => {
  const steps = [['Default environment', '\u001b[B\r']] as const
  const run = await runCli(['env', 'use'], { home, terminal: true, steps })
  expect(run.stderr).toContain("'staging' is now the default environment")
  expect((await list())[1]).toMatchObject({ name: 'staging', inUse: true })
})

test.each<[set: string[], env: Record<string, string>, reason: string]>([
  [['env', 'set', 'local', '--read-only'], {}, "'local' is set --read-only"],
  [['env', 'list'], { PETSTORE_READ_ONLY: '1' }, 'PETSTORE_READ_ONLY is set']
])('env unset local is refused after %j, with %j', async (set, env, reason) => {
  await petstore(...set)
  await petstore('pets', 'list', '--env', 'local')
  const run = await runCli(['env', 'unset', 'local', '--yes'], { home, env })
  expect(run).toMatchObject({ code: 2, stderr: expect.stringContaining(reason) })
  expect(existsSync(inDirectory('local.db'))).toBe(true)
})

test('another origin removes the saved key and the mark, and the command says so', async () => {
  const login = ['auth', 'login', '--no-verify', '--base-url', 'https://a.example/v1']
  await runCli(login, { home, stdin: 'sk_test_12345678' })
  await petstore('env', 'set', 'production', '--idempotent')
  const same = await petstore('env', 'set', 'production', '--base-url', 'https://a.example/v2')
  expect(same.stderr).toBe('')
  const moved = await petstore('env', 'set', 'production', '--base-url', 'b.example')
  expect((await list())[0].idempotent).toBe(false)
  expect(moved.stderr).toContain('removed the API key')
  expect(moved.stderr).toContain('no longer set --idempotent')
  expect(readFileSync(inDirectory('config.json'), 'utf8')).not.toContain('sk_test')
})

// On Node 20, a database that was used stays open until the process ends.
test.each([
  ['y', 0, false],
  ['n', 130, true]
])('env unset local asks first in a terminal: %s', async (answer, code, remains) => {
  await petstore('env', 'use', 'local')
  writeFileSync(inDirectory('local.db'), '')
  const steps = [['(y/N)', `${answer}\r`]] as const
  const run = await runCli(['env', 'unset', 'local'], { home, terminal: true, steps })
  expect(run.code).toBe(code)
  expect(existsSync(inDirectory('local.db'))).toBe(remains)
})
