import { execFile } from 'node:child_process'
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { cleanEnvironment, nodePath, spawnCli } from '../support/spawn-cli.ts'
import { temporaryDirectory } from '../support/temp.ts'
import { damaged, keptIn } from './kept.ts'
import { loadedBy } from './loaded.ts'

const run = promisify(execFile)
const root = fileURLToPath(new URL('../..', import.meta.url))
const version = { code: 0, signal: null, stdout: '0.1.0\n', stderr: '' }

/** A home in which the version was printed once. */
async function warmHome(): Promise<string> {
  const home = temporaryDirectory()
  expect(await spawnCli(['--version'], { home })).toEqual(version)
  return home
}

/** The same for runs that report what they load: theirs are other arguments of Node's, and so another cache. */
async function warmHomeForReports(): Promise<string> {
  const home = temporaryDirectory()
  await loadedBy(['--version'], { home })
  expect((await loadedBy(['--version'], { home })).kept).toContain('main')
  return home
}

test('the second run takes what the first one compiled', async () => {
  const home = temporaryDirectory()
  const list = ['pets', 'list', '--env', 'local']
  expect((await loadedBy(list, { home })).kept).toEqual([])
  expect((await loadedBy(list, { home })).kept).toEqual(expect.arrayContaining(['main', 'client', 'local']))
})

test('what every run begins with is kept for each noun, so that no command takes what only another calls', async () => {
  const home = temporaryDirectory()
  for (const line of [['--version'], ['pets', 'list', '--env', 'local'], ['config', 'path'], ['-q', 'env', 'list']]) {
    expect((await spawnCli(line, { home })).code).toBe(0)
  }
  const beginnings = readdirSync(keptIn(home)).filter((name) => name.startsWith('main'))
  expect(beginnings.map((name) => name.replace(/-v\d.*/, '')).sort()).toEqual(['main', 'main-config', 'main-pets'])
})

test('no two chunks are kept in one file', async () => {
  const home = temporaryDirectory()
  const file = join(home, 'pets.csv')
  writeFileSync(file, 'name,categoryId\nRex,1\n')
  const lines = [
    ['pets', 'list', '--env', 'local', '-o', 'csv'],
    ['pets', 'import', file, '--check'],
  ]
  for (const line of lines) await loadedBy(line, { home })
  for (const line of lines) {
    const { chunks, kept } = await loadedBy(line, { home })
    expect(kept).toEqual(expect.arrayContaining([...chunks]))
  }
  const names = readdirSync(join(root, 'dist')).filter((name) => name.endsWith('.cjs'))
  const withoutHash = names.map((name) => name.replace(/(-.{8})?\.cjs$/, ''))
  expect(withoutHash).toEqual([...new Set(withoutHash)])
})

test('every chunk is ASCII, as the launcher reads it', () => {
  const dist = join(root, 'dist')
  const chunks = readdirSync(dist).filter((name) => name.endsWith('.cjs'))
  expect(chunks.length).toBeGreaterThan(10)
  for (const name of chunks) expect(readFileSync(join(dist, name)).findIndex((byte) => byte > 0x7f)).toBe(-1)
})

test('it is the user’s alone, and nothing else is left behind', async () => {
  const home = await warmHome()
  const directory = keptIn(home)
  expect(statSync(directory).mode & 0o777).toBe(0o700)
  const names = readdirSync(directory)
  expect(names).toEqual(expect.arrayContaining([expect.stringMatching(/^main-v\d+/)]))
  for (const name of names) {
    expect(name).not.toContain('.part')
    expect(statSync(join(directory, name)).mode & 0o777).toBe(0o600)
  }
})

test('XDG_CACHE_HOME is where it goes, if it is set', async () => {
  const home = temporaryDirectory()
  const shared = join(home, 'elsewhere')
  await spawnCli(['--version'], { home, env: { XDG_CACHE_HOME: shared } })
  expect(existsSync(join(shared, 'petstore'))).toBe(true)
  expect(existsSync(join(home, '.cache'))).toBe(false)
})

test.each([
  ['with PETSTORE_NO_CACHE=1', ['--version'], { PETSTORE_NO_CACHE: '1' }],
  ['by a run that failed', ['pets', 'lst'], {}],
])('nothing is kept %s', async (_, argv, env) => {
  const home = temporaryDirectory()
  await spawnCli(argv, { home, env })
  expect(existsSync(join(home, '.cache'))).toBe(false)
})

test('PETSTORE_NO_CACHE=1 takes nothing either', async () => {
  const home = await warmHomeForReports()
  const { kept, code } = await loadedBy(['--version'], { home, env: { PETSTORE_NO_CACHE: '1' } })
  expect({ kept, code }).toEqual({ kept: [], code: 0 })
})

test('a directory that others can write to is not believed', async () => {
  const home = await warmHomeForReports()
  chmodSync(keptIn(home), 0o777)
  const { kept, code } = await loadedBy(['--version'], { home })
  expect({ kept, code }).toEqual({ kept: [], code: 0 })
})

test('other flags of V8 take nothing that was kept without them', async () => {
  const home = await warmHomeForReports()
  const { kept, code } = await loadedBy(['--version'], { home, env: { NODE_OPTIONS: '--stack-trace-limit=7' } })
  expect({ kept, code }).toEqual({ kept: [], code: 0 })
})

test('another program of the same length runs, and not the one that was kept', async () => {
  const home = temporaryDirectory()
  const copy = join(temporaryDirectory(), 'copy')
  for (const folder of ['bin', 'dist']) cpSync(join(root, folder), join(copy, folder), { recursive: true })
  const printVersion = async () => {
    const argv = [join(copy, 'bin/petstore.js'), '--version']
    return (await run(nodePath, argv, { env: cleanEnvironment(home) })).stdout
  }
  expect(await printVersion()).toBe('0.1.0\n')
  const main = join(copy, 'dist/main.cjs')
  writeFileSync(main, readFileSync(main, 'utf8').replaceAll('0.1.0', '0.1.9'))
  expect(await printVersion()).toBe('0.1.9\n')
})

const mainSource = () => readFileSync(join(root, 'dist/main.cjs'), 'latin1')

test.each<[string, (file: string) => void]>([
  ['empty', (file) => writeFileSync(file, '')],
  ['cut in half', (file) => truncateSync(file, Math.floor(statSync(file).size / 2))],
  ['of nothing twice and the source', (file) => writeFileSync(file, mainSource())],
  ['of nonsense twice and the source', (file) => writeFileSync(file, 'x'.repeat(4096) + mainSource())],
  [
    'a directory',
    (file) => {
      rmSync(file)
      mkdirSync(file)
    },
  ],
  [
    'a link to nowhere',
    (file) => {
      rmSync(file)
      symlinkSync('/nowhere/at/all', file)
    },
  ],
])('a kept file that is %s is given up without a word', async (_, spoil) => {
  const home = await warmHome()
  for (const name of readdirSync(keptIn(home))) spoil(join(keptIn(home), name))
  expect(await spawnCli(['--version'], { home })).toEqual(version)
})

test.each([0, 0.1, 0.3, 0.49, 0.51, 0.7, 0.9, 0.999])(
  'a byte that was flipped at %f of the file harms nobody',
  async (place) => {
    const home = damaged(await warmHomeForReports(), place)
    expect((await loadedBy(['--version'], { home })).kept).not.toContain('main')
    expect(await spawnCli(['--version'], { home: damaged(await warmHome(), place) })).toEqual(version)
  },
)

test('many first runs at once do not disturb each other', async () => {
  const home = temporaryDirectory()
  const runs = await Promise.all(Array.from({ length: 6 }, () => spawnCli(['--version'], { home })))
  expect(runs).toEqual(runs.map(() => version))
  expect(await spawnCli(['--version'], { home })).toEqual(version)
  expect(readdirSync(keptIn(home)).filter((name) => name.endsWith('.part'))).toEqual([])
})

test('a home that cannot be written to is no trouble', async () => {
  expect(await spawnCli(['--version'], { env: { HOME: '/proc/self/nothing' } })).toEqual(version)
  expect(await spawnCli(['--version'], { env: { HOME: undefined } })).toEqual(version)
})
