import { execFile } from 'node:child_process'
import {
  appendFileSync,
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { isFresh, sourcesHash, writeDist } from '../../build/dist.js'
import { temporaryDirectory } from '../support/temp.ts'

const run = promisify(execFile)
const root = fileURLToPath(new URL('../..', import.meta.url))

/** A small project with the real build, so that it may be broken. */
function project(): string {
  const directory = temporaryDirectory()
  mkdirSync(join(directory, 'src'))
  writeFileSync(join(directory, 'src/main.ts'), "export const greet = async () => (await import('./late.ts')).word\n")
  writeFileSync(join(directory, 'src/late.ts'), "export const word: string = 'hello'\n")
  writeFileSync(join(directory, 'package.json'), '{ "type": "module" }\n')
  cpSync(join(root, 'build'), join(directory, 'build'), { recursive: true })
  symlinkSync(join(root, 'node_modules'), join(directory, 'node_modules'))
  return directory
}

const prepare = (directory: string) => run(process.execPath, [join(directory, 'build/prepare.js')])

async function greeting(directory: string): Promise<string> {
  const script = "require('./dist/main.cjs').greet().then(console.log)"
  return (await run(process.execPath, ['-e', script], { cwd: directory })).stdout.trim()
}

describe('prepare', () => {
  test('builds what is missing, says nothing on stdout, and then does nothing', async () => {
    const directory = project()
    expect((await prepare(directory)).stdout).toBe('')
    expect(await greeting(directory)).toBe('hello')
    // Without the tools a build would fail.
    rmSync(join(directory, 'node_modules'))
    await prepare(directory)
    expect(await greeting(directory)).toBe('hello')
  })

  test('builds again when a source has changed, and leaves no old chunk behind', async () => {
    const directory = project()
    await prepare(directory)
    writeFileSync(join(directory, 'src/late.ts'), "export const word: string = 'goodbye'\n")
    await prepare(directory)
    expect(await greeting(directory)).toBe('goodbye')
    expect(readdirSync(join(directory, 'dist')).filter((name) => name.startsWith('late-')).length).toBe(1)
  })

  test('builds again what was damaged', async () => {
    const directory = project()
    await prepare(directory)
    writeFileSync(join(directory, 'dist/main.cjs'), '')
    await prepare(directory)
    expect(await greeting(directory)).toBe('hello')
  })

  test('fails on a source that does not build, and leaves the old build', async () => {
    const directory = project()
    await prepare(directory)
    writeFileSync(join(directory, 'src/main.ts'), 'export const =\n')
    await expect(prepare(directory)).rejects.toMatchObject({ code: 1, stdout: '' })
    expect(await greeting(directory)).toBe('hello')
  })

  test('fails on an import of what is not there, and leaves the old build', async () => {
    const directory = project()
    await prepare(directory)
    writeFileSync(join(directory, 'src/late.ts'), "export { word } from 'not-installed'\n")
    for (const _again of [1, 2]) {
      await expect(prepare(directory)).rejects.toMatchObject({
        code: 1,
        stderr: expect.stringContaining('not-installed'),
      })
    }
    expect(await greeting(directory)).toBe('hello')
  })

  test('may run several times at once', async () => {
    const directory = project()
    await Promise.all([prepare(directory), prepare(directory), prepare(directory)])
    expect(await greeting(directory)).toBe('hello')
    expect(readdirSync(join(directory, 'dist')).filter((name) => name.endsWith('.part'))).toEqual([])
    expect(isFresh(sourcesHash(directory), join(directory, 'dist'))).toBe(true)
  })
})

test('every file that a build is made from counts', () => {
  const directory = project()
  const files = ['src', 'build'].flatMap((folder) =>
    readdirSync(join(directory, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name)),
  )
  for (const file of [...files, join(directory, 'package.json')]) {
    const before = sourcesHash(directory)
    appendFileSync(file, '\n')
    expect(sourcesHash(directory), file).not.toBe(before)
  }
})

describe('a build in place', () => {
  test('is fresh for its own sources, while every file is whole', () => {
    const dist = join(temporaryDirectory(), 'dist')
    expect(isFresh('one', dist)).toBe(false)
    writeDist(
      'one',
      new Map([
        ['main.cjs', 'main'],
        ['late.cjs', 'late'],
      ]),
      dist,
    )
    expect(readFileSync(join(dist, 'main.cjs'), 'utf8')).toBe('main')
    expect(isFresh('one', dist)).toBe(true)
    expect(isFresh('other', dist)).toBe(false)
    writeFileSync(join(dist, 'late.cjs'), 'lat')
    expect(isFresh('one', dist)).toBe(false)
    rmSync(join(dist, 'late.cjs'))
    expect(isFresh('one', dist)).toBe(false)
  })

  test('is not fresh with a stamp that is cut off', () => {
    const dist = join(temporaryDirectory(), 'dist')
    writeDist('one', new Map([['main.cjs', 'main']]), dist)
    writeFileSync(join(dist, 'stamp.json'), '{"sources":"one"')
    expect(isFresh('one', dist)).toBe(false)
  })
})
