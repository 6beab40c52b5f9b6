'use strict'

// Required before the program. When the program exits, this writes which of Node's modules and
// which files it loaded, and for which files V8 accepted compiled code.
const { writeFileSync } = require('node:fs')
const Module = require('node:module')
const { basename } = require('node:path')
const vm = require('node:vm')

const before = new Set(process.moduleLoadList)
const files = new Set()
const compiled = new Set()

const compile = Module.prototype._compile
Module.prototype._compile = function (source, filename, ...rest) {
  files.add(basename(filename))
  return compile.call(this, source, filename, ...rest)
}
vm.Script = class extends vm.Script {
  constructor(source, options) {
    super(source, options)
    files.add(basename(options.filename))
    if (this.cachedDataRejected === false) compiled.add(basename(options.filename))
  }
}

process.on('exit', () => {
  const modules = process.moduleLoadList
    .filter(entry => !before.has(entry) && entry.startsWith('NativeModule '))
    .map(entry => entry.replace('NativeModule ', ''))
  writeFileSync(
    process.env.TEST_LOADED_REPORT,
    JSON.stringify({ modules, files: [...files], compiled: [...compiled] })
  )
})
