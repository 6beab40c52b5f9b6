import { closeSync, mkdirSync, openSync, statSync } from 'node:fs'
import { Failure } from '../failure.ts'
import { errorCode } from './errno.ts'

/** Creates a directory and missing parents, which only their owner can access. */
export const makePrivateDirectories = (path: string) =>
  void mkdirSync(path, { recursive: true, mode: 0o700 })

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
