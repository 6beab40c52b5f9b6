import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    exclude: ['test/torture/**'],
    setupFiles: ['test/support/setup.ts'],
    // Processes and not threads: libsql is native, and a test may change the working directory.
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 30_000,
    hookTimeout: 30_000,
  },
})
