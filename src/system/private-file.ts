import {
  closeSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync
} from 'node:fs'
import { dirname } from 'node:path'
import { Failure } from '../failure.ts'
import { isWindows, pathCommand } from '../text/shell.ts'
import { errorCode } from './errno.ts'
import { realPathOf, statsOf } from './same-file.ts'

/**
 * Creates a directory and missing parents, which only their owner can access. Node's own way to do
 * so never ends where the system makes none, as in `/proc`.
 */
export function makePrivateDirectories(path: string): void {
  const parent = dirname(path)
  if (parent === path || statsOf(path)?.isDirectory()) return
  makePrivateDirectories(parent)
  try {
    mkdirSync(path, 0o700)
  } catch (error) {
    // Another program may have made it since.
    if (!statsOf(path)?.isDirectory()) throw error
  }
}

/** Creates an empty file that only its owner can access; one that exists stays as it is. */
export function makePrivateFile(path: string): void {
  try {
    closeSync(openSync(path, 'wx', 0o600))
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error
  }
}

/** Refuses a file of another user, who could replace it at any time. */
export function requireOwnFile(path: string): void {
  // Windows has no such numbers, and keeps files in profiles.
  const user = process.getuid?.()
  if (user === undefined || statSync(path).uid === user) return
  throw new Failure('local', `${path} belongs to another user`)
}

/** Why other users can change a file or a directory, or read a file; undefined if they cannot. */
export function exposureOf(path: string): Failure | undefined {
  const stats = statSync(path, { throwIfNoEntry: false })
  // On Windows, Node makes up the mode.
  if (stats === undefined || isWindows) return undefined
  const isFile = stats.isFile()
  if ((stats.mode & (isFile ? 0o066 : 0o022)) === 0) return undefined
  const problem = `${path} can be ${isFile ? 'read or ' : ''}changed by other users`
  const hint = pathCommand(isFile ? 'chmod 600' : 'chmod go-w', path)
  return new Failure('local', problem, { hint })
}

/**
 * Replaces the content of a file at once: after a failure or a kill it has the old content. Only
 * one program may do so at a time. What a killed one left behind is removed.
 */
export function replacePrivateFile(path: string, content: string): void {
  const target = realPathOf(path)
  const temporary = `${target}.tmp`
  rmSync(temporary, { force: true })
  try {
    // Bytes and not text: only for them does Node go on after a part was written.
    writeFileSync(temporary, Buffer.from(content), { mode: 0o600, flag: 'wx', flush: true })
    moveTo(target, temporary)
  } catch (error) {
    rmSync(temporary, { force: true })
    throw error
  }
}

/** On Windows, a file cannot be replaced at the moment in which another program reads it. */
function moveTo(target: string, temporary: string) {
  for (let attempts = isWindows ? 50 : 1; ; attempts -= 1) {
    try {
      return renameSync(temporary, target)
    } catch (error) {
      if (attempts === 1) throw error
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20)
    }
  }
}
