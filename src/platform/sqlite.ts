import { closeSync, openSync } from 'node:fs'
import { devNull } from 'node:os'
import { resolve } from 'node:path'
import { Failure } from '../failure.ts'
import { pause } from './promises.ts'
import { type Connect, type Driver, type DriverRow, loadDriver, resultCodeOf, type SqlValue } from './sqlite-drivers.ts'
import { describeSystemError } from './system-error.ts'

type SqlRow = Readonly<Record<string, SqlValue>>

/**
 * A connection to one database file. No call waits for another program: a locked file is immediately an error of kind
 * `busy`. A caller that wants to wait uses a timer, which never blocks the event loop (see `retryWhileBusy`).
 */
export interface Sqlite {
  /** Runs statements whose rows are not needed. */
  exec(sql: string): void
  prepare<Row extends SqlRow>(sql: string): Statement<Row>
  /** Commits all changes of `work`, or none if it throws. Takes the write lock before `work` begins. */
  transaction<Result>(work: () => Result): Result
  /**
   * Rolls back a transaction in progress, which frees its locks, and closes the connection. Any later call is an error
   * of kind `closed`, except `close`, which does nothing.
   */
  close(): void
}

interface Statement<Row extends SqlRow> {
  all(...values: SqlValue[]): Row[]
  get(...values: SqlValue[]): Row | undefined
}

/**
 * - `busy`: another program has locked the file; nothing was changed
 * - `full`: the disk is full; nothing was changed
 * - `disk`: the file cannot be opened, read or written
 * - `damaged`: the file is not a database, or a damaged one
 * - `closed`: the call came after `close`
 * - `missing`: this Node has no SQLite of its own, and libsql is not installed or has no build for this machine
 * - `other`: anything else, such as a constraint or a mistake in a statement
 */
export type SqliteErrorKind = 'busy' | 'full' | 'disk' | 'damaged' | 'closed' | 'missing' | 'other'

interface SqliteErrorDetails {
  readonly mayBeCommitted?: boolean
  readonly cause?: unknown
}

export class SqliteError extends Error {
  readonly kind: SqliteErrorKind
  /** True if the commit itself failed, and the changes may or may not be on disk. */
  readonly mayBeCommitted: boolean

  constructor(kind: SqliteErrorKind, message: string, { mayBeCommitted = false, cause }: SqliteErrorDetails = {}) {
    super(message, { cause })
    this.name = 'SqliteError'
    this.kind = kind
    this.mayBeCommitted = mayBeCommitted
  }
}

/** The kind of a fault of SQLite; undefined for any other error. */
export function sqliteErrorKind(error: unknown): SqliteErrorKind | undefined {
  return error instanceof SqliteError ? error.kind : undefined
}

/** The hint for the kind `missing`: a package installed globally finds one beside it. */
export const installLibsql = 'npm install -g libsql@0.5'

/** The SQL for a text column that may hold a NUL: libsql cuts text at the first one, but returns bytes whole. */
export function exactText(column: string): string {
  return `CAST(${column} AS BLOB) AS ${column}`
}

/** Opens the file, or creates it. `:memory:` is a database without a file. */
export async function openSqlite(path: string, load = loadDriver): Promise<Sqlite> {
  const open = await loadSqlite(load)
  return open(path)
}

/** `openSqlite` in two steps, for a caller that must not touch the file if SQLite is missing. */
export async function loadSqlite(load = loadDriver): Promise<(path: string) => Sqlite> {
  requireDescriptors()
  const connect = await load().catch((cause: unknown) => {
    throw new SqliteError('missing', 'libsql is not installed, or has no build for this machine', { cause })
  })
  // libsql takes `http://…` and `libsql://…` for remote databases, but never an absolute path.
  return (path) => guarded(open(connect, path === ':memory:' ? path : resolve(path)))
}

/** libsql does not say why it cannot open a file. */
function open(connect: Connect, path: string): Driver {
  try {
    return connect(path)
  } catch (cause) {
    throw new SqliteError('disk', 'unable to open the database file', { cause })
  }
}

/** The number that libsql opens for its own work and for a database with its log. */
const neededDescriptors = 10

/** Without enough of them, libsql aborts the whole process. */
function requireDescriptors(): void {
  const opened: number[] = []
  try {
    while (opened.length < neededDescriptors) opened.push(openSync(devNull, 'r'))
  } catch (cause) {
    const message = `this machine has too few file descriptors for a database: ${describeSystemError(cause)}`
    throw new Failure('local', message, { hint: 'ulimit -n 1024', cause })
  } finally {
    for (const descriptor of opened) closeSync(descriptor)
  }
}

/** Tries again on a timer while another program has locked the file, until the time limit. */
export async function retryWhileBusy<Result>(
  work: () => Result | Promise<Result>,
  { milliseconds, signal }: { milliseconds: number; signal?: AbortSignal | undefined },
): Promise<Result> {
  const deadline = performance.now() + milliseconds
  for (let wait = 2; ; wait = Math.min(wait * 2, 50)) {
    try {
      return await work()
    } catch (error) {
      if (sqliteErrorKind(error) !== 'busy' || performance.now() >= deadline) throw error
    }
    // Programs that wait for the same file must not all try again at the same moment.
    await pause(wait * (0.5 + Math.random() / 2), signal)
  }
}

/**
 * Every use of a connection goes through here: libsql may abort the whole process if a connection is used after
 * `close`.
 */
function guarded(driver: Driver): Sqlite {
  let isOpen = true
  const call = <Result>(work: () => Result): Result => {
    if (!isOpen) throw new SqliteError('closed', 'the database is closed')
    try {
      return work()
    } catch (error) {
      throw sqliteErrorFrom(error)
    }
  }
  const exec = (sql: string) => call(() => driver.exec(sql))
  const rollBack = () => {
    // Some faults, such as a full disk, have already rolled back.
    if (driver.isInTransaction()) driver.exec('ROLLBACK')
  }
  return {
    exec,
    prepare: <Row extends SqlRow>(sql: string) => {
      const run = call(() => driver.prepare(sql))
      const all = (...values: SqlValue[]) => call(() => run(values)).map((row) => plainRow(row) as Row)
      return { all, get: (...values: SqlValue[]) => all(...values)[0] }
    },
    transaction: <Result>(work: () => Result): Result => {
      exec('BEGIN IMMEDIATE')
      let isCommitting = false
      try {
        const result = work()
        isCommitting = true
        exec('COMMIT')
        return result
      } catch (error) {
        if (isOpen) rollBack()
        throw isCommitting ? commitError(error) : error
      }
    },
    close: () => {
      if (!isOpen) return
      isOpen = false
      try {
        // libsql keeps a connection, and with it its locks, until its statements are collected as garbage.
        rollBack()
      } finally {
        driver.close()
      }
    },
  }
}

/** If the disk was full, nothing was committed. After any other fault, the change may or may not be on disk. */
function commitError(error: unknown): unknown {
  if (!(error instanceof SqliteError) || error.kind === 'full' || error.kind === 'busy') return error
  return new SqliteError(error.kind, error.message, { mayBeCommitted: true, cause: error.cause })
}

/** By primary result code. */
const kindsByCode: Readonly<Record<number, SqliteErrorKind>> = {
  5: 'busy',
  6: 'busy',
  8: 'disk',
  10: 'disk',
  11: 'damaged',
  13: 'full',
  14: 'disk',
  26: 'damaged',
}

function sqliteErrorFrom(error: unknown): unknown {
  const code = resultCodeOf(error)
  if (code === undefined) return error
  // The low byte of an extended result code is the primary one.
  return new SqliteError(kindsByCode[code & 0xff] ?? 'other', (error as Error).message, { cause: error })
}

/** With bytes as the text that they are: nothing here stores anything else. */
function plainRow(row: DriverRow): SqlRow {
  const plain: Record<string, SqlValue> = {}
  for (const [name, value] of Object.entries(row)) {
    const isBytes = value instanceof ArrayBuffer || value instanceof Uint8Array
    plain[name] = isBytes ? Buffer.from(value as Uint8Array).toString() : (value as SqlValue)
  }
  return plain
}

/** SQLite keeps parts of a database in files beside it. */
export const filesBeside = (database: string) => ['-journal', '-wal', '-shm'].map((suffix) => `${database}${suffix}`)
