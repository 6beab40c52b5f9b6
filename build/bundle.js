import { fileURLToPath } from 'node:url'
import { rolldown } from 'rolldown'

/**
 * Bundles the program as CommonJS: `require` of a lazy chunk starts faster than `import()` of one.
 *
 * @returns {Promise<ReadonlyMap<string, string>>} the text of each file, by its name
 */
export async function bundle() {
  const build = await rolldown({
    cwd: fileURLToPath(new URL('..', import.meta.url)),
    input: { main: 'src/main.ts' },
    platform: 'node',
    transform: { target: 'node20' },
    // The one package with a native part, and the one that may be missing.
    external: ['libsql'],
    // What rolldown has to say goes to stderr: stdout belongs to the command that npm is about to run.
    onLog: (level, log) => console.error(`${level}: ${log.message}`),
  })
  const { output } = await build.generate({
    format: 'cjs',
    entryFileNames: '[name].cjs',
    // A chunk that changed has another name, so that no run mixes the chunks of two builds.
    chunkFileNames: '[name]-[hash].cjs',
  })
  await build.close()
  return new Map(output.map((file) => [file.fileName, file.type === 'chunk' ? file.code : String(file.source)]))
}
