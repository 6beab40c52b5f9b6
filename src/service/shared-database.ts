import { type Failure, ignoreFailure } from '../failure.ts'
import { InFlight } from '../platform/in-flight.ts'
import { once } from '../platform/promises.ts'
import { realPathOf } from '../platform/same-file.ts'
import {
  collectStatements,
  loadSqlite,
  retryWhileBusy,
  type Sqlite,
  sqliteErrorKind
} from '../platform/sqlite.ts'
import { filesBeside } from '../platform/sqlite-files.ts'
import {
  type DatabaseFile,
  databaseFailure,
  prepareFile,
  type RequireSame,
  requireOwnFiles,
  watchAtRest,
  watchForLoss
} from './database-file.ts'
import { createGroupCommit } from './group-commit.ts'
import { migrate, requireOwnTables } from './schema.ts'

export interface DatabaseOptions extends DatabaseFile {
  /** Whether a new database starts with the sample pets. */
  readonly samples: boolean
  /** Why every change is refused: a file is then only read, and what is in memory would be lost. */
  readonly refusal?: Failure | undefined
}

/** A client gets its answer within a second, even if another program has locked the database. */
export const patienceMilliseconds = 700

/**
 * The first use of a database takes several waits for the disk, and another program may be making
 * it.
 */
const openingMilliseconds = 10_000

/**
 * A database that other programs use at the same time. It is opened at its first use. A file that
 * cannot be used is a Failure if it is certain that nothing was changed. A call after `close` is
 * rejected.
 */
export class SharedDatabase {
  readonly #options: DatabaseOptions
  readonly #closing = new AbortController()
  readonly #inFlight = new InFlight<void>()
  readonly #commit = createGroupCommit(work => this.#transaction(work))
  #opened: ReturnType<typeof openToChange> | undefined
  /** About the file that was opened first: one that took its place may be another database. */
  #requireSame: RequireSame | undefined

  constructor(options: DatabaseOptions) {
    this.#options = options
  }

  /** Waits longer for another program than the other calls do. */
  async open(signal: AbortSignal): Promise<void> {
    await this.#call(() => this.#checked(), openingMilliseconds, signal)
  }

  read<Result>(work: (sqlite: Sqlite) => Result): Promise<Result> {
    return this.#call(() => {
      const result = work(this.#checked())
      this.#checked()
      return result
    })
  }

  /** Resolves when the change is on disk. */
  async write<Result>(work: (sqlite: Sqlite) => Result): Promise<Result> {
    const { refusal } = this.#options
    if (refusal !== undefined) throw refusal
    return this.#call(() => this.#commit(work))
  }

  /** Waits for the calls in progress, but not for a locked file. */
  async close(): Promise<void> {
    this.#closing.abort(new Error('the database is closed'))
    await this.#inFlight.whenEmpty()
    if (this.#opened !== undefined && this.#options.refusal === undefined) this.#moveLogIntoFile()
    this.#closeConnection()
  }

  async #call<Result>(
    attempt: () => Result | Promise<Result>,
    milliseconds = patienceMilliseconds,
    signal = this.#closing.signal
  ): Promise<Result> {
    signal.throwIfAborted()
    const finish = this.#inFlight.add()
    const first = this.#opened
    try {
      return await retryWhileBusy(attempt, milliseconds, signal).catch(async error => {
        if (sqliteErrorKind(error) !== 'busy') throw error
        // After an unlock that fails, SQLite takes a lock of its own for that of another program,
        // until the connection is closed. One of the calls that waited in vain does so.
        if (first === undefined || first === this.#opened) {
          this.#closeConnection()
          await collectStatements()
        }
        return attempt()
      })
    } catch (error) {
      throw databaseFailure(this.#options, error)
    } finally {
      finish()
    }
  }

  /** The connection, which is opened if it is not open. Throws if the file was replaced. */
  #checked(): Sqlite {
    const { path, refusal } = this.#options
    const open = refusal === undefined || path === ':memory:' ? openToChange : openReadOnly
    // Before it is opened again: another database may be there, or none.
    this.#requireSame?.()
    this.#opened ??= open(this.#options)
    this.#requireSame ??= watchForLoss(this.#options, [path])
    this.#opened.requireSame()
    return this.#opened.sqlite
  }

  #transaction<Result>(work: (sqlite: Sqlite) => Result): Result {
    const sqlite = this.#checked()
    const result = sqlite.transaction(() => work(sqlite))
    try {
      this.#checked()
    } catch (cause) {
      // No Failure, because the change may be in a file that was moved away at this moment.
      const problem = 'after the change, the database was not in its place or could not be checked'
      throw new Error(problem, { cause })
    }
    return result
  }

  /**
   * The package for Node 20 closes the file only when the statements are collected as garbage,
   * perhaps never. So this function does SQLite's last step, which moves everything into the one
   * file. If it fails, nothing is lost: the log is read at the next use.
   */
  #moveLogIntoFile(): void {
    try {
      this.#checked().exec('PRAGMA wal_checkpoint(PASSIVE)')
    } catch (error) {
      ignoreFailure(databaseFailure(this.#options, error))
    }
  }

  #closeConnection(): void {
    this.#opened?.sqlite.close()
    this.#opened = undefined
  }
}

/**
 * A connection, and a function whose first call prepares the database. It can be called again if
 * another program has locked the database.
 */
function openToChange(options: DatabaseOptions) {
  const { path } = options
  const isInMemory = path === ':memory:'
  const open = loadSqlite()
  if (!isInMemory) prepareFile(options)
  const sqlite = open(path)
  const prepared = once(() => {
    requireOwnTables(sqlite, options)
    migrate(sqlite, options, options.samples)
    sqlite.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL')
    // Other programs see that the file is in use only after its first read; see `deleteDatabase`.
    sqlite.exec('PRAGMA schema_version')
    return watchForLoss(options, isInMemory ? [] : filesBeside(realPathOf(path)))
  })
  return { sqlite, requireSame: () => prepared()() }
}

function openReadOnly(options: DatabaseOptions): ReturnType<typeof openToChange> {
  const open = loadSqlite()
  requireOwnFiles(options)
  const requireAtRest = watchAtRest(options)
  const sqlite = open(options.path, requireAtRest === undefined ? 'read' : 'read-at-rest')
  const prepared = once(() => {
    requireOwnTables(sqlite, options)
    return requireAtRest ?? watchForLoss(options, filesBeside(realPathOf(options.path)))
  })
  return { sqlite, requireSame: () => prepared()() }
}
