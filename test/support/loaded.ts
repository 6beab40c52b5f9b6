import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { spawnCli } from './spawn-cli.ts'
import { temporaryDirectory } from './temp.ts'

const reporter = fileURLToPath(new URL('report-loaded.cjs', import.meta.url))

interface Loaded {
  readonly code: number | null
  readonly stdout: string
  /** The chunks of the bundle, without their hashes. */
  readonly chunks: readonly string[]
  /** The chunks that V8 did not have to compile. */
  readonly compiled: readonly string[]
  /** Files of packages that are not in the bundle. */
  readonly outside: readonly string[]
  /** Node's own modules, without those that Node loads for an empty script. */
  readonly modules: readonly string[]
}

/** Runs the built program and reports what it loaded. */
export async function loadedBy(
  argv: readonly string[],
  options: Parameters<typeof spawnCli>[1] = {}
): Promise<Loaded> {
  const report = join(temporaryDirectory(), 'loaded.json')
  const { code, stdout } = await spawnCli(argv, {
    ...options,
    nodeArguments: ['--require', reporter],
    env: { ...options.env, TEST_LOADED_REPORT: report }
  })
  const { modules, files, compiled }: Report = JSON.parse(readFileSync(report, 'utf8'))
  return {
    code,
    stdout,
    chunks: files.filter(isChunk).map(nameOf),
    compiled: compiled.filter(isChunk).map(nameOf),
    outside: files.filter(
      file => (!file.endsWith('.cjs') || file === 'index.cjs') && file !== 'petstore.js'
    ),
    modules
  }
}

type Report = Readonly<Record<'modules' | 'files' | 'compiled', readonly string[]>>

/** `index.cjs` is SQLite for Node 20. The bundler's few helpers are a chunk of their own. */
const isChunk = (file: string) =>
  file.endsWith('.cjs') && !/^(index|rolldown-runtime-.*)\.cjs$/.test(file)
const nameOf = (file: string) => file.replace(/(-.{8})?\.cjs$/, '')
