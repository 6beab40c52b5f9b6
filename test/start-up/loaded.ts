import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { spawnCli } from '../support/spawn-cli.ts'
import { temporaryDirectory } from '../support/temp.ts'

const reporter = fileURLToPath(new URL('report-loaded.cjs', import.meta.url))

interface Loaded {
  readonly code: number | null
  /** The chunks of the bundle, without their hashes. */
  readonly chunks: readonly string[]
  /** Those that V8 did not have to compile. */
  readonly kept: readonly string[]
  /** Files of packages that are not in the bundle. */
  readonly outside: readonly string[]
  /** Node's own modules that a bare Node has not loaded. */
  readonly modules: readonly string[]
}

/** Runs the built program and tells what it loaded. */
export async function loadedBy(argv: readonly string[], options: Parameters<typeof spawnCli>[1] = {}): Promise<Loaded> {
  const report = join(temporaryDirectory(), 'loaded.json')
  const { code } = await spawnCli(argv, {
    ...options,
    nodeArguments: ['--require', reporter],
    env: { ...options.env, TEST_LOADED_REPORT: report },
  })
  const { modules, files, kept }: Report = JSON.parse(readFileSync(report, 'utf8'))
  return {
    code,
    chunks: files.filter(isChunk).map(nameOf),
    kept: kept.filter(isChunk).map(nameOf),
    outside: files.filter((file) => !isChunk(file) && !ourOwn.includes(file)),
    modules,
  }
}

type Report = Readonly<Record<'modules' | 'files' | 'kept', readonly string[]>>

const ourOwn = ['petstore.js', 'code-cache.js']
const isChunk = (file: string) => file.endsWith('.cjs')
const nameOf = (file: string) => file.replace(/(-.{8})?\.cjs$/, '')
