// Before the first test of `npm run mutation`. Otherwise Stryker attributes the top-level code of a
// file to the test that loads it first, and runs no other test for a change in that code.
import { readdirSync } from 'node:fs'
import { join, resolve } from 'node:path'

for (const name of readdirSync('src', { recursive: true, encoding: 'utf8' }))
  if (name.endsWith('.ts')) await import(resolve(join('src', name)))
