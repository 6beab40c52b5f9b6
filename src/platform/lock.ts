import { accessSync, closeSync, constants, fchmodSync, lstatSync, openSync } from 'node:fs'
import { Failure } from '../failure.ts'
import { realPathOf } from './same-file.ts'
import { commandLine } from './shell.ts'
import { loadSqlite, retryWhileBusy, type Sqlite, sqliteErrorKind } from './sqlite.ts'
import { describeSystemError, systemErrorCode } from './system-error.ts'

interface LockOptions {
  /** The file that the lock protects. It need not exist. */
  readonly file: string
  /** What the file is, for messages: `the config file`. */
  readonly what: string
  /** How long to wait for another program; 0 to fail at once. */
  readonly milliseconds: number
  /** Ends the wait. */
  readonly signal?: AbortSignal | undefined
}

/** The lock of a file: beside the file itself, whatever link leads to it. */
export function lockPathOf(file: string): string {
  return `${realPathOf(file)}.lock.db`
}

/**
 * Takes a lock that belongs to the operating system: an exclusive transaction of SQLite on an empty file. It works
 * between containers that share the file, and it ends with its holder, however the holder ends. The file stays: a program
 * that waits for it has opened it, and would get a lock that no other program sees. Returns a function that releases the
 * lock, or undefined if SQLite cannot be loaded on this machine.
 */
export async function takeLock({ file, what, milliseconds, signal }: LockOptions): Promise<(() => void) | undefined> {
  const path = lockPathOf(file)
  try {
    const open = await loadSqlite()
    const connection = await retryWhileBusy(() => lockOnce(path, open), { milliseconds, signal })
    return () => connection.close()
  } catch (error) {
    if (signal?.aborted) throw signal.reason
    if (sqliteErrorKind(error) === 'missing') return undefined
    if (sqliteErrorKind(error) === 'busy') throw heldFailure(path, `${what} ${file}`, error)
    throw lockFailure(path, error)
  }
}

/** Throws an error of kind `busy` if another program has the lock. */
function lockOnce(path: string, open: (path: string) => Sqlite): Sqlite {
  prepareLockFile(path)
  const connection = open(path)
  try {
    // In memory, because a journal on disk would be a second file.
    connection.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE')
    return connection
  } catch (error) {
    connection.close()
    throw error
  }
}

/**
 * Creates the file if it is missing, and never opens it otherwise: closing a file releases all locks that this process
 * has on it, SQLite's included.
 */
function prepareLockFile(path: string): void {
  try {
    const file = openSync(path, constants.O_CREAT | constants.O_EXCL | constants.O_RDWR, 0o600)
    // The umask may have removed the right to write.
    fchmodSync(file, 0o600)
    closeSync(file)
  } catch (error) {
    if (systemErrorCode(error) !== 'EEXIST') throw error
  }
  if (!lstatSync(path).isFile()) throw foreignFailure(path)
  accessSync(path, constants.R_OK | constants.W_OK)
}

function heldFailure(path: string, what: string, cause: unknown): Failure {
  return new Failure('local', `another petstore is using ${what} (lock: ${path})`, { isRetryable: true, cause })
}

function foreignFailure(path: string, cause?: unknown): Failure {
  return new Failure('local', `${path} is not a lock of petstore; it was left unchanged`, {
    hint: commandLine('mv', { paths: [path, `${path}.old`] }),
    cause,
  })
}

function lockFailure(path: string, error: unknown): unknown {
  if (sqliteErrorKind(error) === 'damaged') return foreignFailure(path, error)
  if (error instanceof Failure || (systemErrorCode(error) ?? sqliteErrorKind(error)) === undefined) return error
  return new Failure('local', `cannot lock ${path}: ${describeSystemError(error)}`, {
    hint: commandLine('ls -ld', { paths: [path] }),
    cause: error,
  })
}
