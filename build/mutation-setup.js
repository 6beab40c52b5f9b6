/**
 * Loads the files of the area before the first test. Otherwise Stryker takes what a file does as it loads for a part of the
 * test that happens to load it first, and runs no other test for a change of it.
 */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { vi } from 'vitest'

const directory = join(process.cwd(), 'src', process.env.MUTATION_AREA ?? '')
for (const name of readdirSync(directory, { recursive: true, encoding: 'utf8' })) {
  if (name.endsWith('.ts')) await import(join(directory, name))
}
// A test may replace a module that they load.
vi.resetModules()
