import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { rolldown } from 'rolldown'
import { eager } from './eager.js'
import { lean } from './lean.js'
import { thirdPartyNotices } from './notices.js'
import { textFiles } from './text-files.js'

export const root = fileURLToPath(new URL('..', import.meta.url))

/**
 * The code that reads a file beside the chunks.
 *
 * @typedef {(name: string) => string} ReadCode
 */

/** @type {ReadCode} */
const readBeside = name => `require('node:fs').readFileSync(__dirname + '/${name}')`

/**
 * The files of the program by their names: an entry, chunks for what only some commands load, and
 * what these read. As CommonJS: `require` of a lazy chunk starts faster than `import()`.
 */
export async function bundle(main = 'src/main.ts', read = readBeside) {
  const program = await rolldown({
    cwd: root,
    input: { main },
    platform: 'node',
    transform: {
      target: 'node20',
      // Node's compile cache is for modules in files: a launcher in the bundle uses none.
      define: { 'nodeModule.enableCompileCache': 'undefined' }
    },
    // Otherwise the entry is a separate file that only loads the chunk `main`.
    preserveEntrySignatures: 'allow-extension',
    resolve: {
      alias: {
        undici$: join(root, 'build/stand-ins/undici.js'),
        'when-exit$': join(root, 'build/stand-ins/when-exit.cjs'),
        '../dist/main.cjs': join(root, 'src/main.ts')
      }
    },
    plugins: [textFiles(), lean(), wasmFiles(read)],
    // A warning can mean that a part is missing, and such a build must not count as fresh.
    onLog: (level, log) => {
      if (level === 'warn' && !/INEFFECTIVE/.test(log.message)) throw new Error(log.message)
      // stdout belongs to the command that npm runs next.
      console.error(`${level}: ${log.message}`)
    }
  })
  const { output } = await program.generate({
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
  await program.close()
  const modules = output.flatMap(file => (file.type === 'chunk' ? file.moduleIds : []))
  /** @type {Map<string, string | Uint8Array>} */
  const files = new Map([['third-party-notices.txt', thirdPartyNotices(modules)]])
  for (const file of output)
    files.set(file.fileName, file.type === 'chunk' ? eager(file.code) : file.source)
  return files
}

/** How jq-wasm reads its WebAssembly, with another error if that fails. */
const guardedRead =
  /try \{\s+return \{ wasmBinary: await readFile\(wasmPath\) \};\s+\} catch \(err\) \{.*?\n {2}\}(?=\n)/s

/**
 * Puts WebAssembly into files beside the chunks. As Base64 in JavaScript, it is a third larger, it
 * compresses badly, and the compile cache has it again.
 *
 * @param {ReadCode} read
 */
function wasmFiles(read) {
  return {
    name: 'wasm-files',
    /**
     * @this {import('rolldown').PluginContext}
     * @param {string} id
     */
    load(id) {
      if (/[\\/]jq-wasm[\\/]dist[\\/]index\.mjs$/.test(id)) {
        const source = readFileSync(join(dirname(id), 'build', 'jq.wasm'))
        this.emitFile({ type: 'asset', fileName: 'jq.wasm', source })
        const code = readFileSync(id, 'utf8')
        const changed = code.replace(guardedRead, `return { wasmBinary: ${read('jq.wasm')} }`)
        if (changed === code) throw new Error('jq-wasm reads its WebAssembly in an unknown way')
        return changed
      }
      if (/[\\/]undici[\\/]lib[\\/]llhttp[\\/]llhttp(_simd)?-wasm\.js$/.test(id)) {
        const fileName = basename(id).replace('-wasm.js', '.wasm')
        this.emitFile({ type: 'asset', fileName, source: createRequire(id)(id) })
        return `module.exports = ${read(fileName)}`
      }
      return undefined
    }
  }
}

/**
 * The chunks. Each file costs a run a third of a millisecond, so modules that are needed together
 * are in one chunk. A chunk also contains all imports of its modules, except those in a chunk of
 * higher priority.
 */
const chunkGroups = [
  { name: 'main', tags: [/** @type {const} */ ('$initial')], priority: 4 },
  {
    name: 'program',
    test: /src[\\/](cli[\\/]parse|settings[\\/]address|session[\\/]create-context)\./,
    priority: 3
  },
  {
    name: 'client',
    test: /src[\\/](client[\\/](client|retry)|settings[\\/]config-text|output[\\/]text-formats)\./,
    priority: 2
  },
  { name: 'local', test: /src[\\/]service[\\/]local\./, priority: 1 }
]
