import { spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import launcher from '../bin/petstore.js'
import { root, writeFiles } from './dist.js'

/**
 * What V8 makes of the chunks of a short command. It runs the program in a process of its own, with a home of its own:
 * no variable, flag or file of this machine takes part.
 *
 * @param {ReadonlyMap<string, string | Uint8Array>} files the bundle
 * @returns {ReadonlyMap<string, Uint8Array>} the compiled code by file name, for the V8 that runs this
 */
export function compile(files) {
  const stage = mkdtempSync(join(tmpdir(), 'petstore-build-'))
  try {
    const dist = join(stage, 'dist')
    writeFiles('', files, dist)
    cpSync(join(root, 'bin'), join(stage, 'bin'), { recursive: true })
    // For libsql, which is not in the bundle.
    symlinkSync(join(root, 'node_modules'), join(stage, 'node_modules'))
    warmUp(stage)
    const compiled = launcher.compiledDirectory(dist)
    return new Map(readdirSync(compiled).map((name) => [name, readFileSync(join(compiled, name))]))
  } finally {
    rmSync(stage, { recursive: true, maxRetries: 5 })
  }
}

/** @param {string} stage */
function warmUp(stage) {
  const { status, signal, stderr, error } = spawnSync(process.execPath, [join(root, 'build', 'warm-up.js'), stage], {
    cwd: stage,
    env: { HOME: join(stage, 'home'), PATH: process.env.PATH },
    encoding: 'utf8',
  })
  if (status !== 0) throw new Error(`the program cannot be compiled: ${error ?? signal ?? status}\n${stderr}`)
}
