/**
 * Loads the sources before the first test. Otherwise Stryker attributes the top-level code of a
 * file to the test that loads it first, and runs no other test for a change in that code.
 */
import { chmodSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

// Some tests run a program as another user.
chmodSync(process.cwd(), 0o755)

const directory = join(process.cwd(), 'src')
for (const name of readdirSync(directory, { recursive: true, encoding: 'utf8' })) {
  if (/(?<!\.d)\.ts$/.test(name)) await import(join(directory, name))
}
