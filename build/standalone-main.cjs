'use strict'

// The main script of the executable. The chunks are assets, and beside each is its code as V8 compiled
// it for exactly this Node: a run reads only what it needs, and compiles nothing.
const { getRawAsset } = require('node:sea')
const { Script } = require('node:vm')

const loaded = new Map()
const read = name => Buffer.from(getRawAsset(name))

/** The `require` of chunks: they name each other as `./NAME`. */
function load(id) {
  if (!id.startsWith('./')) return require(id)
  const name = id.slice(2)
  if (!loaded.has(name)) {
    const exports = {}
    // Before it runs, because chunks may need each other.
    loaded.set(name, exports)
    const cachedData = read(`${name}.compiled`)
    // The chunks are ASCII.
    const script = new Script(read(name).toString('latin1'), { filename: name, cachedData })
    script.runInThisContext()(exports, load, __filename)
  }
  return loaded.get(name)
}

load('./main.cjs')
