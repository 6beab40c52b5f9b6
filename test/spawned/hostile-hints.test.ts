import { execFileSync } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { needs } from '../support/needs.ts'
import { recordingServer } from '../support/recording-server.ts'
import { runCli } from '../support/run-cli.ts'
import { temporaryDirectory } from '../support/temp.ts'

/**
 * Names that do something in a shell, look like an option, or are invisible: `:>owned` creates a
 * file.
 */
const names = [
  '--yes',
  '-x',
  '$(:>owned)',
  '`:>owned`',
  ';:>owned',
  "';:>owned;'",
  '"$(:>owned)"',
  '&:>owned',
  '|:>owned',
  '>owned',
  '$PATH',
  'a b',
  'a\nb',
  '\u001b]0;owned\u0007',
  '\u202egpj.exe',
  '~',
  '*',
  '!!',
  '=ls',
  '#x',
  '{a,b}',
  'back\\slash',
  '犬 and ü'
]

/** One name of each kind, for the places whose hints quote a path in the same way. */
const someNames = ['-x', "';:>owned;'", 'a\nb', '~', '犬 and ü']

/** Every program that a hint may call. */
const commands = ['petstore', 'openssl', 'chmod', 'mv', 'mkdir', 'npm', 'date', 'sleep', 'env']

let home: string
let work: string
const cwd = process.cwd()

beforeEach(() => {
  home = temporaryDirectory()
  work = temporaryDirectory()
  process.chdir(work)
})
afterEach(() => process.chdir(cwd))

/**
 * The commands that a run suggests: the hints of its errors, and the commands at the end of its
 * notices.
 */
function hintsOf(stderr: string): string[] {
  return stderr
    .trim()
    .split('\n')
    .filter(line => line !== '')
    .flatMap(line => {
      const { error, notice } = JSON.parse(line)
      const ending = /; to (?:go on|prevent it|continue): (.*)$/s.exec(notice?.message ?? '')?.[1]
      return [error?.hint, ending].filter(hint => hint !== undefined)
    })
}

/** Programs that only record their arguments. */
let bin: string
beforeAll(() => {
  bin = mkdtempSync(join(tmpdir(), 'petstore-bin-'))
  const script = `#!/bin/sh\n{ printf '%s\\0' "\${0##*/}" "$@"; printf '\\n\\0'; } >>"$LOG"\n`
  for (const command of commands) writeFileSync(join(bin, command), script, { mode: 0o755 })
})
afterAll(() => rmSync(bin, { recursive: true }))

/** Runs hints in bash. Returns the words of each command. */
function runInBash(hints: string): string[][] {
  const shell = temporaryDirectory()
  mkdirSync(join(shell, 'cwd'))
  const LOG = join(shell, 'log')
  const env = { PATH: bin, HOME: '/home/of-the-test', LOG }
  execFileSync('/bin/bash', ['--norc', '-c', hints], { cwd: join(shell, 'cwd'), env, input: '' })
  expect({ hints, created: readdirSync(join(shell, 'cwd')) }).toEqual({ hints, created: [] })
  if (!existsSync(LOG)) return []
  const runs = readFileSync(LOG, 'utf8').split('\n\0').slice(0, -1)
  return runs.map(run => run.split('\0').slice(0, -1))
}

/** Runs every hint of a run in bash. Resolves to the words of all commands. */
async function wordsAfter(
  argv: readonly string[],
  env: Record<string, string> = {},
  stdin = ''
): Promise<string[]> {
  const { stderr } = await runCli(argv, { home, env, stdin })
  const hints = hintsOf(stderr)
  expect({ argv, stderr, count: hints.length }).not.toMatchObject({ count: 0 })
  // Messages replace such characters, so a hint that contains them would name another file.
  for (const hint of hints) expect(hint).not.toMatch(/[\p{C}\p{Zl}\p{Zp}]/u)
  return hints.flatMap(hint => runInBash(hint).flat())
}

const local = ['--env', 'local']
const rows = '{"name":"Rex","categoryId":1}\n{"name":""}\n'

needs('/bin/bash')('a hint is correct when it is pasted into bash', () => {
  test.each(names)('with a file named %j to import', async name => {
    writeFileSync(name, rows)
    const words = await wordsAfter(['pets', 'import', ...local, '--', name])
    expect(words).toContain(name.startsWith('-') ? `./${name}` : name)
  })

  describe.each(someNames)('with a file named %j', name => {
    const asPath = name.startsWith('-') ? `./${name}` : name

    test('after --rejects', async () => {
      writeFileSync('pets.ndjson', rows)
      const argv = ['pets', 'import', 'pets.ndjson', ...local, `--rejects=${name}`]
      const words = await wordsAfter(argv)
      expect([name, asPath, `--rejects=${name}`].some(word => words.includes(word))).toBe(true)
    })
  })

  describe.each(someNames)('with the config directory %j', name => {
    let directory: string
    let env: Record<string, string>

    beforeEach(() => {
      directory = join(work, name)
      env = { PETSTORE_CONFIG_DIR: directory }
      mkdirSync(directory, { mode: 0o700 })
    })

    test('that contains a broken config file', async () => {
      writeFileSync(join(directory, 'config.json'), '{')
      const words = await wordsAfter(['env', 'list'], env)
      expect(words).toEqual([
        'mv',
        '-i',
        join(directory, 'config.json'),
        join(directory, 'config.json.old')
      ])
    })
  })

  test.each(['$(:>owned)', "';:>owned;'", '`:>owned`', '~', '!!', '-x'])(
    'with the path %s in a base URL',
    async path => {
      const server = await recordingServer({
        status: 401,
        json: { code: 'x', message: 'x', status: 401 }
      })
      const url = `${server.url}/${path}`
      const words = await wordsAfter(
        ['auth', 'login', '--env', 'staging', '--base-url', url],
        {},
        'sk_test'
      )
      expect(words).toEqual(['petstore', 'auth', 'login', '--env', 'staging', '--base-url', url])
    }
  )

  test.each(names)('after command lines with %j at any position', async name => {
    const lines = [
      [name],
      ['pets', name],
      ['pets', 'list', name],
      ['pets', 'list', '--env', name],
      ['pets', 'list', `--status=${name}`],
      ['pets', 'list', `--fields=${name}`],
      ['help', name],
      ['config', 'get', name],
      ['config', 'set', 'output', name],
      ['env', 'use', name],
      ['env', 'set', name, '--base-url', 'https://a.example'],
      ['env', 'set', 'mine', '--base-url', name],
      ['env', 'unset', name],
      ['auth', 'login', '--env', name],
      ['api', 'GET', name],
      ['messages', 'send', name, name],
      ['pets', 'add', '--name', name],
      ['pets', 'import', `./${name}`],
      ['serve', `--host=${name}`, '--port', '0']
    ]
    const hints = new Set<string>()
    for (const argv of lines) {
      const { stderr } = await runCli(['--json', ...argv], { home })
      for (const hint of hintsOf(stderr)) hints.add(hint)
    }
    runInBash([...hints].join('\n'))
  })
})
