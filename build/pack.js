import { execFileSync } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import launcher from '../bin/petstore.js'
import { root } from './bundle.js'

/** @typedef {{ path: string, size: number }} PackedFile */

/**
 * What `npm pack` reports.
 *
 * @typedef {object} Packed
 * @property {string} filename
 * @property {number} size
 * @property {number} unpackedSize
 * @property {string} integrity
 * @property {readonly PackedFile[]} files
 */

/**
 * Packs what npm publishes: the files of the package, and a package.json without what only a clone
 * can use. npm warns about a script of a package that it does not run.
 *
 * @param {string} destination the directory of the tarball
 * @param {object} [options]
 * @param {(directory: string) => void} [options.change] removes files from the package
 * @param {string} [options.repository] OWNER/NAME on GitHub
 * @returns {Packed}
 */
export function pack(destination, { change, repository } = {}) {
  const stage = mkdtempSync(join(tmpdir(), 'petstore-pack-'))
  try {
    const everything = npmPack(root, stage)
    const directory = unpack(join(stage, everything.filename), stage)
    change?.(directory)
    const manifestPath = join(directory, 'package.json')
    const manifest = JSON.parse(readFileSync(manifestPath, 'utf8'))
    for (const name of ['scripts', 'devDependencies', 'allowScripts']) delete manifest[name]
    if (repository !== undefined) Object.assign(manifest, linksOf(repository))
    writeFileSync(manifestPath, `${JSON.stringify(manifest, null, 2)}\n`)
    mkdirSync(destination, { recursive: true })
    return npmPack(directory, destination)
  } finally {
    rmSync(stage, { recursive: true })
  }
}

/**
 * The fields of package.json that say where a package comes from. npm compares `repository` with
 * the workflow that publishes.
 *
 * @param {string} repository OWNER/NAME on GitHub
 */
export function linksOf(repository) {
  const page = `https://github.com/${repository}`
  return {
    repository: { type: 'git', url: `git+${page}.git` },
    homepage: `${page}#readme`,
    bugs: { url: `${page}/issues` }
  }
}

/**
 * @param {string} directory
 * @param {string} destination
 * @returns {Packed}
 */
function npmPack(directory, destination) {
  const argv = ['pack', '--json', '--loglevel=error', '--ignore-scripts']
  const output = execFileSync('npm', [...argv, '--pack-destination', destination], {
    cwd: directory,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit']
  })
  return JSON.parse(output)[0]
}

/**
 * @param {string} tarball
 * @param {string} stage
 * @returns {string} the directory with the files of the package
 */
export function unpack(tarball, stage) {
  execFileSync('tar', ['-xzf', tarball, '-C', stage])
  return join(stage, 'package')
}

/**
 * The file for the common platform that belongs to a file of compiled code.
 *
 * @param {string} name `VERSION-OS-CPU/HASH.v8`
 */
export function commonName(name) {
  return name.replace(/-\w+-\w+\//, `-${launcher.commonPlatform}/`)
}

/**
 * Replaces compiled code by the bytes that differ from the code for the common platform, if they
 * are few. The launcher puts them back.
 *
 * @param {string} compiled
 */
export function keepChanges(compiled) {
  for (const name of readdirSync(compiled, { recursive: true, encoding: 'utf8' })) {
    const path = join(compiled, name)
    const commonPath = join(compiled, commonName(name))
    if (commonPath === path || !existsSync(commonPath)) continue
    const changes = changesBetween(readFileSync(commonPath), readFileSync(path))
    if (changes === undefined) continue
    writeFileSync(`${path}.changes`, changes)
    rmSync(path)
  }
}

/**
 * The number of changes, then each change: its place in three bytes, and the byte.
 *
 * @param {Buffer} common
 * @param {Buffer} own
 */
function changesBetween(common, own) {
  if (own.length !== common.length) return undefined
  const changes = []
  for (const [place, byte] of own.entries())
    if (byte !== common[place]) changes.push(place + byte * 2 ** 24)
  const areFew = changes.length * 4 <= own.length
  return areFew ? Uint32Array.of(changes.length, ...changes) : undefined
}
