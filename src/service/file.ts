import { closeSync, existsSync, fstatSync, lstatSync, openSync, readSync, statfsSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { Failure } from '../failure.ts'
import { makePrivateDirectories } from '../platform/private-file.ts'
import { commandLine, shellQuoted } from '../platform/shell.ts'
import { describeSystemError } from '../platform/system-error.ts'

/** The mark in the head of every file of this program: "Pets" in ASCII. */
export const applicationId = 0x50657473

const magic = 'SQLite format 3\0'
const headLength = 100
const userVersionOffset = 60
const applicationIdOffset = 68

/** Where a database is. */
export interface Place {
  readonly path: string
  /** Whether the command line names it. Then what is in the way there is somebody's, and a missing directory a slip. */
  readonly isNamed: boolean
}

/**
 * Makes sure that the file is there and may be opened as ours: it is new, or its head says that this program wrote it.
 * SQLite is not asked, since merely opening another program's database can change it.
 */
export function prepareFile(place: Place, newestVersion: number): void {
  const { path, isNamed } = place
  try {
    if (isNamed) requireDirectory(path)
    else makePrivateDirectories(dirname(path))
    refuseSpecialFile(place)
    const head = readHead(path)
    if (head.length > 0) refuseForeignHead(place, head, newestVersion)
  } catch (error) {
    throw error instanceof Failure ? error : inTheWay(place, `can't be opened: ${describeSystemError(error)}`, error)
  }
}

/** A file that can't be used is never touched: it may be somebody's only copy. */
function inTheWay({ path, isNamed }: Place, problem: string, cause?: unknown): Failure {
  const look = commandLine('ls -ld', { paths: [dirname(path)] })
  return new Failure('local', `the database ${path} ${problem}; it was left as it is`, {
    hint: isNamed ? 'petstore serve --data :memory:' : isThere(path) ? setAside(path) : look,
    cause,
  })
}

/**
 * Moves a database with what SQLite keeps beside it. A log that stayed would be read into the next database there, and
 * what is in it would be missing from this one. The directory must be new, so nothing that was set aside is overwritten.
 */
function setAside(path: string): string {
  const directory = join(dirname(path), 'set-aside')
  return `${commandLine('mkdir', { paths: [directory] })} && mv ${shellQuoted(path)}* ${shellQuoted(directory)}`
}

/** A fault of SQLite in plain words. Where others or the disk are at fault there is nothing wrong with the file. */
export function databaseFailure(place: Place, error: Error): Failure {
  if (isBusy(error)) {
    const message = `another program holds the database ${place.path}; nothing was changed`
    return new Failure('local', message, { isRetryable: true, cause: error })
  }
  if (!isOfDisk(error)) return inTheWay(place, `can't be used: ${error.message}`, error)
  const { path } = place
  const problem = isFull(error) || isDiskFull(path) ? 'the disk is full' : error.message
  return new Failure('local', `the database ${path} can't be written: ${problem}; nothing more was changed`, {
    hint: commandLine('df -h', { paths: [dirname(path)] }),
    cause: error,
  })
}

/** Whether another program held the file for too long; the statement had no effect then. */
export function isBusy(error: unknown): boolean {
  return /^SQLITE_(BUSY|LOCKED)/.test(sqliteCode(error))
}

export function isFull(error: unknown): boolean {
  return sqliteCode(error).startsWith('SQLITE_FULL')
}

/** The code of SQLite's own error; empty for any other. */
export function sqliteCode(error: unknown): string {
  const code = (error as { code?: unknown } | undefined)?.code
  return typeof code === 'string' && code.startsWith('SQLITE_') ? code : ''
}

const isOfDisk = (error: unknown) => /^SQLITE_(FULL|IOERR|CANTOPEN|READONLY)/.test(sqliteCode(error))

/** SQLite tells of a full disk only where it writes the data itself; beside it, it is an I/O error like any other. */
function isDiskFull(path: string): boolean {
  try {
    return statfsSync(dirname(path)).bavail === 0
  } catch {
    return false
  }
}

/** False also if this user may not look. */
function isThere(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined
  } catch {
    return false
  }
}

/** A directory that was mistyped is not to be made. */
function requireDirectory(path: string): void {
  const directory = dirname(path)
  if (existsSync(directory)) return
  throw new Failure('local', `there is no directory ${directory} for the database ${path}`, {
    hint: commandLine('mkdir -p', { paths: [directory] }),
  })
}

/** Opening a named pipe would wait for ever, and a device is no place for a database. */
function refuseSpecialFile(place: Place): void {
  const stats = statSync(place.path, { throwIfNoEntry: false })
  if (stats !== undefined && !stats.isFile()) {
    throw inTheWay(place, stats.isDirectory() ? 'is a directory' : 'is not a regular file')
  }
}

/**
 * The first bytes of the file, which is made here when it is missing, for its owner alone. Never while this process
 * has the database open: closing a file takes away all locks that the process holds on it, SQLite's too.
 */
function readHead(path: string): Buffer {
  const file = openSync(path, 'a+', 0o600)
  try {
    const head = Buffer.alloc(Math.min(headLength, fstatSync(file).size))
    return head.subarray(0, readSync(file, head, 0, head.length, 0))
  } finally {
    closeSync(file)
  }
}

function refuseForeignHead(place: Place, head: Buffer, newestVersion: number): void {
  if (head.length < headLength || head.toString('latin1', 0, magic.length) !== magic) {
    throw inTheWay(place, 'is not an SQLite database')
  }
  if (head.readUInt32BE(applicationIdOffset) !== applicationId) {
    throw inTheWay(place, 'belongs to another program')
  }
  refuseNewer(place.path, head.readUInt32BE(userVersionOffset), newestVersion)
}

export function refuseNewer(path: string, version: number, newestVersion: number): void {
  if (version > newestVersion) {
    throw new Failure(
      'local',
      `the database ${path} was written by a newer petstore (schema ${version}, known here: ${newestVersion}); it was left as it is`,
      { hint: 'npm install -g petstore-cli@latest' },
    )
  }
}
