import { chmodSync, copyFileSync, cpSync, existsSync, mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { binPath, isStandalone, packageRoot } from './spawn-cli.ts'
import { temporaryDirectory } from './temp.ts'

/** SQLite for Node 20 and its dependency; the rest of the program is in the bundle. */
const sqlite = [
  '@photostructure/sqlite/package.json',
  '@photostructure/sqlite/dist',
  'node-gyp-build'
]
const prebuilt = `@photostructure/sqlite/prebuilds/${process.platform}-${process.arch}`

/**
 * Copies the built program to a place that every user can read. The clone itself may be in root's
 * home.
 */
export function installForAllUsers({ withSqlite = true } = {}): string {
  const directory = temporaryDirectory()
  chmodSync(directory, 0o755)
  if (isStandalone) {
    copyFileSync(binPath, join(directory, 'petstore'))
    return join(directory, 'petstore')
  }
  for (const name of [
    'package.json',
    'bin',
    'dist',
    ...(withSqlite ? [...sqlite, prebuilt] : []).map(part => join('node_modules', part))
  ]) {
    if (!existsSync(join(packageRoot, name))) continue
    mkdirSync(dirname(join(directory, name)), { recursive: true })
    cpSync(join(packageRoot, name), join(directory, name), {
      recursive: true,
      filter: path => !/[\\/]dist[\\/](standalone|release)$/.test(path)
    })
  }
  return join(directory, 'bin', 'petstore.js')
}

/** Runs a command of root as a user that is not in `/etc/passwd`. */
export const asUnknownUser = ['setpriv', '--reuid=54321', '--regid=54321', '--clear-groups']
