'use strict'

// Required before the program. When the program exits, this writes which of Node's modules and which
// files it loaded.
const { writeFileSync } = require('node:fs')
const Module = require('node:module')
const { basename } = require('node:path')

const before = new Set(process.moduleLoadList)
const files = new Set()

const compile = Module.prototype._compile
Module.prototype._compile = function (source, filename, ...rest) {
  files.add(basename(filename))
  return compile.call(this, source, filename, ...rest)
}

process.on('exit', () => {
  const modules = process.moduleLoadList
    .filter(entry => !before.has(entry) && entry.startsWith('NativeModule '))
    .map(entry => entry.replace('NativeModule ', ''))
  writeFileSync(process.env.TEST_LOADED_REPORT, JSON.stringify({ modules, files: [...files] }))
})
