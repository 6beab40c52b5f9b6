'use strict'

// Loaded into the program by test/windows/petstore.js. Nothing can press Ctrl-C in a test on Windows,
// and no pipe is a console there: a message from the parent reaches the listeners of Ctrl-C, and
// with FAKE_CONSOLE the pipes pass for one.
process.on('message', signal => process.emit(signal, signal))
process.channel?.unref()

if (process.env.FAKE_CONSOLE) {
  const fs = require('node:fs')
  const { fstatSync } = fs
  fs.fstatSync = (...args) =>
    Object.assign(fstatSync(...args), { isCharacterDevice: () => args[0] < 3 })
  require('node:tty').isatty = file => file < 3
  process.stdin.setRawMode = () => process.stdin
  process.stdin.isTTY = true
}
