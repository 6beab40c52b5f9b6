'use strict'

// Required before a script. When the process exits, this writes its peak memory in bytes. On Linux,
// the maximum in a child's resource usage starts at its parent's, so this reads the kernel's value
// for the program itself.
const { readFileSync, writeFileSync } = require('node:fs')

process.on('exit', () => {
  const lines = process.platform === 'linux' ? readFileSync('/proc/self/status', 'utf8') : ''
  const kilobytes = /VmHWM:\s*(\d+) kB/.exec(lines)?.[1] ?? process.resourceUsage().maxRSS
  writeFileSync(process.env.TEST_PEAK_REPORT, String(Number(kilobytes) * 1024))
})
