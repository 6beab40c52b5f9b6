import { existsSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { Failure } from '../failure.ts'
import { describeSystemError, placeFailure, systemErrorCode } from '../platform/errno.ts'
import { makePrivateFile, requireOwnFile } from '../platform/private-file.ts'
import { statsOf } from '../platform/same-file.ts'
import { pathCommand } from '../platform/shell.ts'
import { Sqlite, sqliteErrorKind } from '../platform/sqlite.ts'
import { type FirstPet, migrations, Tables } from './tables.ts'

/** The mark in the head of every database of this program: "Pets" in ASCII. */
const applicationId = 0x50657473

/** Another program may be making the database, which takes several waits for the disk. */
const openingMilliseconds = 2000

/** Opens a database, and makes it if there is none. */
export function openDatabaseFile(path: string, firstPets: readonly FirstPet[]) {
  try {
    if (path !== ':memory:') {
      makePrivateFile(path)
      requireOwnFile(path)
    }
    const requireSame = path === ':memory:' ? () => {} : watchForLoss(path)
    const sqlite = new Sqlite(path, { timeout: openingMilliseconds })
    migrate(sqlite, path, firstPets)
    sqlite.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA busy_timeout = 0')
    // From the first read on, SQLite holds a lock that says that the file is in use.
    sqlite.rows('SELECT 1 FROM sqlite_schema')
    return { sqlite, requireSame }
  } catch (error) {
    throw databaseFailure(path, error)
  }
}

/** What is written to a file after it was deleted or replaced is lost. */
function watchForLoss(path: string): () => void {
  const identity = () => {
    const stats = statsOf(path)
    return `${stats?.dev} ${stats?.ino}`
  }
  const first = identity()
  return () => {
    if (identity() === first) return
    const cause = new Error('the database was deleted or replaced; nothing was changed')
    const problem = `the database ${path} was deleted or replaced while it was open`
    throw new Failure('local', `${problem}; nothing was changed`, { cause })
  }
}

function migrate(sqlite: Sqlite, path: string, firstPets: readonly FirstPet[]): void {
  const pragma = (name: string) => Number(sqlite.rows(`PRAGMA ${name}`)[0]?.[name])
  const isNew = sqlite.rows('SELECT 1 FROM sqlite_schema').length === 0
  if (!isNew && pragma('application_id') !== applicationId)
    throw new Failure('local', `the database ${path} belongs to another program`)
  if (pragma('user_version') > migrations.length)
    throw new Failure('local', `the database ${path} was written by a newer petstore`)
  if (pragma('user_version') === migrations.length) return

  sqlite.transaction(() => {
    // Another program may have done it since.
    const version = pragma('user_version')
    for (const step of migrations.slice(version)) sqlite.exec(step)
    if (version === 0) new Tables(sqlite).reset(firstPets)
    sqlite.exec(
      `PRAGMA application_id = ${applicationId}; PRAGMA user_version = ${migrations.length}`
    )
  })
}

/** The failure for a fault of SQLite or of the system; any other error stays as it is. */
export function databaseFailure(path: string, error: unknown): unknown {
  const problem = `the database ${path}`
  const hint = pathCommand('ls -la', dirname(path))
  if (systemErrorCode(error) !== undefined)
    return placeFailure(error, dirname(path), `${problem} cannot be opened`, hint)
  const kind = sqliteErrorKind(error)
  if (kind === undefined) return error
  const isBusy = kind === 'busy'
  const message = isBusy
    ? `another program has locked ${problem}; nothing was changed`
    : `${problem} cannot be used: ${describeSystemError(error)}`
  return new Failure('local', message, {
    isRetryable: isBusy,
    hint: isBusy ? undefined : hint,
    cause: error
  })
}

/** Deletes a database, unless another program has it open. */
export function deleteDatabase(path: string): boolean {
  if (!existsSync(path)) return false
  try {
    requireUnused(path)
    for (const suffix of ['-wal', '-shm', '-journal', ''])
      rmSync(`${path}${suffix}`, { force: true })
    return true
  } catch (error) {
    const isBusy = sqliteErrorKind(error) === 'busy' || systemErrorCode(error) === 'EBUSY'
    const reason = isBusy ? 'another program is using it' : describeSystemError(error)
    const problem = `the database ${path} cannot be deleted: ${reason}`
    throw new Failure('local', problem, { cause: error })
  }
}

/** SQLite grants the lock only if no other program has the file open, even idle. */
function requireUnused(path: string): void {
  const sqlite = new Sqlite(path, { timeout: 1000 })
  try {
    sqlite.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE')
  } finally {
    // Windows deletes no file that is open.
    sqlite.close()
  }
}
