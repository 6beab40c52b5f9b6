import { lstatSync, realpathSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { Failure } from '../failure.ts'
import { describeSystemError, systemErrorCode, systemFailure } from '../platform/errno.ts'
import { removeFile, requireOwnLinks, requireWritable } from '../platform/file-access.ts'
import { realPathOf } from '../platform/same-file.ts'
import { loadSqlite, retryWhileBusy, type Sqlite, sqliteErrorKind } from '../platform/sqlite.ts'
import { filesBeside } from '../platform/sqlite-files.ts'
import { requireOwnFiles } from './database-file.ts'

/** What was there. */
export interface Deletion {
  /** False if there was no file. */
  readonly isDeleted: boolean
  /** Another name (hard link) has the data. */
  readonly isElsewhere: boolean
}

/**
 * Deletes a database and its files, if there is one; a link to it stays. Never while another
 * program has it open: everything that the other program adds afterward would be lost.
 */
export async function deleteDatabase(path: string): Promise<Deletion> {
  let lock: Sqlite | undefined
  try {
    requireOwnLinks(path)
    const stats = statSync(path, { throwIfNoEntry: false })
    const real = stats === undefined ? realPathOf(path) : realpathSync(path)
    requireWritable(dirname(real))
    const files = [...filesBeside(real), real]
    const isDeleted = files.some(hasEntry)
    const isElsewhere = stats !== undefined && stats.nlink > 1
    if (stats !== undefined && isOurs(path)) {
      lock = loadSqlite()(real)
      await lockAlone(lock)
    }
    // SQLite's files come first, also those that the lock has made: if deleting stops halfway, it
    // can be repeated.
    for (const file of files) removeFile(file)
    return { isDeleted, isElsewhere }
  } catch (error) {
    const problem = `the database ${path} cannot be deleted`
    const kind = sqliteErrorKind(error)
    if (kind === undefined) throw systemFailure(error, 'local', problem)
    const user = "another program (such as 'petstore serve') is using it"
    const reason = kind === 'busy' ? user : describeSystemError(error)
    throw new Failure('local', `${problem}: ${reason}; nothing was deleted`, { cause: error })
  } finally {
    lock?.close()
  }
}

const hasEntry = (file: string): boolean => lstatSync(file, { throwIfNoEntry: false }) !== undefined

/** What SQLite must not open is not in use by this program either. */
function isOurs(path: string): boolean {
  try {
    requireOwnFiles({ path })
    return true
  } catch (error) {
    if (error instanceof Failure || systemErrorCode(error) === 'EACCES') return false
    throw error
  }
}

/**
 * Takes the file for this program only. SQLite grants this lock, which needs no shared index of the
 * log, only if no other program has the file open, even idle. A file that is no database any more
 * needs no lock: no other program can use it either.
 */
async function lockAlone(sqlite: Sqlite): Promise<void> {
  try {
    sqlite.exec('PRAGMA locking_mode = EXCLUSIVE')
    await retryWhileBusy(() => sqlite.exec('BEGIN EXCLUSIVE'), 1000)
  } catch (error) {
    if (sqliteErrorKind(error) !== 'damaged') throw error
  }
}
