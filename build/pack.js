import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { root } from './dist.js'

/**
 * Packs what npm publishes: the files of the package, and a package.json without what only a clone can use. npm warns
 * about a script of a package that it does not run.
 *
 * @param {string} destination the directory of the tarball
 * @param {{ withCompiledCode?: boolean }} [options]
 * @returns {{ filename: string, size: number, unpackedSize: number, files: readonly { path: string, size: number }[] }}
 */
export function pack(destination, { withCompiledCode = true } = {}) {
  const stage = mkdtempSync(join(tmpdir(), 'petstore-pack-'))
  try {
    const { filename } = npmPack(root, stage)
    execFileSync('tar', ['-xzf', filename], { cwd: stage })
    const directory = join(stage, 'package')
    if (!withCompiledCode) rmSync(join(directory, 'dist', 'compiled'), { recursive: true, force: true })
    const manifest = JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8'))
    for (const name of ['scripts', 'devDependencies', 'allowScripts']) delete manifest[name]
    writeFileSync(join(directory, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`)
    mkdirSync(destination, { recursive: true })
    return npmPack(directory, destination)
  } finally {
    rmSync(stage, { recursive: true })
  }
}

/**
 * @param {string} directory
 * @param {string} destination
 */
function npmPack(directory, destination) {
  const argv = ['pack', '--json', '--ignore-scripts', '--pack-destination', destination]
  const [packed] = JSON.parse(
    execFileSync('npm', argv, { cwd: directory, stdio: ['ignore', 'pipe', 'ignore'] }).toString(),
  )
  return packed
}
