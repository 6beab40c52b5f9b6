import { spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { root, writeFiles } from './dist.js'

/**
 * What V8 makes of the chunks of a short command. It runs the program in a process of its own, with a home of its own:
 * no variable, flag or file of this machine takes part.
 *
 * @param {ReadonlyMap<string, string | Uint8Array>} files the bundle
 * @param {string} node
 * @returns {ReadonlyMap<string, Uint8Array>} the compiled code by file name, for the V8 of this Node
 */
export function compile(files, node = process.execPath) {
  const stage = mkdtempSync(join(tmpdir(), 'petstore-build-'))
  try {
    const dist = join(stage, 'dist')
    writeFiles('', files, dist)
    cpSync(join(root, 'bin'), join(stage, 'bin'), { recursive: true })
    // For libsql, which is not in the bundle.
    symlinkSync(join(root, 'node_modules'), join(stage, 'node_modules'))
    warmUp(stage, node)
    const [version = ''] = readdirSync(join(dist, 'compiled'))
    const compiled = join(dist, 'compiled', version)
    return new Map(readdirSync(compiled).map((name) => [name, readFileSync(join(compiled, name))]))
  } finally {
    rmSync(stage, { recursive: true, maxRetries: 5 })
  }
}

/**
 * @param {string} stage
 * @param {string} node
 */
function warmUp(stage, node) {
  const { status, signal, stderr, error } = spawnSync(node, [join(root, 'build', 'warm-up.js'), stage], {
    cwd: stage,
    env: { HOME: join(stage, 'home'), PATH: process.env.PATH },
    encoding: 'utf8',
  })
  if (status !== 0) throw new Error(`the program cannot be compiled: ${error ?? signal ?? status}\n${stderr}`)
}
