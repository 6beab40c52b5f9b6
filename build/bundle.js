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
  const helpers = [...files].find(([name]) => name.startsWith('rolldown-runtime-'))
  if (helpers !== undefined) putInside(files, ...helpers)
  for (const [name, code] of files) files.set(name, inAscii(code))
  const modules = output.flatMap((file) => (file.type === 'chunk' ? file.moduleIds : []))
  return files.set('third-party-notices.txt', thirdPartyNotices(modules))
}

/**
 * The bundler puts its few helpers into a file of their own, which every run would have to look for and to read: instead
 * they stand wherever they are asked for.
 *
 * @param {Map<string, string>} files
 * @param {string} helpersName
 * @param {string} helpers
 */
function putInside(files, helpersName, helpers) {
  files.delete(helpersName)
  for (const [name, code] of files) {
    const whole = code.replaceAll(
      `require("./${helpersName}")`,
      () => `(()=>{const exports={};${helpers};return exports})()`,
    )
    if (whole.includes(helpersName)) throw new Error(`${name} asks for the bundler's helpers in another way`)
    files.set(name, whole)
  }
}

/**
 * JavaScript without a character beyond ASCII: one such makes V8 take two bytes for each of all the others.
 *
 * @param {string} code
 */
function inAscii(code) {
  if (/String\.raw`[^`]*[^\0-\x7f]/.test(code)) throw new Error('an escape stays what it is in String.raw')
  if (/\\[^\0-\x7f]/.test(code)) throw new Error('an escape behind a backslash is none')
  return code.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

/**
 * Each file that a run loads costs it a third of a millisecond, so what is needed together lies together. A chunk is
 * made with everything that it imports and that is in no chunk above it.
 */
const chunks = [
  { name: 'main', tags: [/** @type {const} */ ('$initial')], priority: 4 },
  {
    name: 'client',
    test: /[\\/](zod|lossless-json)[\\/]|src[\\/](model[\\/]|client[\\/](?!transport)|settings[\\/]state|output[\\/](json|tsv|cell)\.)/,
    priority: 3,
  },
  { name: 'network', test: /[\\/]undici[\\/]|src[\\/](client[\\/]transport|settings[\\/]proxies)/, priority: 2 },
  { name: 'conf', test: /[\\/]conf[\\/]/, priority: 1 },
  { name: 'chalk', test: /[\\/]chalk[\\/]/, priority: 1 },
]
