'use strict'

const sea = require('node:sea')
const vm = require('node:vm')

/**
 * Starts the standalone executable, in which chunks are functions of one script.
 *
 * @param {Pick<typeof import('../bin/petstore.js'), 'chunkLoader' | 'run'>} launcher
 * @param {Readonly<Record<string, { module: Function, hash?: string }>>} chunks those with a hash
 *   have compiled code
 */
module.exports = (launcher, chunks) => {
  const asset = name => Buffer.from(sea.getRawAsset(name))

  // Node compiles the script before it runs, so its compiled code lacks the functions inside a
  // chunk. The build compiled the text of each function again after common commands, which saves
  // `pets list` 8 ms.
  const chunk = name => {
    const { module, hash } = chunks[name]
    if (hash === undefined) return module
    return new vm.Script(`/*${hash}*/(${module})`, {
      filename: name,
      cachedData: asset(hash)
    }).runInThisContext()
  }

  launcher.run(process.argv.slice(2), launcher.chunkLoader('.', chunk, asset))
}
