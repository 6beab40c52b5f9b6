import { symlinkSync } from 'node:fs'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { rolldown } from 'rolldown'

/**
 * Bundles a TypeScript program into the directory, since Node 20 does not run TypeScript. Returns
 * the bundle's path.
 */
export async function bundle(input: string, directory: string): Promise<string> {
  const file = join(directory, 'dist', basename(input).replace(/\.ts$/, '.mjs'))
  const build = await rolldown({ input, platform: 'node', logLevel: 'silent' })
  await build.write({ file, format: 'esm', codeSplitting: false })
  await build.close()
  linkPackages(directory)
  return file
}

/** SQLite for Node 20 is not in the bundle; it is looked for beside `dist`. */
function linkPackages(directory: string) {
  symlinkSync(
    fileURLToPath(new URL('../../node_modules', import.meta.url)),
    join(directory, 'node_modules')
  )
}
