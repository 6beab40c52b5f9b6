import { cpSync, mkdirSync, readdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import launcher from '../../bin/petstore.js'
import { needs } from '../support/needs.ts'
import { isStandalone, packageRoot, spawnCli } from '../support/spawn-cli.ts'
import { withFault } from '../support/strace.ts'
import { temporaryDirectory } from '../support/temp.ts'

/** A copy of the program without compiled code. */
function copyProgram() {
  const directory = temporaryDirectory()
  cpSync(join(packageRoot, 'bin'), join(directory, 'bin'), { recursive: true })
  const dist = join(directory, 'dist')
  mkdirSync(dist)
  for (const name of readdirSync(join(packageRoot, 'dist')))
    if (/\.(cjs|wasm)$/.test(name)) cpSync(join(packageRoot, 'dist', name), join(dist, name))
  const chunk = (start: string) =>
    join(dist, readdirSync(dist).find(name => name.startsWith(start)) ?? start)
  return { program: join(directory, 'bin/petstore.js'), dist, chunk }
}

const problem = expect.stringMatching(/^the installation is damaged or was replaced: /)

describe.skipIf(isStandalone)('a part of the program is', () => {
  test.each<[string, string, (path: string) => void]>([
    ['missing at the start', 'main', path => rmSync(path)],
    ['missing later', 'program-', path => rmSync(path)],
    ['missing in the middle of a command', 'local-', path => rmSync(path)],
    ['jq, and missing', 'jq.wasm', path => rmSync(path)],
    ['empty', 'program-', path => truncateSync(path, 0)],
    ['truncated', 'client-', path => truncateSync(path, 1000)],
    [
      'a directory',
      'program-',
      path => {
        rmSync(path)
        mkdirSync(path)
      }
    ]
  ])('%s: one error in JSON', async (_, start, damage) => {
    const { program, chunk } = copyProgram()
    damage(chunk(start))
    const argv = ['pets', 'list', '--env', 'local', '--jq', '.']
    const { code, stdout, stderr } = await spawnCli(argv, { program })
    expect({ code, stdout }).toEqual({ code: 9, stdout: '' })
    const error = { code: 'local', message: problem, exitCode: 9, retryable: false }
    expect(JSON.parse(stderr)).toEqual({ error })
  })

  test.each<[form: string, argv: string[], isJson: boolean]>([
    ['text', ['-o', 'table'], false],
    ['text', ['--output=csv'], false],
    ['text', ['--json', '-otsv'], false],
    ['JSON', [], true],
    ['JSON', ['-o', 'ndjson'], true],
    ['JSON', ['-o', 'table', '--jq', '.'], true]
  ])('missing: %s with %j in a pipe', async (_, argv, isJson) => {
    const { program, chunk } = copyProgram()
    rmSync(chunk('main'))
    const { code, stderr } = await spawnCli(['pets', 'list', ...argv], { program })
    const beginning = isJson ? '{"error":{"code":"local"' : 'error: the installation is damaged'
    expect({ code, beginning: stderr.slice(0, beginning.length) }).toEqual({ code: 9, beginning })
  })
})

needs('strace')('for one moment, no file can be opened', () => {
  test.skipIf(isStandalone).each([
    ['main', 'ENFILE', undefined],
    ['program-', 'EMFILE', 'ulimit -n 1024'],
    ['local-', 'ENFILE', undefined],
    ['client-', 'EMFILE', 'ulimit -n 1024']
  ] as const)('when %s is loaded: %s', async (start, error, hint) => {
    const { program, chunk } = copyProgram()
    // As the launcher writes it.
    const path = `${dirname(program)}/../dist/${basename(chunk(start))}`
    const under = withFault({ call: 'openat', error, path, when: '1' })
    const argv = ['pets', 'list', '--env', 'local']
    const { code, stdout, stderr } = await spawnCli(argv, { program, under })
    expect({ code, stdout }).toEqual({ code: 9, stdout: '' })
    expect(JSON.parse(stderr).error).toEqual({
      code: 'local',
      message: `this machine has no file descriptor left (${error})`,
      exitCode: 9,
      hint,
      retryable: false
    })
  })
})

test('a chunk that failed to load is loaded by the next attempt', () => {
  const dist = temporaryDirectory()
  const load = launcher.chunkLoader(dist)
  const write = (body: string) =>
    writeFileSync(join(dist, 'late.cjs'), `(function(exports,require,__filename){${body}\n})`)
  expect(() => load('./late.cjs')).toThrow('the installation is damaged or was replaced')
  write("exports.half = 1; throw Error('no')")
  expect(() => load('./late.cjs')).toThrow('no')
  write('exports.whole = 2')
  expect(load('./late.cjs')).toEqual({ whole: 2 })
})
