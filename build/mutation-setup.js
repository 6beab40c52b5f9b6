/**
 * Loads the files of the area before the first test. Otherwise Stryker attributes the top-level code of a file to the
 * test that loads it first, and runs no other test for a change in that code.
 */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { vi } from 'vitest'

const directory = join(process.cwd(), 'src', process.env.MUTATION_AREA ?? '')
for (const name of readdirSync(directory, { recursive: true, encoding: 'utf8' })) {
  if (name.endsWith('.ts')) await import(join(directory, name))
}
// A test may mock a module that these files load.
vi.resetModules()
