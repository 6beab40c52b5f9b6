import { defineConfig } from 'vitest/config'
import { textFiles } from './text-files.js'

/**
 * For `npm run mutation`: the tests of the sources. Other tests run the built program, which does
 * not have the change. Each file loads the sources anew, or a change in top-level code would have no
 * effect.
 */
export default defineConfig({
  test: {
    include: [process.env.MUTATION_TESTS ?? 'test/**/*.test.ts'],
    exclude: ['test/{build,screens,spawned,torture}/**'],
    setupFiles: ['test/support/setup.ts', 'build/mutation-setup.js'],
    testTimeout: 30_000,
    hookTimeout: 30_000
  },
  plugins: [
    textFiles(),
    {
      name: 'processes',
      // Stryker asks for threads, but a test may change the working directory.
      configureVitest: ({ project }) => {
        project.config.pool = 'forks'
      }
    }
  ]
})
