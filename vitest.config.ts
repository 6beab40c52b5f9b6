import { existsSync, readdirSync, readFileSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config'
import { closingLine } from './build/closing-line.js'
import { textFiles } from './build/text-files.js'

/** A test file that starts a process imports one of these. */
const spawns = /from '(node:child_process|rolldown.*|.*\/support\/(spawn-cli|terminal)\.ts)'/

const testFiles = readdirSync('test', { recursive: true, encoding: 'utf8' })
  .filter(name => name.endsWith('.test.ts'))
  .map(name => join('test', name))
const isIn = (folder: string) => (path: string) => path.startsWith(join('test', folder))
const isTorture = isIn('torture')
const isBrowser = isIn('browser')
const needsBuild = (path: string) =>
  path.startsWith(join('test', 'build')) || spawns.test(readFileSync(path, 'utf8'))

const torture = testFiles.filter(isTorture)
const others = testFiles.filter(path => !isTorture(path) && !isBrowser(path))
const quick = others.filter(path => !needsBuild(path))

/** For `npm run mutation`: the built program does not have the change, so no test may run that. */
const mutation: TestProjectInlineConfiguration = {
  extends: true,
  test: {
    name: 'mutation',
    include: process.env.MUTATION_TESTS ? [process.env.MUTATION_TESTS] : quick,
    setupFiles: ['test/support/load-sources.js'],
    // Each file loads the sources anew, or a change in top-level code would have no effect.
    isolate: true
  },
  plugins: [
    {
      name: 'processes',
      // Stryker asks for threads, but a test may change the working directory.
      configureVitest: ({ project }) => {
        project.config.pool = 'forks'
      }
    }
  ]
}

/**
 * Linux's file system in memory, if it has a gigabyte: waiting for the disk takes a third of the time.
 * A container often has only 64 MB.
 */
function fastDirectory(): string {
  const memory = '/dev/shm'
  if (!existsSync(memory)) return tmpdir()
  const { bavail, bsize } = statfsSync(memory)
  return bavail * bsize > 1e9 ? memory : tmpdir()
}

const projects: TestProjectInlineConfiguration[] = [
  {
    // The tests that run in one process, and so without a build.
    extends: true,
    test: { name: 'quick', include: quick }
  },
  {
    extends: true,
    test: { name: 'built', include: others.filter(needsBuild) }
  },
  {
    // In Chromium, which only .ci/run installs.
    extends: true,
    test: { name: 'browser', include: testFiles.filter(isBrowser) }
  },
  {
    // Kills, floods and full disks: what takes minutes. One file at a time, so that each has
    // the machine to itself.
    extends: true,
    test: {
      name: 'torture',
      env: { TMPDIR: tmpdir() },
      include: torture,
      isolate: true,
      fileParallelism: false,
      sequence: { groupOrder: 1 },
      testTimeout: 300_000,
      hookTimeout: 60_000
    }
  }
]

/** Each test file is in one project, so that a file that is named on the command line runs once. */
export default defineConfig({
  plugins: [textFiles()],
  test: {
    reporters: ['default', closingLine],
    setupFiles: ['test/support/setup.ts'],
    // With the proxy, the certificates and the cache of the machine: for npm, which a test runs.
    env: {
      PETSTORE_TEST_NPM_ENVIRONMENT: JSON.stringify(process.env),
      TMPDIR: fastDirectory()
    },
    // Processes and not threads: a test may change the working directory.
    pool: 'forks',
    // One more than the cores of a small machine, because many tests wait for a clock or another
    // process.
    maxWorkers: 3,
    // Loading the program anew for each file took a third of the time. A test restores what it
    // changes.
    isolate: false,
    testTimeout: 30_000,
    hookTimeout: 30_000,
    projects: process.env.MUTATION ? [mutation] : projects
  }
})
