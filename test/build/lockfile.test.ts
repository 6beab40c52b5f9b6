import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

test('every package in the lockfile has an integrity hash, those of other platforms too', () => {
  const path = new URL('../../package-lock.json', import.meta.url)
  const { packages } = JSON.parse(readFileSync(path, 'utf8'))
  const { '': _project, ...installed } = packages as Record<string, { integrity?: string }>
  expect(Object.keys(installed).length).toBeGreaterThan(100)
  const unverified = Object.keys(installed).filter(
    name => !installed[name]?.integrity?.startsWith('sha512-')
  )
  expect(unverified).toEqual([])
})
