import { fileURLToPath } from 'node:url'
import { rolldown } from 'rolldown'
import { lean } from './lean.js'
import { thirdPartyNotices } from './notices.js'

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
    // Or else the entry would be a file of its own which does nothing but load the chunk `main`.
    preserveEntrySignatures: 'allow-extension',
    resolve: { alias: { undici$: fileURLToPath(new URL('stand-ins/undici.js', import.meta.url)) } },
    plugins: [lean()],
    // The one package with a native part, and the one that may be missing.
    external: ['libsql'],
    // A warning can mean a program without one of its parts, which would count as fresh from then on.
    onLog: (level, log) => {
      if (level === 'warn') throw new Error(log.message)
      // On stderr: stdout belongs to the command that npm is about to run.
      console.error(`${level}: ${log.message}`)
    },
  })
  const { output } = await build.generate({
    format: 'cjs',
    // `import()` of what is not in the bundle would load Node's loader of ES modules.
    dynamicImportInCjs: false,
    minify: true,
    entryFileNames: '[name].cjs',
    // A chunk that changed has another name, so that no run mixes the chunks of two builds.
    chunkFileNames: '[name]-[hash].cjs',
    codeSplitting: { groups: chunks },
  })
  await build.close()
  const files = new Map(output.map((file) => [file.fileName, file.type === 'chunk' ? file.code : String(file.source)]))
  const modules = output.flatMap((file) => (file.type === 'chunk' ? file.moduleIds : []))
  return files.set('third-party-notices.txt', thirdPartyNotices(modules))
}

/**
 * Each file that a run loads costs it a third of a millisecond, so what is needed together lies together. A chunk is
 * made with everything that it imports and that is in no chunk above it.
 */
const chunks = [
  { name: 'main', tags: [/** @type {const} */ ('$initial')], priority: 4 },
  {
    name: 'client',
    test: /[\\/](zod|lossless-json)[\\/]|src[\\/](api[\\/](?!transport)|config[\\/]state|output[\\/]((nd)?json|tsv|cell)\.)/,
    priority: 3,
  },
  { name: 'network', test: /[\\/]undici[\\/]|src[\\/](api[\\/]transport|config[\\/]proxies)/, priority: 2 },
  { name: 'conf', test: /[\\/]conf[\\/]/, priority: 1 },
  { name: 'chalk', test: /[\\/]chalk[\\/]/, priority: 1 },
]
