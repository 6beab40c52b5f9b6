import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

/**
 * Binaries of Biome and of knip's parser for platforms on which they were not published where the
 * lock file was made. No build runs them: they only check the sources. Every build runs rolldown, so
 * it stays at 1.2, which is also vite's: newer ones have no binary for macOS there.
 */
const binaryOfChecker =
  /^node_modules\/(@biomejs\/cli|@oxc-parser\/binding)-(?!linux-(x64|arm64)(-gnu)?$)/

test('every package in the lockfile that a build can run has an integrity hash', () => {
  const lockfile = JSON.parse(
    readFileSync(new URL('../../package-lock.json', import.meta.url), 'utf8')
  )
  const installed = Object.entries<{ integrity?: string }>(lockfile.packages).filter(
    ([path]) => path !== '' && !binaryOfChecker.test(path)
  )
  expect(installed.length).toBeGreaterThan(100)
  const unverified = installed.filter(([, { integrity }]) => !integrity?.startsWith('sha512-'))
  expect(unverified.map(([path]) => path)).toEqual([])
})
