import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { temporaryDirectory } from './temp.ts'

const hook = fileURLToPath(new URL('report-peak.cjs', import.meta.url))

interface PeakMemory {
  /** Arguments for Node and variables for the measured program. */
  readonly nodeArguments: readonly string[]
  readonly env: Readonly<Record<string, string>>
  /** Available after the program has ended. */
  megabytes(): number
}

/** Measures the peak memory of a program. */
export function peakMemory(): PeakMemory {
  const file = join(temporaryDirectory(), 'peak')
  return {
    nodeArguments: ['--require', hook],
    env: { TEST_PEAK_REPORT: file },
    megabytes: () => Number(readFileSync(file, 'utf8')) / 1e6
  }
}
