import { defineConfig } from 'vitest/config'
import { textFiles } from './build/text-files.js'

/**
 * Kills, floods and full disks: what takes minutes. One file at a time, so that each has the
 * machine to itself.
 */
export default defineConfig({
  plugins: [textFiles()],
  test: {
    include: ['test/torture/**/*.test.ts'],
    passWithNoTests: true,
    setupFiles: ['test/support/setup.ts'],
    pool: 'forks',
    fileParallelism: false,
    testTimeout: 300_000,
    hookTimeout: 60_000,
  },
})
