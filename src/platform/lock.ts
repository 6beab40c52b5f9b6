import { accessSync, constants, existsSync, lstatSync } from 'node:fs'
import { dirname } from 'node:path'
import { Failure } from '../failure.ts'
import { describeSystemError, placeHint, systemErrorCode } from './errno.ts'
import { makePrivateFile } from './private-file.ts'
import { realPathOf } from './same-file.ts'
import { pathCommand } from './shell.ts'
import { loadSqlite, retryWhileBusy, type Sqlite, sqliteErrorKind } from './sqlite.ts'
import { requireOwnDatabase } from './sqlite-files.ts'

interface LockOptions {
  /** The file that the lock protects. It need not exist. */
  readonly file: string
  /** The name of the file in messages: `the config file`. */
  readonly what: string
  /** How long to wait for the program that has it; 0 to fail immediately. */
  readonly milliseconds: number
  /** Ends the wait. */
  readonly signal?: AbortSignal | undefined
}

/** The lock of a file: beside the file itself, whatever link leads to it. */
export function lockPathOf(file: string): string {
  return `${realPathOf(file)}${lockSuffix}`
}

const lockSuffix = '.lock.db'

/** Refuses an output that is the lock of any file. */
export function refuseLock(path: string): void {
  if (realPathOf(path).endsWith(lockSuffix))
    throw new Failure('usage', `${path} is a petstore lock`)
}

/**
 * Takes a lock that belongs to the operating system: an exclusive transaction of SQLite on an empty
 * file. It works between containers that share the file, and it ends when the process that holds it
 * ends, for any reason. The file stays: a waiting program has it open, and would otherwise get a
 * lock that no other program sees. Returns a function that releases the lock.
 */
export async function takeLock({
  file,
  what,
  milliseconds,
  signal
}: LockOptions): Promise<() => void> {
  const path = lockPathOf(file)
  let connection: Sqlite | undefined
  try {
    const open = loadSqlite()
    prepareLockFile(path)
    const opened = open(path)
    connection = opened
    // SQLite's journal is in memory, because on disk it would be a second file.
    const begin = () => opened.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE')
    await retryWhileBusy(begin, milliseconds, signal)
    return () => opened.close()
  } catch (error) {
    connection?.close()
    if (sqliteErrorKind(error) === 'busy') {
      const message = `another petstore process is using ${what} ${file} (lock: ${path})`
      throw new Failure('local', message, { isRetryable: true, cause: error })
    }
    if ((systemErrorCode(error) ?? sqliteErrorKind(error)) === undefined) throw error
    const look = pathCommand('ls -ld', existsSync(path) ? path : dirname(path))
    throw new Failure('local', `cannot lock ${path}: ${describeSystemError(error)}`, {
      hint: placeHint(error, dirname(path), look),
      cause: error
    })
  }
}

/**
 * Creates the file if it is missing, and never opens it otherwise: closing a file releases all
 * locks that this process has on it, SQLite's included.
 */
function prepareLockFile(path: string): void {
  makePrivateFile(path)
  requireOwnDatabase(path)
  const stats = lstatSync(path)
  if (!stats.isFile() || stats.size > 0) {
    throw new Failure('local', `${path} is not a petstore lock; it was left unchanged`, {
      hint: pathCommand('mv -i', path, `${path}.old`)
    })
  }
  accessSync(path, constants.R_OK | constants.W_OK)
}
