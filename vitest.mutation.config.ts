import { defineConfig } from 'vitest/config'
import { textFiles } from './build/text-files.js'

/** The tests of one area, for `npm run mutation`. */
export default defineConfig({
  test: {
    include: (process.env.MUTATION_TESTS ?? '').split('\n'),
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
