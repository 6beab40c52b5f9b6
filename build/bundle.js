import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { rolldown } from 'rolldown'
import { root } from './dist.js'
import { lean } from './lean.js'
import { thirdPartyNotices } from './notices.js'
import { onStage, runOnStage } from './stage.js'
import { textFiles } from './text-files.js'
import { wasmFiles } from './wasm-files.js'

/** @typedef {ReadonlyMap<string, string | Uint8Array>} Files the content of each file by its name */

/** Bundles the program with the page of `--help` in a pipe as text, because that page is the same in every run. */
export async function bundle() {
  const files = await bundleWith({})
  const helpPage = onStage(files, (stage) => runOnStage(stage, [join(stage, 'bin', 'petstore.js'), '--help']))
  return bundleWith({ HELP_PAGE: JSON.stringify(helpPage) })
}

/**
 * Bundles the program as CommonJS: `require` of a lazy chunk starts faster than `import()`.
 *
 * @param {Record<string, string>} constants values of global names
 * @returns {Promise<Files>}
 */
async function bundleWith(constants) {
  const build = await rolldown({
    cwd: root,
    input: { main: 'src/main.ts' },
    platform: 'node',
    transform: { target: 'node20', define: constants },
    // Otherwise the entry is a separate file that only loads the chunk `main`.
    preserveEntrySignatures: 'allow-extension',
    resolve: { alias: { undici$: fileURLToPath(new URL('stand-ins/undici.js', import.meta.url)) } },
    plugins: [textFiles(), lean(), wasmFiles()],
    // A warning can mean that a part is missing, and such a build must not count as fresh.
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
    codeSplitting: { groups: chunkGroups },
  })
  await build.close()
  /** @type {Map<string, string | Uint8Array>} */
  const files = new Map()
  const chunks = output.filter((file) => file.type === 'chunk')
  for (const { fileName, code } of withHelpers(chunks)) files.set(fileName, asScript(inAscii(code)))
  for (const file of output) if (file.type === 'asset') files.set(file.fileName, file.source)
  return files.set('third-party-notices.txt', thirdPartyNotices(chunks.flatMap(({ moduleIds }) => moduleIds)))
}

/**
 * Copies the bundler's few helpers into each chunk. The bundler puts them into a separate chunk, which every run would
 * have to read: 0.3 ms of the 5 that `--version` takes beyond bare Node.
 *
 * @param {readonly { fileName: string, code: string }[]} chunks
 */
function withHelpers(chunks) {
  const helpers = chunks.find(({ fileName }) => fileName.startsWith('rolldown-runtime-'))
  if (helpers === undefined) return chunks
  const copy = `(()=>{const exports={};${helpers.code};return exports})()`
  const others = chunks.filter((chunk) => chunk !== helpers)
  return others.map(({ fileName, code }) => {
    const whole = code.replaceAll(`require("./${helpers.fileName}")`, () => copy)
    if (whole.includes(helpers.fileName)) throw new Error(`${fileName} loads the bundler's helpers in an unknown way`)
    return { fileName, code: whole }
  })
}

/**
 * Wraps a CommonJS module in a script that evaluates to its function. The script begins with its hash, which is also
 * the name of its compiled code.
 *
 * @param {string} code
 */
function asScript(code) {
  const script = `(function(exports,require,__filename){${code}\n})`
  return `/*${createHash('sha256').update(script).digest('hex').slice(0, 16)}*/${script}`
}

/**
 * Escapes all characters beyond ASCII, because a single one makes V8 store every character in two bytes.
 *
 * @param {string} code
 */
function inAscii(code) {
  if (/String\.raw`[^`]*[^\0-\x7f]/.test(code)) throw new Error('String.raw would not decode an escape')
  if (/\\[^\0-\x7f]/.test(code)) throw new Error('an escape after a backslash is not decoded')
  return code.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

/**
 * The chunks. Each file costs a run a third of a millisecond, so modules that are needed together are in one chunk. A
 * chunk also contains all imports of its modules, except those in a chunk of higher priority.
 */
const chunkGroups = [
  { name: 'main', tags: [/** @type {const} */ ('$initial')], priority: 5 },
  { name: 'program', test: /src[\\/](cli[\\/]invocation|context)\./, priority: 4 },
  {
    name: 'client',
    test: /[\\/]zod[\\/](?!.*json-schema)|[\\/]lossless-json[\\/]|src[\\/](model[\\/]|platform[\\/]in-flight|client[\\/](?!transport)|settings[\\/]saved-state-schema|output[\\/](json|cells)\.)/,
    priority: 3,
  },
  { name: 'network', test: /[\\/]undici[\\/]|src[\\/](client[\\/]transport|settings[\\/]proxies)/, priority: 2 },
  { name: 'local', test: /src[\\/](service[\\/]local|platform[\\/](private-file|sqlite))\./, priority: 2 },
  { name: 'conf', test: /[\\/]conf[\\/]/, priority: 1 },
  { name: 'chalk', test: /[\\/]chalk[\\/]/, priority: 1 },
]
