import { execFileSync } from 'node:child_process'
import { appendFileSync, cpSync, readdirSync, rmSync, statSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { temporaryDirectory } from '../support/temp.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const sources = [
  'src',
  'build',
  'bin',
  'completions',
  'skills',
  'package.json',
  'package-lock.json',
  'LICENSE'
]

test('builds only what is not of these sources, and leaves nothing of the build before', () => {
  const clone = temporaryDirectory()
  for (const name of sources) cpSync(join(root, name), join(clone, name), { recursive: true })
  symlinkSync(join(root, 'node_modules'), join(clone, 'node_modules'))
  const prepare = () => {
    execFileSync(process.execPath, [join(clone, 'build/prepare.js')])
    return statSync(join(clone, 'dist/stamp')).mtimeMs
  }
  const first = prepare()
  expect(prepare()).toBe(first)

  const files = () => readdirSync(join(clone, 'dist'))
  const before = files()
  appendFileSync(join(clone, 'skills/petstore/SKILL.md'), 'more')
  expect(prepare()).toBeGreaterThan(first)
  expect(files()).toHaveLength(before.length)
  expect(files()).not.toEqual(before)

  // An interrupted build has no stamp.
  rmSync(join(clone, 'dist/stamp'))
  expect(prepare()).toBeGreaterThan(first)
})
