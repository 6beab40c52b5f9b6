import { spawnSync } from 'node:child_process'
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readFiles, root } from './dist.js'

/**
 * Compiles the chunks that short commands load, in a temporary directory and with a temporary home,
 * without the variables and flags of this machine.
 *
 * @param {ReadonlyMap<string, string | Uint8Array>} files the bundle
 * @param {string} [node]
 * @returns {ReadonlyMap<string, Uint8Array>} the compiled code by file name, for the V8 of this
 *   Node
 */
export function compile(files, node = process.execPath) {
  const stage = mkdtempSync(join(tmpdir(), 'petstore-build-'))
  try {
    mkdirSync(join(stage, 'dist'))
    for (const [name, content] of files) writeFileSync(join(stage, 'dist', name), content)
    cpSync(join(root, 'bin'), join(stage, 'bin'), { recursive: true })
    // SQLite for Node 20 is not in the bundle.
    symlinkSync(join(root, 'node_modules'), join(stage, 'node_modules'))
    // With the same seed, V8 compiles the same bytes each time, and almost the same on other
    // platforms.
    const argv = ['--hash-seed=1', join(root, 'build', 'warm-up.js'), stage]
    const { status, signal, stderr, error } = spawnSync(node, argv, {
      cwd: stage,
      env: { HOME: join(stage, 'home'), PATH: process.env.PATH },
      encoding: 'utf8'
    })
    if (status !== 0)
      throw new Error(`the program cannot be built: ${error ?? signal ?? status}\n${stderr}`)
    const versions = join(stage, 'dist', 'compiled')
    const [version = ''] = readdirSync(versions)
    return readFiles(join(versions, version))
  } finally {
    rmSync(stage, { recursive: true, maxRetries: 5 })
  }
}
