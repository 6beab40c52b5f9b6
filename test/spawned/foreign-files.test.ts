import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeEach, describe, expect, test } from 'vitest'
import { installForAllUsers } from '../support/other-user.ts'
import { isStandalone, spawnCli } from '../support/spawn-cli.ts'
import { temporaryDirectory } from '../support/temp.ts'

let home: string
beforeEach(() => {
  home = temporaryDirectory()
  writeFileSync(join(home, 'pets.ndjson'), '{"name":"Rex","categoryId":1}\n{"name":""}\n')
})

const lastError = (stderr: string) => JSON.parse(stderr.trim().split('\n').at(-1) ?? '').error

test('a standard input that is a file does not receive the rejects', async () => {
  const command = ['sh', '-c', '"$@" < pets.ndjson', 'sh']
  const argv = [
    'pets',
    'import',
    '-',
    '--env',
    'local',
    '--format',
    'ndjson',
    '--rejects',
    'pets.ndjson'
  ]
  const { code } = await spawnCli(argv, { home, cwd: home, under: command })
  expect(code).toBe(2)
  expect(readFileSync(join(home, 'pets.ndjson'), 'utf8')).toContain('Rex')
})

const withoutSqlite = fileURLToPath(new URL('../support/without-sqlite.cjs', import.meta.url))

// The executable has Node's own SQLite and cannot be without it.
describe.skipIf(isStandalone)('without SQLite', () => {
  test.each([
    ['is not installed', /is not installed/, 'npm install -g @photostructure/sqlite@1.2', () => {}],
    [
      'does not load',
      /^SQLite cannot be loaded: /,
      'npm ls -g @photostructure/sqlite',
      (program: string) => {
        const directory = join(dirname(program), '../node_modules/@photostructure/sqlite')
        mkdirSync(directory, { recursive: true })
        writeFileSync(join(directory, 'package.json'), '{}')
        writeFileSync(join(directory, 'index.js'), 'throw new Error("no memory")')
      }
    ]
  ])(
    'because it %s, nothing is written and no request is sent',
    async (_, message, hint, prepare) => {
      const program = installForAllUsers({ withSqlite: false })
      prepare(program)
      const env = {
        PETSTORE_CONFIG_DIR: home,
        PETSTORE_API_KEY: 'sk_test',
        PETSTORE_BASE_URL: 'http://127.0.0.1:9/v1'
      }
      const machine = { home, cwd: home, env, program, nodeArguments: ['--require', withoutSqlite] }
      for (const argv of [
        ['config', 'set', 'output', 'json'],
        ['pets', 'import', 'pets.ndjson'],
        ['pets', 'list', '--env', 'local']
      ]) {
        const { code, stderr } = await spawnCli(argv, machine)
        expect(code).toBe(9)
        expect(lastError(stderr)).toMatchObject({ message: expect.stringMatching(message), hint })
      }
      expect(readdirSync(home).filter(name => name !== 'journals')).toEqual(['pets.ndjson'])
    }
  )

  test('its package is found where npx and local installations put it: beside petstore-cli', async () => {
    const modules = join(home, 'node_modules')
    const sqlite = join(modules, '@photostructure/sqlite')
    mkdirSync(sqlite, { recursive: true })
    writeFileSync(join(sqlite, 'package.json'), '{}')
    writeFileSync(join(sqlite, 'index.js'), 'throw new Error("found, but damaged")')
    const installed = join(modules, 'petstore-cli')
    cpSync(join(dirname(installForAllUsers({ withSqlite: false })), '..'), installed, {
      recursive: true
    })
    const program = join(installed, 'bin/petstore.js')
    const machine = { home, program, nodeArguments: ['--require', withoutSqlite] }
    const { stderr } = await spawnCli(['pets', 'list', '--env', 'local'], machine)
    expect(lastError(stderr).message).toBe('SQLite cannot be loaded: found, but damaged')
  })

  test('doctor reports it once, as a problem of Node', async () => {
    const program = installForAllUsers({ withSqlite: false })
    const machine = { home, program, nodeArguments: ['--require', withoutSqlite] }
    const { code, stdout, stderr } = await spawnCli(['doctor', '--env', 'local'], machine)
    expect({ code, message: lastError(stderr).message }).toEqual({
      code: 9,
      message: '1 problem found: Node'
    })
    const checks: { check: string; state: string; advice: string | null }[] = JSON.parse(stdout)
    expect(checks.find(({ check }) => check === 'Node')).toMatchObject({
      state: 'problem',
      advice: 'npm install -g @photostructure/sqlite@1.2'
    })
    expect(checks.at(-1)).toMatchObject({ check: 'local service', state: 'skipped' })
  })

  test('the commands that need it are in the docs', async () => {
    const docs = readFileSync(new URL('../../docs/install.md', import.meta.url), 'utf8')
    const [passage = ''] = /the commands that need it.*?\n\n/s.exec(docs) ?? []
    const { commands } = JSON.parse((await spawnCli(['commands'])).stdout) as {
      commands: { name: string; changes: string }[]
    }
    const names = commands.flatMap(({ name, changes }) => (changes === 'machine' ? name : []))
    expect(names.length).toBeGreaterThan(5)
    for (const word of ['--env local', 'imports', ...names.join(' ').split(' ')])
      expect(passage).toContain(word)
  })
})
