import { cpSync, mkdirSync, readdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import launcher from '../../bin/petstore.js'
import { isStandalone, packageRoot, spawnCli } from '../support/spawn-cli.ts'
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
    join(dist, readdirSync(dist).find((name) => name.startsWith(start)) ?? start)
  return { program: join(directory, 'bin/petstore.js'), dist, chunk }
}

const problem = expect.stringMatching(/^the installation is damaged or was replaced: /)

describe.skipIf(isStandalone)('a part of the program is', () => {
  test.each<[string, string, (path: string) => void]>([
    ['missing at the start', 'main', (path) => rmSync(path)],
    ['missing later', 'program-', (path) => rmSync(path)],
    ['missing in the middle of a command', 'local-', (path) => rmSync(path)],
    ['empty', 'program-', (path) => truncateSync(path, 0)],
    ['truncated', 'client-', (path) => truncateSync(path, 1000)],
    [
      'a directory',
      'program-',
      (path) => {
        rmSync(path)
        mkdirSync(path)
      },
    ],
  ])('%s: one error in JSON', async (_, start, damage) => {
    const { program, chunk } = copyProgram()
    damage(chunk(start))
    const argv = ['pets', 'list', '--env', 'local', '--jq', '.']
    const { code, stdout, stderr } = await spawnCli(argv, { program })
    expect({ code, stdout }).toEqual({ code: 9, stdout: '' })
    const error = { code: 'local', message: problem, exitCode: 9, retryable: false }
    expect(JSON.parse(stderr)).toEqual({ error })
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
