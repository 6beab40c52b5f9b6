import { defineConfig } from 'vitest/config'
import { textFiles } from './build/text-files.js'
import { testsWithoutProcesses } from './vitest.quick.config.ts'

/** For `npm run mutation`. The tests of processes run the built program, which does not contain the change. */
export default defineConfig({
  test: {
    include: testsWithoutProcesses,
    setupFiles: ['test/support/setup.ts', 'build/mutation-setup.js'],
    testTimeout: 30_000,
    hookTimeout: 30_000,
  },
  plugins: [
    textFiles(),
    {
      name: 'processes',
      // Stryker asks for threads, but a test may change the working directory.
      configureVitest: ({ project }) => {
        project.config.pool = 'forks'
      },
    },
  ],
})
