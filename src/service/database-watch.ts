import { type BigIntStats, realpathSync, statSync } from 'node:fs'
import { Failure } from '../failure.ts'
import { systemFailure } from '../platform/errno.ts'
import type { DatabaseFile } from './database-file.ts'

/** Throws if what the connection reads or writes is no longer what is at the path. */
export type RequireSame = () => void

/**
 * For an open database: whatever is written to it after it was deleted or replaced, or one of
 * SQLite's files beside it, is lost.
 */
export function watchForLoss(file: DatabaseFile, paths: readonly string[]): RequireSame {
  return watch(file, paths, ['dev', 'ino'], () => {
    const problem = 'was deleted or replaced while it was open; nothing was written'
    return new Failure('local', `the database ${file.path} ${problem}`, {
      cause: new Error(`the database ${problem}`)
    })
  })
}

/**
 * For a database at rest, which SQLite then reads without a lock: while neither a log nor a journal
 * appears beside it and the file stays as it is, no other program has changed what is read.
 * Undefined if another program uses it now, or was killed.
 */
export function watchAtRest(file: DatabaseFile): RequireSame | undefined {
  const real = realpathSync(file.path)
  const marks = [`${real}-wal`, `${real}-journal`]
  const version = ['dev', 'ino', 'size', 'mtimeNs', 'ctimeNs'] as const
  const requireSame = watch(file, [real, ...marks], version, () => {
    const problem = 'is in use by another program, and cannot be read safely without write access'
    return new Failure('local', `the database ${file.path} ${problem}`, { isRetryable: true })
  })
  return marks.some(statsAt) ? undefined : requireSame
}

/** Compares the files later with what they are now; a missing one is the same as long as it is. */
function watch(
  { path }: DatabaseFile,
  files: readonly string[],
  fields: readonly (keyof BigIntStats)[],
  failure: () => Failure
): RequireSame {
  const seen = () => {
    try {
      return files
        .map(statsAt)
        .flatMap(stats => fields.map(field => stats?.[field]))
        .join()
    } catch (error) {
      throw systemFailure(error, 'local', `the database ${path} cannot be checked`)
    }
  }
  const first = seen()
  return () => {
    if (seen() !== first) throw failure()
  }
}

const statsAt = (path: string) => statSync(path, { bigint: true, throwIfNoEntry: false })
