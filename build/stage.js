import { spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { root, writeFiles } from './dist.js'

/**
 * Puts a bundle and its launcher into a temporary directory, where the build runs the program.
 *
 * @template Result
 * @param {ReadonlyMap<string, string | Uint8Array>} files the bundle
 * @param {(stage: string) => Result} work
 */
export function onStage(files, work) {
  const stage = mkdtempSync(join(tmpdir(), 'petstore-build-'))
  try {
    writeFiles('', files, join(stage, 'dist'))
    cpSync(join(root, 'bin'), join(stage, 'bin'), { recursive: true })
    // SQLite for Node 20 is not in the bundle.
    symlinkSync(join(root, 'node_modules'), join(stage, 'node_modules'))
    return work(stage)
  } finally {
    rmSync(stage, { recursive: true, maxRetries: 5 })
  }
}

/**
 * Runs a script with a temporary home, without the variables, flags and files of this machine.
 *
 * @param {string} stage
 * @param {readonly string[]} argv
 * @param {string} [node]
 * @returns {string} its stdout
 */
export function runOnStage(stage, argv, node = process.execPath) {
  const { status, signal, stdout, stderr, error } = spawnSync(node, argv, {
    cwd: stage,
    env: { HOME: join(stage, 'home'), PATH: process.env.PATH },
    encoding: 'utf8',
  })
  if (status !== 0) throw new Error(`the program cannot be built: ${error ?? signal ?? status}\n${stderr}`)
  return stdout
}
