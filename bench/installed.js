import { execFileSync } from 'node:child_process'
import { cpSync, lstatSync, mkdirSync, readdirSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import launcher from '../bin/petstore.js'
import { root } from '../build/dist.js'

/** @type {import('node:child_process').ExecFileSyncOptionsWithStringEncoding} */
const quiet = { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }

/**
 * Installs the program like a user: compiled for these Nodes, packed, and installed from the tarball into an empty
 * prefix.
 *
 * @param {string} directory an empty one
 * @param {readonly string[]} nodes
 */
export function installPacked(directory, nodes) {
  for (const node of nodes) execFileSync(node, [join(root, 'build', 'prepare.js')], quiet)
  const prefix = join(directory, 'prefix')
  mkdirSync(prefix)
  const tarball = pack(root, directory)
  const install = [
    'install',
    '--global',
    '--prefix',
    prefix,
    '--ignore-scripts',
    '--no-audit',
    '--no-fund'
  ]
  execFileSync('npm', [...install, join(directory, tarball.filename)], quiet)
  const home = join(prefix, 'lib', 'node_modules', 'petstore-cli')
  return { home, ...sizesForOneNode(home, directory) }
}

/**
 * Copies the installed program, so that the copy has never run.
 *
 * @param {string} home
 * @param {string} copy
 */
export function copyInstalled(home, copy) {
  const modules = join(home, 'node_modules')
  cpSync(home, copy, { recursive: true, filter: path => path !== modules })
  symlinkSync(modules, join(copy, 'node_modules'))
}

/** @param {string} home */
export const binOf = home => join(home, 'bin', 'petstore.js')

/**
 * The sizes of the package with compiled code for this Node only, without SQLite for Node 20, which is native code and optional.
 *
 * @param {string} home
 * @param {string} directory
 */
function sizesForOneNode(home, directory) {
  const compiled = launcher.compiledDirectory(join(home, 'dist'))
  const copy = join(directory, 'one-node')
  const isWanted = (/** @type {string} */ path) =>
    path !== join(home, 'node_modules') &&
    (dirname(path) !== dirname(compiled) || path === compiled)
  cpSync(home, copy, { recursive: true, filter: isWanted })
  return { packedBytes: pack(copy, directory).size, installedBytes: sizeOf(copy) }
}

/**
 * @param {string} from
 * @param {string} to
 * @returns {{ filename: string, size: number }}
 */
function pack(from, to) {
  const argv = ['pack', '--json', '--ignore-scripts', '--pack-destination', to]
  return JSON.parse(execFileSync('npm', argv, { ...quiet, cwd: from }))[0]
}

/**
 * @param {string} path
 * @returns {number}
 */
function sizeOf(path) {
  const stats = lstatSync(path)
  if (!stats.isDirectory()) return stats.size
  return readdirSync(path).reduce((sum, name) => sum + sizeOf(join(path, name)), 0)
}
