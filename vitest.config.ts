import { defineConfig } from 'vitest/config'
import { closingLine } from './build/closing-line.js'
import { textFiles } from './build/text-files.js'

export default defineConfig({
  plugins: [textFiles()],
  test: {
    include: ['test/**/*.test.ts'],
    exclude: ['test/torture/**'],
    setupFiles: ['test/support/setup.ts'],
    reporters: ['default', closingLine],
    // Processes and not threads: a test may change the working directory.
    pool: 'forks',
    // Loading the program anew for each file took a third of the time. A test restores what it
    // changes.
    isolate: false,
    // One more than the cores of a small machine, because many tests wait for a clock or another
    // process.
    maxWorkers: 3,
    testTimeout: 30_000,
    hookTimeout: 30_000,
  },
})
