import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { spawnCli } from './spawn-cli.ts'
import { temporaryDirectory } from './temp.ts'

const reporter = fileURLToPath(new URL('report-loaded.cjs', import.meta.url))

interface Loaded {
  readonly code: number | null
  /** The chunks of the bundle, and files of packages that are not in it. */
  readonly files: readonly string[]
  /** Node's own modules, without those that Node loads for an empty script. */
  readonly modules: readonly string[]
}

/** Runs the built program and reports what it loaded. */
export async function loadedBy(
  argv: readonly string[],
  options: Parameters<typeof spawnCli>[1] = {}
): Promise<Loaded> {
  const report = join(temporaryDirectory(), 'loaded.json')
  const { code } = await spawnCli(argv, {
    ...options,
    nodeArguments: ['--require', reporter],
    env: { ...options.env, TEST_LOADED_REPORT: report }
  })
  const loaded: Omit<Loaded, 'code'> = JSON.parse(readFileSync(report, 'utf8'))
  const files = loaded.files.filter(name => !/^(petstore\.js$|rolldown-runtime-)/.test(name))
  return { code, files, modules: loaded.modules }
}
