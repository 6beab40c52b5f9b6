import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { spawnCli } from '../support/spawn-cli.ts'
import { temporaryDirectory } from '../support/temp.ts'

const reporter = fileURLToPath(new URL('report-loaded.cjs', import.meta.url))

interface Loaded {
  readonly code: number | null
  /** The chunks of the bundle, without their hashes and without the bundler's own few lines. */
  readonly chunks: readonly string[]
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
  const { modules, files }: { modules: string[]; files: string[] } = JSON.parse(readFileSync(report, 'utf8'))
  const isChunk = (file: string) => file.endsWith('.cjs')
  return {
    code,
    chunks: files
      .filter(isChunk)
      .map((file) => file.replace(/(-.{8})?\.cjs$/, ''))
      .filter((name) => name !== 'rolldown-runtime'),
    outside: files.filter((file) => !isChunk(file) && file !== 'petstore.js'),
    modules,
  }
}
