import { execFileSync } from 'node:child_process'
import { lstatSync, mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/**
 * The program as users get it: packed, and installed from the tarball into an empty prefix.
 *
 * @param {string} directory an empty one
 */
export function installPacked(directory) {
  const root = fileURLToPath(new URL('..', import.meta.url))
  const prefix = join(directory, 'prefix')
  mkdirSync(prefix)
  /** @type {import('node:child_process').ExecFileSyncOptionsWithStringEncoding} */
  const quiet = { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }
  const [packed] = JSON.parse(execFileSync('npm', ['pack', '--json', '--pack-destination', directory], quiet))
  const install = ['install', '--global', '--prefix', prefix, '--ignore-scripts', '--no-audit', '--no-fund']
  execFileSync('npm', [...install, join(directory, packed.filename)], quiet)
  const home = join(prefix, 'lib', 'node_modules', 'petstore-cli')
  return {
    /** The file that Node is given. */
    bin: join(home, 'bin', 'petstore.js'),
    packedBytes: /** @type {number} */ (packed.size),
    /** Without libsql, which is native code and optional. */
    installedBytes: sizeOf(home, 'node_modules'),
  }
}

/**
 * @param {string} path
 * @param {string} [except]
 * @returns {number}
 */
function sizeOf(path, except) {
  const stats = lstatSync(path)
  if (!stats.isDirectory()) return stats.size
  return readdirSync(path)
    .filter((name) => name !== except)
    .reduce((sum, name) => sum + sizeOf(join(path, name)), 0)
}
