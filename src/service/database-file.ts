import {
  type BigIntStats,
  constants,
  existsSync,
  fstatSync,
  realpathSync,
  statfsSync,
  statSync
} from 'node:fs'
import { dirname, join } from 'node:path'
import { Failure } from '../failure.ts'
import {
  describeSystemError,
  placeFailure,
  systemFailure,
  unlessSystemFails
} from '../platform/errno.ts'
import { bytesOf, requireOnlyName, requireOwnLinks, withFile } from '../platform/file-access.ts'
import { makePrivateFile } from '../platform/private-file.ts'
import { realPathOf } from '../platform/same-file.ts'
import { hintWord, pathCommand } from '../platform/shell.ts'
import { sqliteErrorKind } from '../platform/sqlite.ts'
import { requireOwnDatabase } from '../platform/sqlite-files.ts'

/** The mark in the head of every database of this program: "Pets" in ASCII. */
export const applicationId = 0x50657473

const headLength = 100

export interface DatabaseFile {
  /** `:memory:` for a database without a file. */
  readonly path: string
  /** What to run if the file cannot be used: by default, what moves it out of the way. */
  readonly hint?: string | undefined
}

/** Makes sure that the file exists and may be opened. */
export function prepareFile(file: DatabaseFile): void {
  const { path } = file
  try {
    requireOwnLinks(path)
    makePrivateFile(realPathOf(path))
    requireOwnFiles(file, constants.O_RDWR)
  } catch (error) {
    const directory = dirname(path)
    // The file itself may be fine, so the hint only shows it.
    const hint = file.hint ?? pathCommand('ls -la', directory)
    const problem = `the database ${path} cannot be opened`
    throw placeFailure(error, directory, problem, hint)
  }
}

/**
 * Refuses files that SQLite must not open: those of another user or of another program, and a file
 * with two names, because each name would have a log of its own. SQLite is not asked, because merely
 * opening a database can change it. Never while this process has the database open: closing a file
 * releases all locks that the process holds on it, SQLite's too.
 */
export function requireOwnFiles(file: DatabaseFile, access?: number): void {
  requireOwnLinks(file.path)
  const real = realPathOf(file.path)
  requireOwnDatabase(real)
  const readHead = (descriptor: number) => {
    if (!fstatSync(descriptor).isFile()) throw unusable(file, 'is not a regular file')
    return bytesOf(descriptor, headLength)
  }
  const head = withFile(real, readHead, access)
  requireOnlyName(real)
  // A power cut can leave a new file without a head. Its journal has what SQLite needs to repair it.
  const isUnfinished = head.every(byte => byte === 0) && existsSync(`${real}-journal`)
  if (head.length === 0 || isUnfinished) return
  if (head.length < headLength || !head.toString('latin1').startsWith('SQLite format 3\0'))
    throw unusable(file, 'is not an SQLite database')
  if (head.readUInt32BE(68) !== applicationId) throw unusable(file, 'belongs to another program')
}

/** A file that cannot be used is never changed: it may be the only copy of important data. */
export function unusable(
  { path, hint = setAside(path) }: DatabaseFile,
  problem: string,
  cause?: unknown
): Failure {
  return new Failure('local', `the database ${path} ${problem}; it was left unchanged`, {
    hint,
    cause
  })
}

/**
 * Moves a database together with SQLite's files beside it: a log that stayed would be read into the
 * next database, and would be missing from this one. The directory must be new, so that nothing
 * that was set aside earlier is overwritten.
 */
function setAside(path: string): string {
  const directory = join(dirname(path), 'set-aside')
  return `${pathCommand('mkdir', directory)} && mv ${hintWord(path)}* ${hintWord(directory)}`
}

/**
 * The failure for a fault of SQLite or of the system; any other error stays as it is. If another
 * program or the disk causes it, the file itself is fine.
 */
export function databaseFailure(file: DatabaseFile, error: unknown): unknown {
  const { path } = file
  const kind = sqliteErrorKind(error)
  if (kind === undefined)
    return systemFailure(error, 'local', `the database ${path} cannot be used`)
  if (kind === 'busy') {
    const message = `another program has locked the database ${path}; nothing was changed`
    return new Failure('local', message, { isRetryable: true, cause: error })
  }
  if (kind === 'full' || kind === 'disk') return diskFailure(path, kind, error)
  return unusable(file, `cannot be used: ${describeSystemError(error)}`, error)
}

/**
 * SQLite reports a full disk only for the data itself; for its files beside it, this is any I/O
 * error.
 */
function diskFailure(path: string, kind: 'full' | 'disk', error: unknown): Failure {
  const directory = dirname(path)
  const isFull = kind === 'full' || unlessSystemFails(() => statfsSync(directory).bavail) === 0
  const problem = isFull ? 'the disk is full' : describeSystemError(error)
  return new Failure(
    'local',
    `the database ${path} cannot be read or written: ${problem}; nothing more was changed`,
    { hint: isFull ? pathCommand('df -h', directory) : undefined, cause: error }
  )
}

/** Throws if what the connection reads or writes is no longer what is at the path. */
export type RequireSame = () => void

/**
 * For an open database: whatever is written to it after it was deleted or replaced, or one of
 * SQLite's files beside it, is lost.
 */
export function watchForLoss(file: DatabaseFile, paths: readonly string[]): RequireSame {
  return watchFiles(file, paths, ['dev', 'ino'], () => {
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
  const requireSame = watchFiles(file, [real, ...marks], version, () => {
    const problem = 'is in use by another program, and cannot be read safely without write access'
    return new Failure('local', `the database ${file.path} ${problem}`, { isRetryable: true })
  })
  return marks.some(statsAt) ? undefined : requireSame
}

/** Compares the files later with what they are now; a missing one is the same as long as it is. */
function watchFiles(
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
