import { realpathSync, statSync } from 'node:fs'
import { Failure } from '../failure.ts'
import { isMissing, systemFailure } from '../platform/errno.ts'
import { inodeOf } from '../platform/same-file.ts'
import type { DatabaseFile } from './database-file.ts'

/** Throws if what the connection reads or writes is no longer what is at the path. */
export type RequireSame = () => void

/**
 * For an open database: whatever is written to it after it was deleted or replaced, or one of
 * SQLite's files beside it, is lost. The files must exist.
 */
export function watchForLoss(file: DatabaseFile): RequireSame {
  const { path } = file
  if (path === ':memory:') return () => {}
  // SQLite's files lie beside the real file, and never change while it is open.
  const real = realpathSync(path)
  const names = [path, `${real}-wal`, `${real}-shm`]
  const inodes = names.map(inodeIfThere)
  return () => {
    const now = seen(file, () => names.map(inodeIfThere))
    if (now.some((inode, index) => inode !== inodes[index])) throw lostFailure(file)
  }
}

/**
 * For a database at rest, which SQLite then reads without a lock: while neither a log nor a journal
 * appears beside it and the file stays as it is, no other program has changed what is read.
 * Undefined if another program uses it now, or was killed.
 */
export function watchAtRest(file: DatabaseFile): RequireSame | undefined {
  const real = realpathSync(file.path)
  const marks = [`${real}-wal`, `${real}-journal`]
  const isInUse = () => marks.some((mark) => statsAt(mark))
  const first = versionAt(real)
  if (isInUse()) return undefined
  return () => {
    if (seen(file, () => versionAt(real) === first && !isInUse())) return
    const problem = 'is in use by another program, and cannot be read safely without write access'
    throw new Failure('local', `the database ${file.path} ${problem}`, { isRetryable: true })
  }
}

function seen<Value>(file: DatabaseFile, look: () => Value): Value {
  try {
    return look()
  } catch (error) {
    throw systemFailure(error, 'local', `the database ${file.path} cannot be checked`)
  }
}

/** Identifies the file at a path; undefined if there is none. */
function inodeIfThere(path: string): string | undefined {
  const stats = statsAt(path)
  return stats && inodeOf(stats)
}

function versionAt(path: string): string | undefined {
  const stats = statsAt(path)
  return stats && [inodeOf(stats), stats.size, stats.mtimeNs, stats.ctimeNs].join()
}

function statsAt(path: string) {
  try {
    return statSync(path, { bigint: true })
  } catch (error) {
    if (isMissing(error)) return undefined
    throw error
  }
}

export function lostFailure({ path }: DatabaseFile): Failure {
  const problem = 'was deleted or replaced while it was open; nothing was written'
  return new Failure('local', `the database ${path} ${problem}`, {
    cause: new Error(`the database ${problem}`),
  })
}
