import { execFile } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, describe, expect, test } from 'vitest'
import launcher from '../../bin/petstore.js'
import { writeFiles } from '../../build/dist.js'
import { temporaryDirectory } from '../support/temp.ts'

const run = promisify(execFile)
const root = fileURLToPath(new URL('../..', import.meta.url))

/** Creates a small project with the real build and launcher, which a test can break. */
function project(directory = temporaryDirectory()): string {
  for (const folder of ['src', 'completions', 'skills']) mkdirSync(join(directory, folder))
  writeFileSync(
    join(directory, 'src/main.ts'),
    mainOf("return (await import('./late.ts')).print()")
  )
  writeFileSync(join(directory, 'src/late.ts'), lateOf('hello'))
  const manifest = { name: 'example', version: '1.0.0', license: 'MIT', type: 'module' }
  writeFileSync(join(directory, 'package.json'), JSON.stringify(manifest))
  writeFileSync(join(directory, 'package-lock.json'), '{"packages":{}}')
  for (const folder of ['build', 'bin'])
    cpSync(join(root, folder), join(directory, folder), { recursive: true })
  symlinkSync(join(root, 'node_modules'), join(directory, 'node_modules'))
  return directory
}

const mainOf = (body: string) => `
  export const processHost = () => {}
  export const main = async () => { ${body} }
`
const lateOf = (word: string) =>
  `export const print = (): number => { console.log('${word}'); return 0 }\n`

const prepare = (directory: string, env?: NodeJS.ProcessEnv) =>
  run(process.execPath, [join(directory, 'build/prepare.js')], env && { env })

async function printed(directory: string): Promise<string> {
  return (await run(process.execPath, [join(directory, 'bin/petstore.js')])).stdout.trim()
}

/** A copy of a project that is built already: a build takes half a second. */
async function preparedProject(): Promise<string> {
  original ??= (async () => {
    const directory = project(mkdtempSync(join(tmpdir(), 'petstore-project-')))
    await prepare(directory)
    return directory
  })()
  const directory = temporaryDirectory()
  // cpSync does not preserve the times of directories.
  await run('cp', ['-a', `${await original}/.`, directory])
  return directory
}
let original: Promise<string> | undefined
afterAll(async () => rmSync((await original) ?? '', { recursive: true, force: true }))

const compiledIn = (directory: string) => launcher.compiledDirectory(join(directory, 'dist'))

/** The names of the chunks that have compiled code. */
function compiledChunks(directory: string): string[] {
  const dist = join(directory, 'dist')
  return readdirSync(dist)
    .filter(name => name.endsWith('.cjs'))
    .filter(name =>
      existsSync(launcher.compiledPath(dist, readFileSync(join(dist, name), 'latin1')))
    )
    .map(name => name.replace(/(-.{8})?\.cjs$/, ''))
}

describe('prepare', () => {
  test('builds what is missing without output on stdout, and does nothing the second time', async () => {
    const directory = project()
    expect((await prepare(directory)).stdout).toBe('')
    expect(await printed(directory)).toBe('hello')
    expect(compiledChunks(directory).sort()).toEqual(['late', 'main'])
    const stamps = [join(directory, 'dist/stamp'), join(compiledIn(directory), 'stamp')]
    const before = stamps.map(path => statSync(path).ino)
    await prepare(directory)
    expect(stamps.map(path => statSync(path).ino)).toEqual(before)
  })

  test('builds again when a source has changed or a file was added or removed, and removes old files', async () => {
    const directory = await preparedProject()
    writeFileSync(join(directory, 'src/late.ts'), lateOf('goodbye'))
    await prepare(directory)
    expect(await printed(directory)).toBe('goodbye')
    expect(
      readdirSync(join(directory, 'dist')).filter(name => name.startsWith('late-'))
    ).toHaveLength(1)
    expect(readdirSync(compiledIn(directory)).filter(name => name.endsWith('.v8'))).toHaveLength(2)
    const extra = join(directory, 'skills/extra.md')
    for (const change of [() => writeFileSync(extra, ''), () => rmSync(extra)]) {
      const before = statSync(join(directory, 'dist/stamp')).ino
      change()
      await prepare(directory)
      expect(statSync(join(directory, 'dist/stamp')).ino).not.toBe(before)
    }
  })

  test('builds again if a build was stopped, or a source changed during it', async () => {
    const directory = project()
    const slow = prepare(directory)
    writeFileSync(join(directory, 'src/late.ts'), lateOf('goodbye'))
    await slow
    await prepare(directory)
    expect(await printed(directory)).toBe('goodbye')
    rmSync(join(directory, 'dist/stamp'))
    writeFileSync(join(directory, 'dist/main.cjs'), '')
    await prepare(directory)
    expect(await printed(directory)).toBe('goodbye')
  })

  test('does nothing if only the times of the sources differ, also in the future', async () => {
    const directory = await preparedProject()
    const stamp = join(directory, 'dist/stamp')
    const before = statSync(stamp).ino
    const nextYear = new Date(Date.now() + 365 * 24 * 3_600_000)
    for (const time of [new Date(0), nextYear]) {
      utimesSync(join(directory, 'src/late.ts'), time, time)
      await prepare(directory)
      expect(statSync(stamp).ino).toBe(before)
    }
    writeFileSync(join(directory, 'src/late.ts'), lateOf('goodbye'))
    utimesSync(join(directory, 'src/late.ts'), nextYear, nextYear)
    await prepare(directory)
    expect(await printed(directory)).toBe('goodbye')
  })

  test('compiles a finished build without development tools', async () => {
    const directory = await preparedProject()
    rmSync(join(directory, 'node_modules'))
    rmSync(compiledIn(directory), { recursive: true })
    await prepare(directory)
    expect(compiledChunks(directory).sort()).toEqual(['late', 'main'])
  })

  test('keeps the compiled code of another V8 until the sources change', async () => {
    const directory = await preparedProject()
    const other = join(directory, 'dist/compiled/1.2.3-plan9-mips')
    cpSync(compiledIn(directory), other, { recursive: true })
    rmSync(compiledIn(directory), { recursive: true })
    await prepare(directory)
    expect(existsSync(other)).toBe(true)
    writeFileSync(join(directory, 'src/late.ts'), lateOf('goodbye'))
    await prepare(directory)
    expect(readdirSync(join(directory, 'dist/compiled'))).toEqual([basename(compiledIn(directory))])
  })

  test('compiles the same bytes each time, so that other platforms can have almost the same', async () => {
    const [one, other] = [await preparedProject(), await preparedProject()]
    rmSync(compiledIn(other), { recursive: true })
    await prepare(other)
    const bytesIn = (directory: string) =>
      readdirSync(compiledIn(directory)).map(name => [
        name,
        readFileSync(join(compiledIn(directory), name), 'base64')
      ])
    expect(bytesIn(other)).toEqual(bytesIn(one))
  })

  test('works without HOME, and ignores variables of the machine', async () => {
    const directory = project()
    writeFileSync(
      join(directory, 'src/main.ts'),
      mainOf(
        "const { CI, NODE_OPTIONS } = process.env; return CI ?? NODE_OPTIONS ?? (await import('./late.ts')).print()"
      )
    )
    await prepare(directory, {
      PATH: process.env.PATH,
      CI: '1',
      NODE_OPTIONS: '--max-old-space-size=512'
    })
    expect(compiledChunks(directory).sort()).toEqual(['late', 'main'])
    expect(await printed(directory)).toBe('hello')
  })

  test.each([
    ['a source that does not parse', 'src/main.ts', 'export const =\n', 'main.ts'],
    [
      'an import that is not installed',
      'src/late.ts',
      "export { print } from 'not-installed'\n",
      'not-installed'
    ],
    ['a program that fails', 'src/main.ts', mainOf('return 9'), 'exited with 9'],
    [
      'a program that never ends',
      'src/main.ts',
      mainOf('await new Promise(() => {})'),
      'cannot be built: 1'
    ],
    [
      'a program that catches its own crash',
      'src/main.ts',
      mainOf("process.on('uncaughtException', () => {}); throw Error('it crashed')"),
      'it crashed'
    ]
  ])('fails on %s, and keeps the old build', async (_, file, source, message) => {
    const directory = await preparedProject()
    const contents = () =>
      readdirSync(directory, { recursive: true, encoding: 'utf8' }).map(name => [name, ino(name)])
    const ino = (name: string) => statSync(join(directory, name)).ino
    writeFileSync(join(directory, file), source)
    const before = contents()
    await expect(prepare(directory)).rejects.toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringContaining(message)
    })
    expect(contents()).toEqual(before)
  })

  test('can run several times at once', async () => {
    const directory = project()
    await Promise.all([prepare(directory), prepare(directory), prepare(directory)])
    expect(await printed(directory)).toBe('hello')
    const names = readdirSync(join(directory, 'dist'), { recursive: true, encoding: 'utf8' })
    expect(names.filter(name => name.endsWith('.part'))).toEqual([])
    expect(compiledChunks(directory).sort()).toEqual(['late', 'main'])
  })

  test('keeps the chunks of a build of other sources that runs at the same time', async () => {
    const directory = await preparedProject()
    const builds = ['first', 'other'].map(word => {
      writeFileSync(join(directory, 'src/late.ts'), lateOf(word))
      return prepare(directory)
    })
    await Promise.all(builds)
    expect(['first', 'other']).toContain(await printed(directory))

    const dist = temporaryDirectory()
    const now = Date.now()
    writeFiles(new Map([['late-new.cjs', '']]), dist, new Date(now - 1000), '')
    writeFiles(new Map([['late-old.cjs', '']]), dist, new Date(now - 2000), '')
    expect(readdirSync(dist).sort()).toEqual(['late-new.cjs', 'late-old.cjs', 'stamp'])
    writeFiles(new Map([['late-newer.cjs', '']]), dist, new Date(now + 1000), '')
    expect(readdirSync(dist).sort()).toEqual(['late-newer.cjs', 'stamp'])
  })

  test('never pairs a chunk with the compiled code of another build', async () => {
    const directory = project()
    // V8 cannot distinguish sources of the same length.
    for (const words of [
      ['first', 'other'],
      ['third', 'forth']
    ]) {
      const builds = words.map(word => {
        writeFileSync(join(directory, 'src/main.ts'), mainOf(`console.log('${word}'); return 0`))
        return prepare(directory)
      })
      await Promise.all(builds)
      const source = readFileSync(join(directory, 'dist/main.cjs'), 'utf8')
      expect(source).toContain(await printed(directory))
    }
  })
})
