import { execFileSync } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import launcher from '../bin/petstore.js'
import { root } from './dist.js'

/**
 * Packs what npm publishes: the files of the package, and a package.json without what only a clone can use. npm warns
 * about a script of a package that it does not run.
 *
 * @param {string} destination the directory of the tarball
 * @param {(directory: string) => void} [change] removes files from the package
 * @returns {{ filename: string, size: number, unpackedSize: number, files: readonly { path: string, size: number }[] }}
 */
export function pack(destination, change) {
  const stage = mkdtempSync(join(tmpdir(), 'petstore-pack-'))
  try {
    execFileSync('tar', ['-xzf', npmPack(root, stage).filename], { cwd: stage })
    const directory = join(stage, 'package')
    change?.(directory)
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
  const output = execFileSync('npm', argv, {
    cwd: directory,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  return JSON.parse(output)[0]
}

/**
 * Replaces compiled code by the bytes that differ from the code for the common platform, if they are few. The launcher
 * puts them back.
 *
 * @param {string} compiled
 */
export function keepChanges(compiled) {
  for (const name of readdirSync(compiled, { recursive: true, encoding: 'utf8' })) {
    const path = join(compiled, name)
    const commonPath = join(compiled, name.replace(/-\w+-\w+\//, `-${launcher.commonPlatform}/`))
    if (commonPath === path || !existsSync(commonPath)) continue
    const [common, own] = [readFileSync(commonPath), readFileSync(path)]
    const places = [...own.keys()].filter((at) => own[at] !== common[at])
    if (own.length !== common.length || places.length * 4 > own.length) continue
    // The place in three bytes, and the byte.
    const changes = places.map((at) => at + own.readUInt8(at) * 2 ** 24)
    const file = new Uint8Array(Uint32Array.of(changes.length, ...changes).buffer)
    if (!own.equals(launcher.withChanges(common, file)))
      throw new Error(`${name} cannot be put together again from its changes`)
    writeFileSync(`${path}.changes`, file)
    rmSync(path)
  }
}
