import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { basename, dirname, join } from 'node:path'

const requireFrom = createRequire(import.meta.url)

/** How jq-wasm reads its WebAssembly, with another error if that fails. */
const guardedRead =
  /try \{\s+return \{ wasmBinary: await readFile\(wasmPath\) \};\s+\} catch \(err\) \{.*?\n {2}\}(?=\n)/s

/**
 * Puts WebAssembly into files next to the chunks, which load them with `require`. As Base64 in
 * JavaScript, it is a third larger and compresses badly, and the compiled code of a chunk contains
 * it again. This makes the package 190 KB smaller and `--jq` 3 ms faster.
 */
export function wasmFiles() {
  return {
    name: 'wasm-files',
    /** @param {string} specifier */
    resolveId(specifier) {
      return specifier.startsWith('./') && specifier.endsWith('.wasm')
        ? { id: specifier, external: true }
        : undefined
    },
    /**
     * @this {import('rolldown').PluginContext}
     * @param {string} id
     */
    load(id) {
      if (/[\\/]jq-wasm[\\/]dist[\\/]index\.mjs$/.test(id)) {
        const source = readFileSync(join(dirname(id), 'build', 'jq.wasm'))
        this.emitFile({ type: 'asset', fileName: 'jq.wasm', source })
        const code = readFileSync(id, 'utf8')
        // Read once: later, another version of the program may have taken its place. The launcher's
        // error is not caught, because it says what is missing.
        const read = "return { wasmBinary: (wasmBytes ??= require('./jq.wasm')) }"
        const withRequire = code.replace(guardedRead, read)
        if (withRequire === code) throw new Error('jq-wasm reads its WebAssembly in an unknown way')
        return `let wasmBytes\n${withRequire}`
      }
      if (/[\\/]undici[\\/]lib[\\/]llhttp[\\/]llhttp(_simd)?-wasm\.js$/.test(id)) {
        const fileName = basename(id).replace('-wasm.js', '.wasm')
        this.emitFile({ type: 'asset', fileName, source: requireFrom(id) })
        return `module.exports = require('./${fileName}')`
      }
      return undefined
    }
  }
}
