import { Failure } from '../failure.ts'
import { makePrivateFile } from '../system/private-file.ts'
import { statsOf } from '../system/same-file.ts'
import { Sqlite, sqliteErrorKind } from '../system/sqlite.ts'
import type { LineRange } from './line-ranges.ts'
import type { RowResult } from './results.ts'
import type { Row } from './row.ts'

/** What an earlier run recorded about a row. If it was not added, it is in doubt. */
export interface RowState {
  readonly seq: bigint
  /** In the input. */
  readonly line: bigint
  readonly isAdded: bigint
  /** The idempotency key of its first attempt, and when that was, in seconds. */
  readonly key: string | null
  readonly at: bigint
}

/** A row on its way: recorded before it is sent, and again when it has ended. */
export interface RecordedRow {
  /** Undefined until it is recorded for the first time. */
  seq: bigint | undefined
  readonly hash: string
  readonly key: string | null
  readonly at: bigint | number
  /** Undefined until it has ended, and if no attempt was carried out. */
  result?: RowResult | undefined
}

/** What must not be read wrongly is stored twice: SQLite compares it when it checks the file. */
const twice = "seq || hash || isAdded || ifnull(key, '')"
/** No value changes its length, so that an update stays on its page. */
const schema = `
  CREATE TABLE IF NOT EXISTS states (
    seq INTEGER PRIMARY KEY, hash TEXT NOT NULL, isAdded INTEGER NOT NULL, key TEXT,
    at INTEGER NOT NULL, copy TEXT AS (${twice}) STORED CHECK (copy = ${twice})) STRICT;
  CREATE TEMP TABLE input (line INTEGER PRIMARY KEY, hash TEXT NOT NULL) STRICT;
  CREATE TEMP TABLE known (line INTEGER PRIMARY KEY, seq INTEGER NOT NULL) STRICT`
/** The nth of equal rows takes the nth state of its hash: first the added ones. */
const join = `INSERT INTO known SELECT line, seq
  FROM (SELECT line, hash, row_number() OVER (PARTITION BY hash ORDER BY line) AS nth FROM input)
  JOIN (SELECT seq, hash,
          row_number() OVER (PARTITION BY hash ORDER BY isAdded DESC, seq) AS nth FROM states)
    USING (hash, nth)`
const begin = `INSERT INTO states VALUES (?, ?, 0, ?, ?)
  ON CONFLICT (seq) DO UPDATE SET key = excluded.key, at = excluded.at`
const add = 'UPDATE states SET isAdded = 1 WHERE seq = ?'
const forget = 'DELETE FROM states WHERE seq = ?'
const stateOfLine = `SELECT known.line AS line, seq, isAdded, key, at
  FROM known JOIN states USING (seq) WHERE known.line BETWEEN ? AND ? ORDER BY known.line`
const counts = 'SELECT coalesce(sum(isAdded), 0) AS added, count(*) AS everything FROM'

export type Journal = ReturnType<typeof openJournal>

/** What earlier runs did. */
export type Before = ReturnType<Journal['join']>

/**
 * The journal of one import, locked by this process. States are appended in the order of sending,
 * without an index, so that a commit writes few pages. From the beginning to `keep`, everything is
 * one transaction, so that a command that is refused changes nothing.
 */
export function openJournal(path: string) {
  const database = openDatabase(path)
  const file = statsOf(path)?.ino
  const isThere = () => statsOf(path)?.ino === file
  const one = (sql: string) => database.rows<Readonly<Record<string, bigint>>>(sql)[0] ?? {}
  let { last = 0n } = one('SELECT coalesce(max(seq), 0) AS last FROM states')
  const statesBetween = ({ first, last }: LineRange) =>
    database.rows<RowState>(stateOfLine, first, last)
  const doubtfulIn = (range: LineRange) =>
    statesBetween(range).filter(({ isAdded }) => isAdded === 0n)
  const recordStart = (row: RecordedRow) => {
    last += row.seq === undefined ? 1n : 0n
    row.seq ??= last
    database.run(begin, row.seq, row.hash, row.key, row.at)
  }
  const recordEnd = ({ seq = 0n, result }: RecordedRow) => {
    if (result?.outcome === 'doubtful') return
    database.run(result?.outcome === 'added' ? add : forget, seq)
  }
  return {
    path,
    /** Whether an earlier run recorded something. */
    hasStates: () => last > 0n,
    /** Forgets everything: every row is added again. */
    clear: () => {
      database.exec('DELETE FROM states')
      last = 0n
    },
    addInput: (line: number, hash: string) =>
      database.run('INSERT INTO input VALUES (?, ?)', line, hash),
    /**
     * Finds the state of each row of the input. Returns how many were added or are in doubt, in all
     * and in the input, and when a row was last sent, in seconds.
     */
    join: () => {
      database.exec(`${join}; DELETE FROM input`)
      const count = (from: string) => {
        const { added = 0n, everything = 0n } = one(`${counts} ${from}`)
        return { added: Number(added), doubtful: Number(everything - added) }
      }
      const last = Number(one('SELECT at FROM states ORDER BY seq DESC LIMIT 1').at ?? 0)
      return { all: count('states'), known: count('known JOIN states USING (seq)'), last }
    },
    /** The states of these rows by their lines. */
    statesOf: (rows: readonly Row[]) => {
      const [first = 0, last = 0] = [rows[0]?.line, rows.at(-1)?.line]
      return new Map(statesBetween({ first, last }).map(state => [Number(state.line), state]))
    },
    /** Whether every row of this range is in doubt. Of all rows, any may be. */
    isInDoubt: (range: LineRange) => {
      const { first, last } = range
      return last === Number.POSITIVE_INFINITY || doubtfulIn(range).length > last - first
    },
    /** Counts the rows in doubt of this range as added. */
    accept: (range: LineRange) => {
      for (const { seq } of doubtfulIn(range)) database.run(add, seq)
    },
    /** From then on, SQLite does not wait for the disk: `record` does. */
    keep: () => database.exec('COMMIT; PRAGMA synchronous = NORMAL'),
    /** One commit: the ends since the last one, and the next rows to send. */
    record: async (ended: readonly RecordedRow[], next: readonly RecordedRow[]) => {
      if (!isThere())
        throw new Failure('local', `the journal ${path} was deleted or replaced during the import`)
      database.transaction(() => {
        ended.forEach(recordEnd)
        next.forEach(recordStart)
      })
      await database.sync()
    },
    close: () => (isThere() ? database.release() : database.close())
  }
}

function openDatabase(path: string) {
  makePrivateFile(path)
  const isNew = statsOf(path)?.size === 0
  const database = new Sqlite(path)
  try {
    // The first transaction of a new file leaves no journal of its own behind.
    if (isNew) database.exec('PRAGMA journal_mode = MEMORY')
    // Locked until the process ends, for any reason.
    database.exec(`
      PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;
      BEGIN IMMEDIATE; ${schema}`)
    const [check] = database.rows<{ quick_check: string }>('PRAGMA quick_check(1)')
    if (check?.quick_check !== 'ok') throw new Failure('local', `the journal ${path} is damaged`)
    return database
  } catch (error) {
    database.close()
    throw sqliteErrorKind(error) === 'busy' ? journalInUse(path) : error
  }
}

export function journalInUse(path: string): Failure {
  return new Failure('local', `another petstore process is using the journal ${path}`, {
    isRetryable: true
  })
}
