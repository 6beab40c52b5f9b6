import { createHash } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import { rolldown } from 'rolldown'
import { lean } from './lean.js'
import { thirdPartyNotices } from './notices.js'

/**
 * Bundles the program as CommonJS: `require` of a lazy chunk starts faster than `import()`.
 *
 * @returns {Promise<ReadonlyMap<string, string>>} the text of each file by its name
 */
export async function bundle() {
  const build = await rolldown({
    cwd: fileURLToPath(new URL('..', import.meta.url)),
    input: { main: 'src/main.ts' },
    platform: 'node',
    transform: { target: 'node20' },
    // Otherwise the entry is a file of its own that only loads the chunk `main`.
    preserveEntrySignatures: 'allow-extension',
    resolve: { alias: { undici$: fileURLToPath(new URL('stand-ins/undici.js', import.meta.url)) } },
    plugins: [lean()],
    // It has a native part, and it may be missing.
    external: ['libsql'],
    // A warning can mean a program that lacks a part, and such a build must not count as fresh.
    onLog: (level, log) => {
      if (level === 'warn') throw new Error(log.message)
      // stdout belongs to the command that npm runs next.
      console.error(`${level}: ${log.message}`)
    },
  })
  const { output } = await build.generate({
    format: 'cjs',
    // `import()` of a module outside the bundle would load Node's ES module loader.
    dynamicImportInCjs: false,
    minify: true,
    entryFileNames: '[name].cjs',
    // A changed chunk gets a new name, so no run mixes the chunks of two builds.
    chunkFileNames: '[name]-[hash].cjs',
    codeSplitting: { groups: chunks },
  })
  await build.close()
  const files = new Map(output.map((file) => [file.fileName, file.type === 'chunk' ? file.code : String(file.source)]))
  const helpers = [...files].find(([name]) => name.startsWith('rolldown-runtime-'))
  if (helpers !== undefined) putInside(files, ...helpers)
  for (const [name, code] of files) files.set(name, asScript(inAscii(code)))
  const modules = output.flatMap((file) => (file.type === 'chunk' ? file.moduleIds : []))
  return files.set('third-party-notices.txt', thirdPartyNotices(modules))
}

/**
 * The bundler puts its few helpers into a file of their own, which every run would have to find and read. Here each
 * chunk gets a copy.
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
    if (whole.includes(helpersName)) throw new Error(`${name} loads the bundler's helpers in an unknown way`)
    files.set(name, whole)
  }
}

/**
 * A script that evaluates to the function of a CommonJS module. It begins with its own hash, the name of its compiled
 * code.
 *
 * @param {string} code
 */
function asScript(code) {
  const script = `(function(exports,require){${code}\n})`
  return `/*${createHash('sha256').update(script).digest('hex').slice(0, 16)}*/${script}`
}

/**
 * JavaScript in ASCII: a single character beyond it makes V8 store every character in two bytes.
 *
 * @param {string} code
 */
function inAscii(code) {
  if (/String\.raw`[^`]*[^\0-\x7f]/.test(code)) throw new Error('String.raw would not decode an escape')
  if (/\\[^\0-\x7f]/.test(code)) throw new Error('an escape after a backslash is not decoded')
  return code.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

/**
 * Each file costs a run a third of a millisecond, so modules that are needed together are in one chunk. A chunk also
 * takes everything that its modules import, except what a chunk of higher priority has.
 */
const chunks = [
  { name: 'main', tags: [/** @type {const} */ ('$initial')], priority: 4 },
  {
    name: 'client',
    test: /[\\/](zod|lossless-json)[\\/]|src[\\/](model[\\/]|client[\\/](?!transport)|settings[\\/]saved-state-schema|output[\\/](json|tsv|cell)\.)/,
    priority: 3,
  },
  { name: 'network', test: /[\\/]undici[\\/]|src[\\/](client[\\/]transport|settings[\\/]proxies)/, priority: 2 },
  { name: 'conf', test: /[\\/]conf[\\/]/, priority: 1 },
  { name: 'chalk', test: /[\\/]chalk[\\/]/, priority: 1 },
]
