#!/usr/bin/env node
'use strict'

const { main, processHost } = require('../dist/main.cjs')

// A run that never says how it ended has not ended well.
process.exitCode = 1

main(process.argv.slice(2), processHost()).then((code) => {
  // Set, not called: what is still on its way to a pipe is written before the process ends.
  process.exitCode = code
  // After Ctrl-C nothing may hold the process: a read from a terminal cannot be taken back.
  if (code === 130 || code === 143) setTimeout(() => process.exit(code), 50).unref()
})
