'use strict'

// Required before a script: at its end it tells the most memory that the process had, in bytes. The operating system's
// own figure for a child begins with its parent's on Linux, so the kernel's count for this very program is read.
const { readFileSync, writeFileSync } = require('node:fs')

process.on('exit', () => {
  const lines = process.platform === 'linux' ? readFileSync('/proc/self/status', 'utf8') : ''
  const kilobytes = /VmHWM:\s*(\d+) kB/.exec(lines)?.[1] ?? process.resourceUsage().maxRSS
  writeFileSync(process.env.BENCH_MEMORY_FILE, String(Number(kilobytes) * 1024))
})
