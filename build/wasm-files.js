import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { basename, dirname, join } from 'node:path'

const requireFrom = createRequire(import.meta.url)

/**
 * Puts WebAssembly into files beside the chunks: as Base64 in JavaScript it is a third larger and compresses badly, and
 * the compiled code of a chunk repeats it. The package is 190 KB smaller, and `--jq` 3 ms faster.
 */
export function wasmFiles() {
  return {
    name: 'wasm-files',
    /**
     * @this {import('rolldown').PluginContext}
     * @param {string} id
     */
    load(id) {
      // jq-wasm looks for this file beside itself.
      if (/[\\/]jq-wasm[\\/]dist[\\/]index\.mjs$/.test(id)) {
        const source = readFileSync(join(dirname(id), 'build', 'jq.wasm'))
        this.emitFile({ type: 'asset', fileName: 'build/jq.wasm', source })
      }
      if (/[\\/]undici[\\/]lib[\\/]llhttp[\\/]llhttp(_simd)?-wasm\.js$/.test(id)) {
        const fileName = basename(id).replace('-wasm.js', '.wasm')
        this.emitFile({ type: 'asset', fileName, source: requireFrom(id) })
        return `module.exports = require('node:fs').readFileSync(require('node:path').join(__filename, '..', '${fileName}'))`
      }
      return undefined
    },
  }
}
