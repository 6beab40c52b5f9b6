import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryDirectory } from './temp.ts'

/** Measures the peak memory of a program: the arguments for its Node, and the result at its end. */
export function peakMemory() {
  const directory = temporaryDirectory()
  const [hook, file] = [join(directory, 'hook.cjs'), join(directory, 'peak')]
  const write = `require('node:fs').writeFileSync(${JSON.stringify(file)}, String(process.resourceUsage().maxRSS))`
  writeFileSync(hook, `process.on('exit', () => ${write})\n`)
  return {
    nodeArguments: ['--require', hook],
    megabytes: () => (Number(readFileSync(file, 'utf8')) * 1024) / 1e6
  }
}
