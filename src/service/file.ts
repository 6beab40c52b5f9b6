import { closeSync, existsSync, fstatSync, mkdirSync, openSync, readSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { Failure } from '../failure.ts'
import { anotherDirectory, quoted } from '../files/fault.ts'

/** The mark in the head of every file of this program: "Pets" in ASCII. */
export const applicationId = 0x50657473

const magic = 'SQLite format 3\0'
const headLength = 100
const userVersionOffset = 60
const applicationIdOffset = 68

/**
 * Makes sure that the file is there and may be opened as ours: it is new, or its head says that this program wrote it.
 * SQLite is not asked, since merely opening another program's database can change it.
 */
export function prepareFile(path: string, newestVersion: number): void {
  try {
    makeDirectory(dirname(path))
    refuseSpecialFile(path)
    const head = readHead(path)
    if (head.length > 0) refuseForeignHead(path, head, newestVersion)
  } catch (error) {
    throw error instanceof Failure ? error : inTheWay(path, `can't be opened: ${reasonOf(error)}`, error)
  }
}

/** A file that can't be used is never touched: it may be somebody's only copy. */
export function inTheWay(path: string, problem: string, cause?: unknown): Failure {
  return new Failure('local', `the database ${path} ${problem}; it was left as it is`, {
    hint: isFile(path) ? `mv ${quoted(path)} ${quoted(`${path}.old`)}` : anotherDirectory,
    cause,
  })
}

/** False also where nobody may look. */
function isFile(path: string): boolean {
  try {
    return statSync(path).isFile()
  } catch {
    return false
  }
}

/**
 * Makes a directory and those above it, for their owner alone. One at a time, because
 * `mkdirSync(path, { recursive: true })` never returns below /proc.
 */
export function makeDirectory(path: string): void {
  if (isDirectory(path)) return
  if (!existsSync(dirname(path))) makeDirectory(dirname(path))
  try {
    mkdirSync(path, { mode: 0o700 })
  } catch (error) {
    // Another program may have made it in the meantime.
    if (!isDirectory(path)) throw error
  }
}

function isDirectory(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false
}

/** Opening a named pipe would wait for ever, and a device is no place for a database. */
function refuseSpecialFile(path: string): void {
  const stats = statSync(path, { throwIfNoEntry: false })
  if (stats !== undefined && !stats.isFile()) {
    throw inTheWay(path, stats.isDirectory() ? 'is a directory' : 'is not a regular file')
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

function refuseForeignHead(path: string, head: Buffer, newestVersion: number): void {
  if (head.length < headLength || head.toString('latin1', 0, magic.length) !== magic) {
    throw inTheWay(path, 'is not an SQLite database')
  }
  if (head.readUInt32BE(applicationIdOffset) !== applicationId) {
    throw inTheWay(path, 'belongs to another program')
  }
  refuseNewer(path, head.readUInt32BE(userVersionOffset), newestVersion)
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

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
