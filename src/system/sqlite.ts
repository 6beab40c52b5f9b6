import { createRequire } from 'node:module'
import type { DatabaseSyncInstance, SqliteModule } from '@photostructure/sqlite'
import { Failure } from '../failure.ts'
import { describeSystemError, errorCode } from './errno.ts'

/** Integers are int64, so they are always bigints. */
export type SqlValue = bigint | number | string | null

const kinds: Readonly<Record<number, 'busy' | 'damaged'>> = {
  // It has other tables.
  1: 'damaged',
  5: 'busy',
  11: 'damaged',
  26: 'damaged'
}

/**
 * `busy`: another program has locked the file, and nothing was changed. `damaged`: the file is not a
 * whole database. A full disk, for example, is neither.
 */
export function sqliteErrorKind(error: unknown): 'busy' | 'damaged' | 'other' | undefined {
  if (errorCode(error) !== 'ERR_SQLITE_ERROR') return undefined
  const { errcode = 0 } = error as { errcode?: number }
  return kinds[errcode % 256] ?? 'other'
}

/** A connection to one database file; `:memory:` is a database without a file. */
export class Sqlite {
  readonly #database: DatabaseSyncInstance
  readonly #statements = new Map<string, ReturnType<DatabaseSyncInstance['prepare']>>()

  /** The timeout is how long a call waits for another program, in milliseconds. */
  constructor(path: string, { timeout = 0 } = {}) {
    const { DatabaseSync } = loadLibrary()
    this.#database = new DatabaseSync(path)
    this.exec(`PRAGMA busy_timeout = ${timeout}`)
  }

  /** Runs statements whose rows are not needed. */
  exec(sql: string): void {
    this.#database.exec(sql)
  }

  /** The rows of one statement, which is compiled once. */
  rows<Row = Readonly<Record<string, SqlValue>>>(sql: string, ...values: SqlValue[]): Row[] {
    return this.#prepared(sql).all(...bindings(sql, values)) as Row[]
  }

  /** Runs one statement that only changes something. It is compiled once. */
  run(sql: string, ...values: SqlValue[]): void {
    this.#prepared(sql).run(...bindings(sql, values))
  }

  /** The rows one by one, where there are many. */
  each<Row>(sql: string, ...values: SqlValue[]): Iterable<Row> {
    return this.#prepared(sql).iterate(...bindings(sql, values)) as Iterable<Row>
  }

  /** How many rows a table has, or what else follows FROM. */
  count(from: string): number {
    const [row] = this.rows<{ count: bigint }>(`SELECT count(*) AS count FROM ${from}`)
    return Number(row?.count)
  }

  #prepared(sql: string) {
    const known = this.#statements.get(sql)
    if (known !== undefined) return known
    const statement = this.#database.prepare(sql)
    statement.setReadBigInts(true)
    this.#statements.set(sql, statement)
    return statement
  }

  /** Commits all changes of `work`, or none if it throws. */
  transaction<Result>(work: () => Result): Result {
    this.run('BEGIN IMMEDIATE')
    try {
      const result = work()
      this.run('COMMIT')
      return result
    } catch (error) {
      this.rollBack()
      throw error
    }
  }

  /**
   * Ends the transaction: where a statement is open, closing would not. Node 22.13 does not say whether a transaction is open. The savepoint begins one where there is
   * none, because SQLite itself ends some that fail.
   */
  rollBack(): void {
    this.exec('SAVEPOINT beginning; ROLLBACK')
  }

  close(): void {
    this.#database.close()
  }
}

/** Node 22.13 takes `?1` for a name, which other versions know too. */
function bindings(sql: string, values: readonly SqlValue[]) {
  if (!sql.includes('?1')) return values
  return [Object.fromEntries(values.map((value, index) => [`?${index + 1}`, value]))]
}

/** Node's own SQLite, or on Node 20, which has none, a package with the same interface. */
function loadLibrary(): Pick<SqliteModule, 'DatabaseSync'> {
  const own = process.getBuiltinModule('node:sqlite') as SqliteModule | undefined
  if (own !== undefined) return own
  try {
    return createRequire(import.meta.filename)('@photostructure/sqlite')
  } catch (cause) {
    const problem = `SQLite cannot be loaded: ${describeSystemError(cause)}`
    throw new Failure('local', problem, {
      hint: 'npm install -g @photostructure/sqlite@1.2',
      cause
    })
  }
}
