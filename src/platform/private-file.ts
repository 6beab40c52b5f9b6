import { closeSync, mkdirSync, openSync } from 'node:fs'
import { systemErrorCode } from './errno.ts'

/** Creates a directory and missing parents, which only their owner can access. */
export const makePrivateDirectories = (path: string) =>
  void mkdirSync(path, { recursive: true, mode: 0o700 })

/** Creates an empty file that only its owner can access; one that exists stays as it is. */
export function makePrivateFile(path: string): void {
  try {
    closeSync(openSync(path, 'wx', 0o600))
  } catch (error) {
    if (systemErrorCode(error) !== 'EEXIST') throw error
  }
}
