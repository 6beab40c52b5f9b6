import { constants, existsSync, fstatSync, realpathSync, rmSync, statfsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { Failure } from '../failure.ts'
import { describeSystemError, systemFailure, unlessSystemFails } from '../platform/errno.ts'
import { firstBytes, requireOwnLinks, withFile } from '../platform/file-access.ts'
import { makePrivateDirectories, makePrivateFile } from '../platform/private-file.ts'
import { inodeAt, realPathOf } from '../platform/same-file.ts'
import { commandLine, hintWord } from '../platform/shell.ts'
import {
  filesBeside,
  loadSqlite,
  retryWhileBusy,
  type Sqlite,
  sqliteErrorKind,
} from '../platform/sqlite.ts'

/** The mark in the head of every database of this program: "Pets" in ASCII. */
export const applicationId = 0x50657473

const magic = 'SQLite format 3\0'
const headLength = 100
const applicationIdOffset = 68

export interface DatabaseFile {
  readonly path: string
  /**
   * True if the command line names the file. Then a missing directory is a typing error, and is not
   * created.
   */
  readonly isNamed: boolean
}

/**
 * Makes sure that the file exists and may be opened: it is new, or its head shows that this program
 * wrote it. SQLite is not asked, because merely opening another program's database can change it.
 */
export function prepareFile(file: DatabaseFile): void {
  const { path, isNamed } = file
  try {
    requireOwnLinks(path)
    if (!isNamed) makePrivateDirectories(dirname(path))
    makePrivateFile(realPathOf(path))
    refuseForeignHead(file, readHead(file))
  } catch (error) {
    // The file itself may be fine, so the hint only shows it.
    const hint = isNamed ? serveFromMemory : commandLine('ls -la', { paths: [dirname(path)] })
    throw systemFailure(error, 'local', `the database ${path} cannot be opened`, hint)
  }
}

const serveFromMemory = 'petstore serve --data :memory:'

/** A file that cannot be used is never changed: it may be the only copy of important data. */
function unusable({ path, isNamed }: DatabaseFile, problem: string, cause?: unknown): Failure {
  return new Failure('local', `the database ${path} ${problem}; it was left unchanged`, {
    hint: isNamed ? serveFromMemory : setAside(path),
    cause,
  })
}

/**
 * Moves a database together with SQLite's files beside it: a log that stayed would be read into the
 * next database, and would be missing from this one. The directory must be new, so that nothing
 * that was set aside earlier is overwritten.
 */
function setAside(path: string): string {
  const directory = join(dirname(path), 'set-aside')
  return `${commandLine('mkdir', { paths: [directory] })} && mv ${hintWord(path)}* ${hintWord(directory)}`
}

/**
 * The failure for a fault of SQLite; any other error stays as it is. If another program or the disk
 * causes it, the file itself is fine.
 */
export function databaseFailure(file: DatabaseFile, error: unknown): unknown {
  const { path } = file
  switch (sqliteErrorKind(error)) {
    case undefined:
      return error
    case 'busy':
      return new Failure(
        'local',
        `another program has locked the database ${path}; nothing was changed`,
        {
          isRetryable: true,
          cause: error,
        },
      )
    case 'full':
    case 'disk': {
      // SQLite reports a full disk only for the data itself; for its files beside it, this is any
      // I/O error.
      const isFull = unlessSystemFails(() => statfsSync(dirname(path)).bavail) === 0
      const problem = isFull ? 'the disk is full' : describeSystemError(error)
      return new Failure(
        'local',
        `the database ${path} cannot be written: ${problem}; nothing more was changed`,
        {
          hint: commandLine('df -h', { paths: [dirname(path)] }),
          cause: error,
        },
      )
    }
    default:
      return unusable(file, `cannot be used: ${describeSystemError(error)}`, error)
  }
}

/**
 * The first bytes of the file. Never while this process has the database open: closing a file
 * releases all locks that the process holds on it, SQLite's too.
 */
function readHead(file: DatabaseFile): Buffer {
  const read = (descriptor: number) => {
    if (!fstatSync(descriptor).isFile()) throw unusable(file, 'is not a regular file')
    return firstBytes(descriptor, headLength)
  }
  return withFile(file.path, read, constants.O_RDWR)
}

function refuseForeignHead(file: DatabaseFile, head: Buffer): void {
  if (head.length === 0) return
  if (head.length < headLength || head.toString('latin1', 0, magic.length) !== magic) {
    throw unusable(file, 'is not an SQLite database')
  }
  if (head.readUInt32BE(applicationIdOffset) !== applicationId) {
    throw unusable(file, 'belongs to another program')
  }
}

/**
 * Returns a function that checks whether the file was deleted or replaced, or one of SQLite's files
 * beside it: whatever is written to it then is lost. The files must exist.
 */
export function lossDetector({ path }: DatabaseFile): () => boolean {
  if (path === ':memory:') return () => false
  // SQLite's files lie beside the real file, and never change while it is open.
  const real = realpathSync(path)
  const files = [path, `${real}-wal`, `${real}-shm`].map((name) => ({ name, inode: inodeAt(name) }))
  return () => files.some(({ name, inode }) => inodeAt(name) !== inode)
}

export function lostFailure({ path }: DatabaseFile): Failure {
  const problem = 'was deleted or replaced while it was open; nothing was written'
  return new Failure('local', `the database ${path} ${problem}`, {
    cause: new Error(`the database ${problem}`),
  })
}

/**
 * Deletes a database and its files, if there is one. Never while another program has it open:
 * everything that the other program adds afterward would be lost.
 */
export async function deleteDatabase(path: string): Promise<void> {
  const lock = existsSync(path) ? await lockAlone(path) : undefined
  try {
    // SQLite's files come first: if deleting stops halfway, it can be repeated.
    for (const file of [...filesBeside(path), path]) rmSync(file, { force: true })
  } catch (error) {
    throw systemFailure(error, 'local', `the database ${path} cannot be deleted`)
  } finally {
    lock?.close()
  }
}

/**
 * Takes the file for this program only. SQLite grants this lock, which needs no shared index of the
 * log, only if no other program has the file open, even idle. Undefined for a file that SQLite
 * cannot use: no other program can have it open either.
 */
async function lockAlone(path: string): Promise<Sqlite | undefined> {
  const open = loadSqlite()
  let connection: Sqlite | undefined
  try {
    const opened = open(path)
    connection = opened
    opened.exec('PRAGMA locking_mode = EXCLUSIVE')
    await retryWhileBusy(() => opened.exec('BEGIN EXCLUSIVE'), { milliseconds: 1000 })
    return opened
  } catch (error) {
    connection?.close()
    if (sqliteErrorKind(error) !== 'busy') return undefined
    throw new Failure(
      'local',
      `another program (such as 'petstore serve') is using the database ${path}; nothing was deleted`,
      { cause: error },
    )
  }
}
