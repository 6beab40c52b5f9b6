import { Failure } from '../failure.ts'
import { errorCode } from '../platform/errno.ts'
import { createInFlight } from '../platform/in-flight.ts'
import { retryWhileBusy, type Sqlite, sqliteErrorKind } from '../platform/sqlite.ts'
import { type DatabaseFile, databaseFailure } from './database-file.ts'
import type { RequireSame } from './database-watch.ts'
import { createGroupCommit } from './group-commit.ts'

export interface CallOptions {
  readonly connection: Sqlite
  readonly file: DatabaseFile
  readonly requireSame: RequireSame
  /** How long a call waits for another program that has locked the file. */
  readonly patienceMilliseconds: number
  /** Why every change is refused. */
  readonly refusal: Failure | undefined
}

/** How the open database is read and changed. */
export interface DatabaseCalls {
  read<Result>(work: () => Result): Promise<Result>
  /** Resolves when the change is on disk. */
  change<Result>(work: () => Result): Promise<Result>
  /** Waits for the calls in progress, but not for a locked file. */
  close(): Promise<void>
}

/**
 * A call fails with a plain SQLite error if another program has locked the file, so that its
 * caller can ask for another try; with a Failure for any other fault of the file.
 */
export function createCalls(options: CallOptions): DatabaseCalls {
  const { connection, file, requireSame, patienceMilliseconds, refusal } = options
  const closing = new AbortController()
  const { signal } = closing
  const inFlight = createInFlight<void>()

  const call = async <Result>(work: () => Promise<Result>): Promise<Result> => {
    signal.throwIfAborted()
    const finish = inFlight.add()
    try {
      return await work()
    } catch (error) {
      throw sqliteErrorKind(error) === 'busy' ? error : databaseFailure(file, error)
    } finally {
      finish()
    }
  }
  const readSame = <Result>(work: () => Result): Result => {
    requireSame()
    const result = work()
    requireSame()
    return result
  }
  const commit = createGroupCommit({
    transaction: (work) => transactionOn(connection, requireSame, work),
    patienceMilliseconds,
    signal,
  })

  return {
    read: (work) =>
      call(() =>
        retryWhileBusy(() => readSame(work), { milliseconds: patienceMilliseconds, signal }),
      ),
    change: async (work) => {
      if (refusal !== undefined) throw refusal
      // The commit itself waits for other programs.
      return call(() => retryWhileBusy(() => commit(work), { milliseconds: 0, signal }))
    },
    close: async () => {
      closing.abort(new Error('the database is closed'))
      await inFlight.whenEmpty()
      if (refusal === undefined) moveLogIntoFile(connection, requireSame)
      connection.close()
    },
  }
}

function transactionOn<Result>(
  connection: Sqlite,
  requireSame: RequireSame,
  work: () => Result,
): Result {
  requireSame()
  const result = connection.transaction(work)
  try {
    requireSame()
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
function moveLogIntoFile(connection: Sqlite, requireSame: RequireSame): void {
  try {
    requireSame()
    connection.exec('PRAGMA wal_checkpoint(PASSIVE)')
  } catch (error) {
    const isExpected = error instanceof Failure || sqliteErrorKind(error) !== undefined
    // A second call finds the connection closed.
    if (!isExpected && errorCode(error) !== 'ERR_INVALID_STATE') throw error
  }
}
