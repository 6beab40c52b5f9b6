import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { temporaryDirectory } from './temp.ts'

const hook = fileURLToPath(new URL('../../bench/peak-memory.cjs', import.meta.url))

interface PeakMemory {
  /** For Node, and for the environment, of the program that is looked at. */
  readonly nodeArguments: readonly string[]
  readonly env: Readonly<Record<string, string>>
  /** The most that the program had, once it has ended. */
  megabytes(): number
}

/** Has a program leave word of how much memory it took at most. */
export function peakMemory(): PeakMemory {
  const file = join(temporaryDirectory(), 'peak')
  return {
    nodeArguments: ['--require', hook],
    env: { BENCH_MEMORY_FILE: file },
    megabytes: () => Number(readFileSync(file, 'utf8')) / 1e6,
  }
}
