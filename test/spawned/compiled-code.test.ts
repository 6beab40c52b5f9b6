import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import launcher from '../../bin/petstore.js'
import manifest from '../../package.json' with { type: 'json' }
import { loadedBy } from '../support/loaded.ts'
import { installForAllUsers } from '../support/other-user.ts'
import { recordingServer } from '../support/recording-server.ts'
import { isStandalone, packageRoot, spawnCli } from '../support/spawn-cli.ts'
import { temporaryDirectory } from '../support/temp.ts'

const version = { code: 0, signal: null, stdout: `${manifest.version}\n`, stderr: '' }
const pets = [{ id: 1, name: 'Rex', categoryId: 2, status: 'available' }]

async function serviceVariables() {
  const server = await recordingServer({ json: pets })
  return { PETSTORE_API_KEY: 'secret', PETSTORE_BASE_URL: `${server.url}/v1` }
}

/** Copies the program so that a test can damage it. */
function copyProgram() {
  const directory = temporaryDirectory()
  const filter = (path: string) => !/[\\/]dist[\\/](standalone|release)$/.test(path)
  for (const folder of ['bin', 'dist'])
    cpSync(join(packageRoot, folder), join(directory, folder), { recursive: true, filter })
  const dist = join(directory, 'dist')
  const compiled = launcher.compiledDirectory(dist)
  const names = readdirSync(compiled).filter(name => name.endsWith('.v8'))
  const files = names.map(name => join(compiled, name))
  return { program: join(directory, 'bin/petstore.js'), dist, files }
}

describe('all chunks have compiled code for', () => {
  test.each([[['--version']], [['--help']], [['pets', 'list', '--env', 'local']]])(
    '%j',
    async argv => {
      const { code, chunks, compiled } = await loadedBy(argv)
      expect(code).toBe(0)
      expect(compiled).toEqual(chunks)
    }
  )

  test('pets list', async () => {
    const { chunks, compiled } = await loadedBy(['pets', 'list'], { env: await serviceVariables() })
    expect(chunks).toContain('network')
    expect(compiled).toEqual(chunks)
  })
})

test.skipIf(isStandalone)('no run writes compiled code', async () => {
  const env = { ...(await serviceVariables()), XDG_CACHE_HOME: temporaryDirectory() }
  const home = temporaryDirectory()
  const { program, dist } = copyProgram()
  const before = readdirSync(dist, { recursive: true })
  for (const argv of [['--version'], ['pets', 'list'], ['pets', 'lst'], ['help', 'exit-codes']]) {
    await spawnCli(argv, { home, env, program })
  }
  expect(readdirSync(home)).toEqual([])
  expect(readdirSync(env.XDG_CACHE_HOME)).toEqual([])
  expect(readdirSync(dist, { recursive: true })).toEqual(before)
})

describe.skipIf(isStandalone)('compiled code is ignored if it', () => {
  test.each<[string, (file: string) => void]>([
    ['is missing', file => rmSync(file)],
    ['is truncated', file => truncateSync(file, Math.floor(readFileSync(file).length * 0.9))],
    ['is empty', file => truncateSync(file, 0)],
    ['is shorter than the header of V8', file => truncateSync(file, 31)],
    ['consists of zeros', file => writeFileSync(file, Buffer.alloc(readFileSync(file).length))],
    ['is for another V8', file => flipBits(file, 4)],
    [
      'is a directory',
      file => {
        rmSync(file)
        mkdirSync(file)
      }
    ]
  ])('%s', async (_, damage) => {
    const { program, files } = copyProgram()
    for (const file of files) damage(file)
    const { code, stdout, chunks, compiled } = await loadedBy(['--version'], { program })
    expect({ code, stdout }).toEqual({ code: 0, stdout: version.stdout })
    expect({ chunks, compiled }).toEqual({ chunks: ['main'], compiled: [] })
  })

  test('belongs to another build', async () => {
    const { program, dist } = copyProgram()
    const main = join(dist, 'main.cjs')
    // V8 checks only the length of the source, so it stays the same.
    const text = readFileSync(main, 'utf8')
      .replaceAll(manifest.version, '9.9.9')
      .replace(/\/\*.{16}\*\//, '/*another-build___*/')
    writeFileSync(main, text)
    expect(await spawnCli(['--version'], { program })).toEqual({ ...version, stdout: '9.9.9\n' })
  })
})

test.skipIf(isStandalone)(
  'compiled code can be changes to the code for the common platform',
  async () => {
    const { program, files } = copyProgram()
    for (const file of files) {
      const common = file.replace(/-\w+-\w+(?=[\\/][^\\/]*$)/, `-${launcher.commonPlatform}`)
      mkdirSync(dirname(common), { recursive: true })
      const bytes = readFileSync(file)
      rmSync(file)
      const changes = [4, bytes.length - 1].map(place => place + (bytes[place] ?? 0) * 2 ** 24)
      writeFileSync(`${file}.changes`, Uint32Array.of(changes.length, ...changes))
      for (const place of [4, bytes.length - 1]) bytes[place] = (bytes[place] ?? 0) ^ 0xff
      writeFileSync(common, bytes)
    }
    const { code, chunks, compiled } = await loadedBy(['--help'], { program })
    expect({ code, compiled }).toEqual({ code: 0, compiled: chunks })
  }
)

test('the program runs with Node options for which V8 refuses the compiled code', async () => {
  const env = { NODE_OPTIONS: '--max-old-space-size=512' }
  expect(await spawnCli(['--version'], { env })).toEqual(version)
})

test.skipIf(isStandalone)(
  'compiled code contains no directory of the machine that built it',
  () => {
    for (const file of copyProgram().files) {
      const text = readFileSync(file, 'latin1')
      for (const directory of [packageRoot, `${tmpdir()}/`]) expect(text).not.toContain(directory)
    }
  }
)

/** Changes one byte of the header with which V8 validates compiled code. */
function flipBits(file: string, offset: number) {
  const bytes = readFileSync(file)
  bytes[offset] = (bytes[offset] ?? 0) ^ 0xff
  writeFileSync(file, bytes)
}

test.skipIf(isStandalone)(
  'no package is loaded from the home directory or from above the program',
  async () => {
    const home = temporaryDirectory()
    const mark = join(home, 'loaded')
    for (const folder of ['.node_modules', '.node_libraries', 'node_modules']) {
      const directory = join(home, folder, '@photostructure', 'sqlite')
      mkdirSync(directory, { recursive: true })
      writeFileSync(join(directory, 'package.json'), '{}')
      writeFileSync(
        join(directory, 'index.js'),
        `require('node:fs').writeFileSync(${JSON.stringify(mark)}, '')`
      )
    }
    const installed = installForAllUsers({ withSqlite: false })
    const program = join(home, 'app', 'bin', 'petstore.js')
    cpSync(join(installed, '../..'), join(home, 'app'), { recursive: true })
    const { code } = await spawnCli(['pets', 'list', '--env', 'local'], { home, program })
    // Newer versions of Node have their own SQLite.
    expect([0, 9]).toContain(code)
    expect(existsSync(mark)).toBe(false)
  }
)
