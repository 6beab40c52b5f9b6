import { Failure } from '../failure.ts'
import { InFlight } from '../platform/in-flight.ts'
import { retryWhileBusy, type Sqlite, sqliteErrorKind } from '../platform/sqlite.ts'
import type { DatabaseConnection, OpenDatabase } from './database-connection.ts'
import { type DatabaseFile, databaseFailure } from './database-file.ts'
import { createGroupCommit } from './group-commit.ts'

export interface CallOptions {
  readonly connection: DatabaseConnection
  readonly file: DatabaseFile
  /** How long a call waits for another program that has locked the file. */
  readonly patienceMilliseconds: number
  /** Why every change is refused. */
  readonly refusal: Failure | undefined
}

type Work<Result> = (connection: Sqlite) => Result

/** How the open database is read and changed. */
export interface DatabaseCalls {
  read<Result>(work: Work<Result>): Promise<Result>
  /** Resolves when the change is on disk. */
  change<Result>(work: Work<Result>): Promise<Result>
  /** Waits for the calls in progress, but not for a locked file. */
  close(): Promise<void>
}

/**
 * A call fails with a plain SQLite error if another program has locked the file, so that its
 * caller can ask for another try; with a Failure for any other fault of the file.
 */
export function createCalls(options: CallOptions): DatabaseCalls {
  const { connection, file, patienceMilliseconds, refusal } = options
  const closing = new AbortController()
  const { signal } = closing
  const inFlight = new InFlight<void>()

  const call = async <Result>(work: (milliseconds: number) => Promise<Result>): Promise<Result> => {
    signal.throwIfAborted()
    const finish = inFlight.add()
    try {
      return await connection.use(patienceMilliseconds, work)
    } catch (error) {
      throw sqliteErrorKind(error) === 'busy' ? error : databaseFailure(file, error)
    } finally {
      finish()
    }
  }
  const commit = createGroupCommit({
    transaction: (work) => transactionOn(connection.current(), work),
    signal,
  })

  return {
    read: (work) =>
      call((milliseconds) =>
        retryWhileBusy(() => readFrom(connection.current(), work), { milliseconds, signal }),
      ),
    change: async (work) => {
      if (refusal !== undefined) throw refusal
      const make = () => work(connection.current().connection)
      // The commit itself waits for other programs.
      return call((patience) =>
        retryWhileBusy(() => commit(make, patience), { milliseconds: 0, signal }),
      )
    },
    close: async () => {
      closing.abort(new Error('the database is closed'))
      await inFlight.whenEmpty()
      connection.close(refusal === undefined ? moveLogIntoFile : undefined)
    },
  }
}

function readFrom<Result>(database: OpenDatabase, work: Work<Result>): Result {
  database.requireSame()
  const result = work(database.connection)
  database.requireSame()
  return result
}

function transactionOn<Result>(database: OpenDatabase, work: () => Result): Result {
  database.requireSame()
  const result = database.connection.transaction(work)
  try {
    database.requireSame()
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
function moveLogIntoFile({ connection, requireSame }: OpenDatabase): void {
  try {
    requireSame()
    connection.exec('PRAGMA wal_checkpoint(PASSIVE)')
  } catch (error) {
    const isExpected = error instanceof Failure || sqliteErrorKind(error) !== undefined
    if (!isExpected) throw error
  }
}
