import { execFileSync } from 'node:child_process'
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../build/bundle.js'

/** @type {import('node:child_process').ExecFileSyncOptions} */
const quiet = { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] }

/**
 * Installs the program as a user does: packed, and from the tarball into an empty prefix.
 *
 * @param {string} directory
 */
export function installPacked(directory) {
  execFileSync(process.execPath, [join(root, 'build', 'prepare.js')], quiet)
  const packed = join(directory, 'packed')
  execFileSync(join(root, '.ci', 'pack'), [packed], quiet)
  const tarball = join(packed, readdirSync(packed)[0] ?? '')
  const prefix = join(directory, 'prefix')
  const options = ['--ignore-scripts', '--no-audit', '--no-fund']
  execFileSync('npm', ['install', '--global', '--prefix', prefix, ...options, tarball], quiet)
  console.log(`packed: ${(statSync(tarball).size / 1e6).toFixed(2)} MB`)
  return join(prefix, 'lib', 'node_modules', 'petstore-cli')
}
