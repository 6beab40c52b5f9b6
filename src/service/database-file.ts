import { rmSync } from 'node:fs'
import { Failure } from '../failure.ts'
import { systemFailure } from '../system/errno.ts'
import { makePrivateFile, requireOwnFile } from '../system/private-file.ts'
import { statsOf } from '../system/same-file.ts'
import { Sqlite, sqliteErrorKind } from '../system/sqlite.ts'
import { type FirstPet, hasSchema, schema, Tables } from './tables.ts'

/** Another program may be making the database, which takes several waits for the disk. */
const openingMilliseconds = 2000

/** Opens a database, and makes it if there is none. */
export function openDatabaseFile(path: string, firstPets: readonly FirstPet[]) {
  try {
    if (path !== ':memory:') {
      makePrivateFile(path)
      requireOwnFile(path)
    }
    const sqlite = new Sqlite(path, { timeout: openingMilliseconds })
    makeTables(sqlite, path, firstPets)
    sqlite.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA busy_timeout = 0')
    // From the first read on, SQLite has all its files open.
    sqlite.rows('SELECT 1 FROM sqlite_schema')
    return { sqlite, requireSame: watchForLoss(path) }
  } catch (error) {
    throw databaseFailure(path, error)
  }
}

/** What is written to a file, also to its log, after it was deleted or replaced is lost. */
function watchForLoss(path: string) {
  // No other file gets the same number while this one is open.
  const inodes = () => [path, `${path}-wal`].map(file => statsOf(file)?.ino).join()
  const opened = inodes()
  return () => {
    if (inodes() === opened) return
    const problem = `the database ${path} was deleted or replaced`
    throw new Failure('local', problem)
  }
}

function makeTables(sqlite: Sqlite, path: string, firstPets: readonly FirstPet[]) {
  const isEmpty = () => sqlite.count('sqlite_schema') === 0
  const make = () => {
    // Another program may have done it since.
    if (!isEmpty()) return
    sqlite.exec(schema)
    new Tables(sqlite).reset(firstPets)
  }
  if (isEmpty()) sqlite.transaction(make)
  if (sqlite.rows(hasSchema).length === 0)
    throw new Failure('local', `the database ${path} belongs to another program or another version`)
}

/** The failure for a fault of SQLite or of the system; any other error stays as it is. */
export function databaseFailure(path: string, cause: unknown): unknown {
  if (sqliteErrorKind(cause) !== 'busy')
    return systemFailure(cause, 'local', `the database ${path} cannot be used`)
  const problem = `another program uses the database ${path}; nothing was changed`
  return new Failure('local', problem, { isRetryable: true, cause })
}

/** Deletes a database. A program that has it open finds out before its next change. */
export function deleteDatabase(path: string): void {
  try {
    for (const suffix of ['-wal', '-shm', '-journal', ''])
      rmSync(`${path}${suffix}`, { force: true })
  } catch (cause) {
    throw databaseFailure(path, cause)
  }
}
