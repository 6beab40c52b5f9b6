import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { rolldown } from 'rolldown'
import { billOfMaterials, packagesBeside } from './bill-of-materials.js'
import { root } from './dist.js'
import { lean } from './lean.js'
import { packagesOf, thirdPartyNotices } from './notices.js'
import { textFiles } from './text-files.js'
import { wasmFiles } from './wasm-files.js'

/** @typedef {ReadonlyMap<string, string | Uint8Array>} Files the content of each file by its name */

/**
 * Bundles the program as CommonJS: `require` of a lazy chunk starts faster than `import()`.
 *
 * @returns {Promise<Files>}
 */
export async function bundle() {
  const build = await rolldown({
    cwd: root,
    input: { main: 'src/main.ts' },
    platform: 'node',
    transform: { target: 'node22' },
    // Otherwise the entry is a separate file that only loads the chunk `main`.
    preserveEntrySignatures: 'allow-extension',
    resolve: { alias: { undici$: fileURLToPath(new URL('stand-ins/undici.js', import.meta.url)) } },
    plugins: [textFiles(), lean(), wasmFiles()],
    // A warning can mean that a part is missing, and such a build must not count as fresh.
    onLog: (level, log) => {
      if (level === 'warn' && !/INEFFECTIVE/.test(log.message)) throw new Error(log.message)
      // stdout belongs to the command that npm runs next.
      console.error(`${level}: ${log.message}`)
    }
  })
  const { output } = await build.generate({
    format: 'cjs',
    // `import()` of a module outside the bundle would load Node's ES module loader.
    dynamicImportInCjs: false,
    minify: true,
    // V8 reads and stores ASCII in half of the time and memory.
    charset: 'ascii',
    entryFileNames: '[name].cjs',
    // A changed chunk gets a new name, so no run mixes the chunks of two builds.
    chunkFileNames: '[name]-[hash].cjs',
    codeSplitting: { groups: chunkGroups }
  })
  await build.close()
  const helpers = output.find(({ name }) => name === 'rolldown-runtime')
  /** @type {Map<string, string | Uint8Array>} */
  const files = new Map()
  for (const file of output) {
    if (file.type !== 'chunk') files.set(file.fileName, file.source)
    else if (file !== helpers) files.set(file.fileName, asScript(withHelpers(file.code, helpers)))
  }
  const modules = output.flatMap(file => (file.type === 'chunk' ? file.moduleIds : []))
  const packages = packagesOf(modules)
  const beside = packagesBeside(readJson('package-lock.json'))
  return files
    .set('third-party-notices.txt', thirdPartyNotices(packages))
    .set('bill-of-materials.json', billOfMaterials(readJson('package.json'), packages, beside))
}

/** @param {string} name */
function readJson(name) {
  return JSON.parse(readFileSync(join(root, name), 'utf8'))
}

/**
 * Puts the few helpers of rolldown into each chunk that needs them. As a chunk of their own, which
 * rolldown makes of them, they cost every run a file.
 *
 * @param {string} code
 * @param {import('rolldown').OutputChunk | import('rolldown').OutputAsset | undefined} helpers
 */
function withHelpers(code, helpers) {
  if (helpers?.type !== 'chunk') return code
  const inlined = `(exports=>{${helpers.code}return exports})({})`
  return code.replace(`require("./${helpers.fileName}")`, () => inlined)
}

/**
 * Wraps a CommonJS module in a script that evaluates to its function. The script begins with its
 * hash, which is also the name of its compiled code.
 *
 * @param {string} code
 */
function asScript(code) {
  const script = `(function(exports,require,__filename){${code}\n})`
  return `/*${createHash('sha256').update(script).digest('hex').slice(0, 16)}*/${script}`
}

/** @param {...RegExp} patterns */
function anyOf(...patterns) {
  return new RegExp(patterns.map(({ source }) => source).join('|'))
}

/**
 * The chunks. Each file costs a run a third of a millisecond, so modules that are needed together
 * are in one chunk. A chunk also contains all imports of its modules, except those in a chunk of
 * higher priority.
 */
const chunkGroups = [
  { name: 'main', tags: [/** @type {const} */ ('$initial')], priority: 5 },
  {
    name: 'program',
    test: /src[\\/](cli[\\/]parse|settings[\\/]typed-secrets|context)\./,
    priority: 4
  },
  {
    name: 'client',
    test: anyOf(
      /[\\/]zod[\\/](?!.*json-schema)/,
      /[\\/]lossless-json[\\/]/,
      /src[\\/]model[\\/](?!results)/,
      /src[\\/]platform[\\/]in-flight/,
      /src[\\/]client[\\/](?!transport|decompression|dry-run|custom-request)/,
      /src[\\/]settings[\\/]saved-state-schema/,
      /src[\\/]output[\\/]text-formats\./
    ),
    priority: 3
  },
  {
    name: 'network',
    test: anyOf(/[\\/]undici[\\/]/, /src[\\/](client[\\/]transport|settings[\\/]proxies)/),
    priority: 2
  },
  {
    name: 'local',
    test: /src[\\/](service[\\/]local|platform[\\/](private-file|sqlite))\./,
    priority: 2
  },
  { name: 'conf', test: /[\\/]conf[\\/]/, priority: 1 },
  { name: 'chalk', test: /[\\/]chalk[\\/]/, priority: 1 }
]
