import { createRequire } from 'node:module'
import { basename, join } from 'node:path'
import { rolldown } from 'rolldown'

const libsqlPath = createRequire(import.meta.url).resolve('libsql')

/**
 * Bundles a TypeScript program into the directory, since Node 20 does not run TypeScript. Returns the bundle's path.
 */
export async function bundle(input: string, directory: string): Promise<string> {
  const file = join(directory, basename(input).replace(/\.ts$/, '.mjs'))
  const build = await rolldown({
    input,
    platform: 'node',
    logLevel: 'silent',
    plugins: [
      {
        name: 'libsql-from-here',
        resolveId: (id) => (id === 'libsql' ? { id: libsqlPath, external: 'absolute' } : null),
      },
    ],
  })
  await build.write({ file, format: 'esm', codeSplitting: false })
  await build.close()
  return file
}
