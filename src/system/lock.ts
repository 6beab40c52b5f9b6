import { Failure } from '../failure.ts'
import { describeSystemError } from './errno.ts'
import { makePrivateFile } from './private-file.ts'
import { pause } from './promises.ts'
import { Sqlite, sqliteErrorKind } from './sqlite.ts'

/** Once the lock is released, it may be removed while no program can take it. */
export const lockPathOf = (file: string) => `${file}.lock.db`

/**
 * A lock of the operating system: an exclusive transaction of SQLite on an empty file. It ends when
 * the process that holds it ends, for any reason. Returns a function that releases it.
 */
export async function takeLock(wanted: {
  /** The file that the lock protects, or that stands for it. It need not exist. */
  readonly file: string
  /** The name of the file in messages: `the config file`. */
  readonly what: string
  /** How long to wait for it. */
  readonly milliseconds: number
  readonly signal?: AbortSignal
}) {
  const { file, what, milliseconds, signal } = wanted
  const path = lockPathOf(file)
  makePrivateFile(path)
  let sqlite: Sqlite | undefined
  const deadline = performance.now() + milliseconds
  try {
    const opened = new Sqlite(path)
    sqlite = opened
    while (!isLocked(opened)) {
      if (performance.now() > deadline)
        throw new Failure('local', `another petstore process is using ${what} ${file}`, {
          isRetryable: true
        })
      await pause(20, signal)
    }
    return () => opened.close()
  } catch (error) {
    sqlite?.close()
    if (sqliteErrorKind(error) === undefined) throw error
    throw new Failure('local', `${what} ${file} cannot be locked: ${describeSystemError(error)}`)
  }
}

function isLocked(sqlite: Sqlite) {
  try {
    sqlite.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE')
    return true
  } catch (error) {
    if (sqliteErrorKind(error) === 'busy') return false
    throw error
  }
}
