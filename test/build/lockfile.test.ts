import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

test('every package in the lockfile has an integrity hash', () => {
  const lockfile = JSON.parse(
    readFileSync(new URL('../../package-lock.json', import.meta.url), 'utf8'),
  )
  const installed = Object.entries<{ integrity?: string }>(lockfile.packages).filter(
    ([path]) => path !== '',
  )
  expect(installed.length).toBeGreaterThan(100)
  const unverified = installed.filter(([, { integrity }]) => !integrity?.startsWith('sha512-'))
  expect(unverified.map(([path]) => path)).toEqual([])
})
