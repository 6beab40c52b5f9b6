import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { isInstalled } from './needs.ts'
import { temporaryDirectory } from './temp.ts'

test('a program is installed if PATH has an executable file of that name', () => {
  const directory = temporaryDirectory()
  writeFileSync(join(directory, 'tool'), '')
  chmodSync(join(directory, 'tool'), 0o755)
  writeFileSync(join(directory, 'text'), '', { mode: 0o644 })
  mkdirSync(join(directory, 'folder'))
  const searchPath = `/nowhere:${directory}`
  expect(isInstalled('tool', searchPath)).toBe(true)
  expect(isInstalled('text', searchPath)).toBe(false)
  expect(isInstalled('folder', searchPath)).toBe(false)
  expect(isInstalled('missing', searchPath)).toBe(false)
  expect(isInstalled('tool', '')).toBe(false)
})
