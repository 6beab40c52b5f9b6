import {
  chmodSync,
  lchownSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync
} from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { needs } from '../support/needs.ts'
import { runCli } from '../support/run-cli.ts'
import { temporaryDirectory } from '../support/temp.ts'

let home: string
let directory: string
const config = '{"later":"a part of the config file"}'
const at = (name: string) => join(home, name)
const mode = (path: string) => statSync(path).mode & 0o7777

const cwd = process.cwd()
afterEach(() => process.chdir(cwd))
beforeEach(() => {
  home = temporaryDirectory()
  process.chdir(home)
  directory = at('petstore')
  writeFileSync(at('pets.ndjson'), '{"name":"Rex","categoryId":1}\n{"name":""}\n')
})

const petstore = (
  argv: readonly string[],
  env: Record<string, string> = { PETSTORE_CONFIG_DIR: directory }
) => runCli(argv, { env, home })

const lastError = (stderr: string) => JSON.parse(stderr.trim().split('\n').at(-1) ?? '').error

function saveConfig(): string {
  mkdirSync(directory, { mode: 0o700 })
  writeFileSync(join(directory, 'config.json'), config, { mode: 0o600 })
  return join(directory, 'config.json')
}

describe('a config directory that the program did not create', () => {
  test.each([
    ['0755', 0o755],
    ['0750', 0o750],
    ['0700', 0o700]
  ])('keeps mode %s', async (_, bits) => {
    mkdirSync(directory)
    chmodSync(directory, bits)
    for (const argv of [
      ['config', 'set', 'output', 'json'],
      ['pets', 'import', 'pets.ndjson', '--env', 'local']
    ]) {
      await petstore(argv)
      expect(mode(directory)).toBe(bits)
    }
    expect(mode(join(directory, 'config.json'))).toBe(0o600)
    expect(mode(join(directory, 'journals'))).toBe(0o700)
    for (const name of readdirSync(join(directory, 'journals'))) {
      expect([name, mode(join(directory, 'journals', name))]).toEqual([name, 0o600])
    }
  })

  test('keeps its mode if it is a link in the home', async () => {
    mkdirSync(at('shared'))
    chmodSync(at('shared'), 0o755)
    mkdirSync(at('.config'), { mode: 0o700 })
    symlinkSync(at('shared'), at('.config/petstore'))
    expect((await petstore(['config', 'set', 'output', 'json'], {})).code).toBe(0)
    expect(mode(at('shared'))).toBe(0o755)
  })

  test.each(['.', './', '$PWD'])('keeps its mode with PETSTORE_CONFIG_DIR=%s', async value => {
    chmodSync(home, 0o755)
    const env = { PETSTORE_CONFIG_DIR: value.replace('$PWD', home) }
    expect((await petstore(['config', 'set', 'output', 'json'], env)).code).toBe(0)
    expect(mode(home)).toBe(0o755)
  })

  test('that others can change is named by doctor', async () => {
    mkdirSync(directory)
    chmodSync(directory, 0o777)
    expect((await petstore(['config', 'set', 'output', 'json'])).code).toBe(0)
    const { stdout } = await petstore(['doctor', '--env', 'local', '-o', 'tsv'])
    expect(stdout).toContain(
      `${directory} can be changed by other users (mode 0777)\tchmod go-w ${directory}`
    )
    expect(mode(directory)).toBe(0o777)
  })

  test('that is read-only is not written, not even by root', async () => {
    const file = saveConfig()
    const before = lstatSync(file).ino
    chmodSync(directory, 0o500)
    for (const argv of [
      ['config', 'set', 'output', 'json'],
      ['env', 'use', 'staging'],
      ['pets', 'import', 'pets.ndjson', '--env', 'local'],
      ['env', 'set', 'demo', '--base-url', 'https://a.example']
    ]) {
      const { code, stdout, stderr } = await petstore(argv)
      expect({ argv, code, stdout }).toEqual({ argv, code: 9, stdout: '' })
      expect(lastError(stderr)).toMatchObject({ code: 'local', hint: `chmod u+w ${directory}` })
    }
    expect((await petstore(['pets', 'list', '--env', 'local'])).code).toBe(0)
    expect([readdirSync(directory), mode(directory), lstatSync(file).ino]).toEqual([
      ['config.json'],
      0o500,
      before
    ])
  })
})

describe('a file that the program did not create', () => {
  test('is refused as a journal, and keeps its content and mode', async () => {
    writeFileSync(at('foreign.txt'), 'mine\n')
    chmodSync(at('foreign.txt'), 0o644)
    const { code } = await petstore([
      'pets',
      'import',
      'pets.ndjson',
      '--env',
      'local',
      '--journal',
      'foreign.txt'
    ])
    expect(code).toBe(2)
    expect([readFileSync(at('foreign.txt'), 'utf8'), mode(at('foreign.txt'))]).toEqual([
      'mine\n',
      0o644
    ])
  })

  test('is not set aside by --restart, and gets no lock file', async () => {
    writeFileSync(at('foreign.txt'), 'mine\n')
    const files = readdirSync(home)
    const importing = [
      'pets',
      'import',
      'pets.ndjson',
      '--env',
      'local',
      '--journal',
      'foreign.txt'
    ]
    for (const argv of [importing, [...importing, '--restart']]) {
      const { code, stderr } = await petstore(argv)
      expect([code, lastError(stderr).message]).toEqual([
        2,
        expect.stringContaining('is not the journal of an import')
      ])
    }
    expect(readdirSync(home).filter(name => name !== 'petstore')).toEqual(files)
    expect(readFileSync(at('foreign.txt'), 'utf8')).toBe('mine\n')
  })

  test.each(['--rejects', '--journal'])(
    'is not written by %s if it is read-only, not even by root',
    async option => {
      writeFileSync(at('mine'), '')
      chmodSync(at('mine'), 0o400)
      const { code, stderr } = await petstore([
        'pets',
        'import',
        'pets.ndjson',
        '--env',
        'local',
        option,
        'mine'
      ])
      expect(code).toBe(9)
      expect(lastError(stderr)).toMatchObject({
        message: 'mine is read-only (mode 0400)',
        hint: 'chmod u+w mine'
      })
      expect([readFileSync(at('mine'), 'utf8'), mode(at('mine'))]).toEqual(['', 0o400])
    }
  )
})

test('the journal of another import is not overwritten by --rejects', async () => {
  await petstore(['pets', 'import', 'pets.ndjson', '--env', 'local', '--journal', 'done.journal'])
  const journal = readFileSync(at('done.journal'))
  const { code, stderr } = await petstore([
    'pets',
    'import',
    'pets.ndjson',
    '--check',
    '--rejects',
    'done.journal'
  ])
  expect([code, lastError(stderr).message]).toEqual([2, 'done.journal is the journal of an import'])
  expect(readFileSync(at('done.journal'))).toEqual(journal)
})

needs('root')('nothing is written through a link of another user', () => {
  const otherUser = 54321
  const linkOfOtherUser = (target: string, path: string) => {
    symlinkSync(target, path)
    lchownSync(path, otherUser, otherUser)
  }

  test.each(['config.json', 'local.db', 'journals'])('instead of %s', async name => {
    mkdirSync(directory)
    mkdirSync(at('elsewhere'))
    const isDirectory = name === 'journals'
    if (!isDirectory) writeFileSync(at('elsewhere/file'), '')
    linkOfOtherUser(at(isDirectory ? 'elsewhere' : 'elsewhere/file'), join(directory, name))
    const { code } = await petstore(
      isDirectory
        ? ['pets', 'import', 'pets.ndjson', '--env', 'local']
        : ['config', 'set', 'output', 'json']
    )
    await petstore(['pets', 'list', '--env', 'local'])
    expect(code).toBe(name === 'local.db' ? 0 : 9)
    expect(readdirSync(at('elsewhere'))).toEqual(isDirectory ? [] : ['file'])
    if (!isDirectory) expect(readFileSync(at('elsewhere/file'), 'utf8')).toBe('')
  })

  test('instead of the database of serve', async () => {
    linkOfOtherUser(at('elsewhere'), at('theirs.db'))
    const { code, stderr } = await petstore(['serve', '--port', '0', '--data', 'theirs.db'])
    expect([code, lastError(stderr).message]).toEqual([
      9,
      'theirs.db is a link of another user (54321)'
    ])
    expect(readdirSync(home)).not.toContain('elsewhere')
  })

  test.each(['--rejects', '--journal'])('instead of the file for %s', async option => {
    linkOfOtherUser(at('elsewhere'), at('theirs'))
    const { code, stderr } = await petstore([
      'pets',
      'import',
      'pets.ndjson',
      '--env',
      'local',
      option,
      'theirs'
    ])
    expect([code, lastError(stderr).message]).toEqual([
      9,
      `theirs is a link of another user (${otherUser})`
    ])
    expect(readdirSync(home)).not.toContain('elsewhere')
    expect(
      JSON.parse((await petstore(['pets', 'list', '--env', 'local', '--jq', 'map(.name)'])).stdout)
    ).not.toContain('Rex')
  })

  test('instead of the directory, even through a link of this user', async () => {
    mkdirSync(at('elsewhere'))
    linkOfOtherUser(at('elsewhere'), at('theirs'))
    symlinkSync(at('theirs'), directory)
    const { code, stderr } = await petstore(['config', 'set', 'output', 'json'])
    expect([code, lastError(stderr).message]).toEqual([
      9,
      `${at('theirs')} is a link of another user (${otherUser})`
    ])
    expect(readdirSync(at('elsewhere'))).toEqual([])
  })
})

describe('an output that is also another file of the run is refused, and nothing is written', () => {
  const outputs: [what: string, argv: string[], words: string, prepare?: () => void][] = [
    ['--rejects, the config file', ['--rejects', 'petstore/config.json'], 'the config file'],
    [
      '--rejects, a link to it',
      ['--rejects', 'link'],
      'the config file',
      () => link('petstore/config.json')
    ],
    ['--rejects, the database', ['--rejects', 'petstore/local.db'], 'the local database'],
    [
      '--rejects, the log of the database',
      ['--rejects', 'petstore/local.db-wal'],
      'the local database'
    ],
    ['--rejects, the input', ['--rejects', './pets.ndjson'], 'the input'],
    [
      '--rejects, a link to the input',
      ['--rejects', 'link'],
      'the input',
      () => link('pets.ndjson')
    ],
    ['--rejects, the journal', ['--rejects', 'j', '--journal', './j'], 'the journal'],
    [
      "--rejects, the journal's lock",
      ['--rejects', 'j.lock.db', '--journal', 'j'],
      "the journal's lock"
    ],
    ['--journal, the config file', ['--journal', 'petstore/config.json'], 'the config file'],
    ['--journal, the database', ['--journal', 'petstore/local.db'], 'the local database'],
    ['--journal, the input', ['--journal', 'link'], 'the input', () => link('pets.ndjson')]
  ]

  const link = (target: string) => symlinkSync(target, at('link'))

  test.each(outputs)('%s', async (_what, argv, words, prepare) => {
    const file = saveConfig()
    prepare?.()
    const before = [readdirSync(home), readdirSync(directory)]
    const { code, stdout, stderr } = await petstore([
      'pets',
      'import',
      'pets.ndjson',
      '--env',
      'local',
      ...argv
    ])
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(lastError(stderr).message).toContain(` and ${words} are the same file: `)
    expect(readFileSync(file, 'utf8')).toBe(config)
    expect([readdirSync(home), readdirSync(directory)]).toEqual(before)
  })

  test.each(['petstore/config.json', 'petstore/config.json.lock.db', 'link'])(
    'serve --data %s',
    async data => {
      mkdirSync(directory)
      symlinkSync('petstore/config.json', at('link'))
      const { code, stderr } = await petstore(['serve', '--port', '0', '--data', data])
      expect(code).toBe(2)
      expect(lastError(stderr).message).toMatch(
        /^--data and the config file('s lock)? are the same file/
      )
      expect(readdirSync(directory)).toEqual([])
    }
  )
})
