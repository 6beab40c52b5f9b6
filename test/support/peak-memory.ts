import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryDirectory } from './temp.ts'

/** Has a program that is started with these arguments to Node leave word of how much memory it took at most. */
export function peakMemory(): { readonly nodeArguments: readonly string[]; megabytes(): number } {
  const directory = temporaryDirectory()
  const [hook, peak] = [join(directory, 'peak.cjs'), join(directory, 'peak')]
  const look = `require('node:fs').writeFileSync(${JSON.stringify(peak)}, String(process.resourceUsage().maxRSS))`
  writeFileSync(hook, `process.on('exit', () => ${look})`)
  return {
    nodeArguments: ['--require', hook],
    megabytes: () => (Number(readFileSync(peak, 'utf8')) * 1024) / 1e6,
  }
}
