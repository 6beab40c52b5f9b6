#!/usr/bin/env node
'use strict'

const { loader } = require('./code-cache.js')

const { main, processHost } = loader(process.argv.slice(2))('main.cjs')

// A run that never says how it ended has not ended well.
process.exitCode = 1

main(process.argv.slice(2), processHost()).then((code) => {
  // What is still on its way, as to a pipe, is written before the process ends. Where nothing is, the end comes at once,
  // and Node need not take its memory apart first.
  process.exitCode = code
  if (process.getActiveResourcesInfo().length === 0) process.exit()
  // All that matters has been waited for by now. What is left cannot be taken back, such as a read from a terminal, and
  // may not hold the process.
  setTimeout(() => {
    // The end waits for a look-up of a name, however long; only a signal does not, and a shell sees the same code.
    const isLookingUp = process.getActiveResourcesInfo().includes('GetAddrInfoReqWrap')
    if (isLookingUp && code === 130) process.kill(process.pid, 'SIGINT')
    if (isLookingUp && code === 143) process.kill(process.pid, 'SIGTERM')
    process.exit(code)
  }, 50).unref()
})
