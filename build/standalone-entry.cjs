'use strict'

const sea = require('node:sea')
const vm = require('node:vm')

/**
 * Starts the standalone executable, in which chunks are functions of one script.
 *
 * @param {{ run(argv: string[], load: (name: string) => any): void }} launcher
 * @param {Readonly<Record<string, { module: Function, hash?: string }>>} chunks those with a hash have compiled code
 */
module.exports = (launcher, chunks) => {
  const loaded = new Map()
  const asset = (name) => Buffer.from(sea.getRawAsset(name))

  const load = (name) => {
    if (!name.startsWith('./')) return require(name)
    if (name.endsWith('.wasm')) return asset(name.slice(2))
    const exports = loaded.get(name) ?? {}
    if (loaded.has(name)) return exports
    loaded.set(name, exports)
    moduleOf(name.slice(2))(exports, load, name)
    return exports
  }

  // Node compiles the script before it runs, so its compiled code lacks the functions inside a
  // chunk. The build compiled the text of each function again after common commands, which saves
  // `pets list` 8 ms.
  const moduleOf = (name) => {
    const { module, hash } = chunks[name]
    if (hash === undefined) return module
    return new vm.Script(`/*${hash}*/(${module})`, {
      filename: name,
      cachedData: asset(hash),
    }).runInThisContext()
  }

  launcher.run(process.argv.slice(2), load)
}
