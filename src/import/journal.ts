import { crc32 } from 'node:zlib'
import { Failure } from '../failure.ts'
import { makePrivateFile } from '../platform/private-file.ts'
import { statsOf } from '../platform/same-file.ts'
import { Sqlite, sqliteErrorKind } from '../platform/sqlite.ts'
import type { LineRange } from './line-ranges.ts'

/** A row that was `sent`, and not added since, is in doubt. */
export type RowState = 'sent' | 'added'

/** A row on its way: recorded before it is sent, and again when it has ended. */
export interface RecordedRow {
  /** Undefined until it is recorded for the first time. */
  seq: number | undefined
  readonly line: number
  readonly hash: string
  readonly key: string | undefined
  readonly at: number
}

export interface RowEnd {
  readonly row: RecordedRow
  /** `free`: no attempt was carried out, so nothing is known about it any more. */
  readonly state: RowState | 'free'
}

const schema = `
  CREATE TABLE IF NOT EXISTS states (
    seq INTEGER PRIMARY KEY, hash TEXT NOT NULL, line INTEGER NOT NULL, state TEXT NOT NULL,
    key TEXT, at INTEGER NOT NULL, checksum INTEGER NOT NULL) STRICT;
  CREATE TEMP TABLE input (line INTEGER PRIMARY KEY, hash TEXT NOT NULL) STRICT;
  CREATE TEMP TABLE known (line INTEGER PRIMARY KEY, seq INTEGER NOT NULL) STRICT`
/** The nth of equal rows takes the nth state of its hash: first the added ones. */
const join = `INSERT INTO known SELECT line, seq
  FROM (SELECT line, hash, row_number() OVER (PARTITION BY hash ORDER BY line) AS nth FROM input)
  JOIN (SELECT seq, hash,
          row_number() OVER (PARTITION BY hash ORDER BY state <> 'added', seq) AS nth FROM states)
    USING (hash, nth)`
const begin = `INSERT INTO states VALUES (?, ?, ?, 'sent', ?, ?, ?)
  ON CONFLICT (seq) DO UPDATE SET line = excluded.line, state = 'sent', key = excluded.key,
    at = excluded.at, checksum = excluded.checksum`
const add = "UPDATE states SET state = 'added', checksum = ? WHERE seq = ?"
const stateOfLine = `SELECT known.line AS line, seq, hash, state, key, at
  FROM known JOIN states USING (seq) WHERE known.line BETWEEN ? AND ? ORDER BY known.line`
const counts = `SELECT count(*) FILTER (WHERE state = 'added') AS added, count(*) AS everything FROM`

/** What earlier runs recorded about a row. */
export interface StateRow {
  readonly seq: bigint
  /** In the input. */
  readonly line: bigint
  readonly hash: string
  readonly state: RowState
  /** The idempotency key of its first attempt, and when that was, in seconds. */
  readonly key: string | null
  readonly at: bigint
  readonly checksum: bigint
}

interface Summed {
  readonly seq: bigint | number | undefined
  readonly hash: string
  readonly key?: string | null | undefined
}

const checksumOf = ({ seq, hash, key }: Summed, state: RowState) =>
  crc32(`${seq} ${hash} ${state} ${key ?? ''}`)

export type Journal = ReturnType<typeof openJournal>

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
  let last = Number(one('SELECT coalesce(max(seq), 0) AS last FROM states').last)
  const statesOf = ([first, end]: LineRange) => database.rows<StateRow>(stateOfLine, first, end)
  const doubtfulIn = (range: LineRange) => statesOf(range).filter(({ state }) => state === 'sent')
  const settle = (row: Summed) => database.run(add, checksumOf(row, 'added'), row.seq ?? 0)
  const recordEnd = ({ row, state }: RowEnd) => {
    if (state === 'added') settle(row)
    if (state === 'free') database.run('DELETE FROM states WHERE seq = ?', row.seq ?? 0)
  }
  const recordStart = (row: RecordedRow) => {
    last += row.seq === undefined ? 1 : 0
    row.seq ??= last
    const { seq, hash, line, key = null, at } = row
    database.run(begin, seq, hash, line, key, at, checksumOf(row, 'sent'))
  }
  return {
    path,
    /** Whether an earlier run recorded something. */
    hasStates: () => last > 0,
    /** When a row was last sent, in seconds. */
    lastSent: () => Number(one('SELECT at FROM states ORDER BY seq DESC LIMIT 1').at ?? 0),
    /** Forgets everything: every row is added again. */
    clear: () => {
      database.exec('DELETE FROM states')
      last = 0
    },
    addInput: (line: number, hash: string) =>
      database.run('INSERT INTO input VALUES (?, ?)', line, hash),
    /** Finds the state of each row of the input, and counts them. */
    join: () => {
      database.exec(`${join}; DELETE FROM input`)
      const count = (from: string) => {
        const { added = 0n, everything = 0n } = one(`${counts} ${from}`)
        return { added: Number(added), doubtful: Number(everything - added) }
      }
      return { all: count('states'), known: count('known JOIN states USING (seq)') }
    },
    knownBetween: (range: LineRange) =>
      new Map(statesOf(range).map(state => [Number(state.line), state])),
    /** The first line of the range that is not in doubt. */
    settledLine: (range: LineRange) => {
      const inDoubt = doubtfulIn(range).map(row => Number(row.line))
      const [line, end] = range
      const found = inDoubt.findIndex((other, index) => other !== line + index)
      const settled = line + (found < 0 ? inDoubt.length : found)
      return settled <= end ? settled : undefined
    },
    /** Counts the rows in doubt of this range as added. */
    accept: (range: LineRange) => doubtfulIn(range).forEach(settle),
    keep: () => database.exec('COMMIT'),
    /** One commit: the ends since the last one, and the next rows to send. */
    record: (ends: readonly RowEnd[], starts: readonly RecordedRow[]) => {
      if (!isThere())
        throw new Failure('local', `the journal ${path} was deleted or replaced during the import`)
      database.transaction(() => {
        ends.forEach(recordEnd)
        starts.forEach(recordStart)
      })
    },
    close: () => (isThere() ? database.release() : database.close())
  }
}

function openDatabase(path: string): Sqlite {
  makePrivateFile(path)
  const isNew = statsOf(path)?.size === 0
  const database = new Sqlite(path)
  try {
    // The first transaction of a new file leaves no journal of its own behind.
    if (isNew) database.exec('PRAGMA journal_mode = MEMORY')
    // Locked until the process ends, for any reason.
    database.exec(
      'PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL'
    )
    database.exec(`BEGIN IMMEDIATE; ${schema}`)
    if (!isIntact(database)) throw new Failure('local', `the journal ${path} is damaged`)
    return database
  } catch (error) {
    database.close()
    throw sqliteErrorKind(error) === 'busy' ? journalInUse(path) : error
  }
}

export function journalInUse(path: string): Failure {
  const problem = `another petstore process is using the journal ${path}`
  return new Failure('local', problem, { isRetryable: true })
}

const pageOfStates = 'SELECT * FROM states WHERE seq > ? ORDER BY seq LIMIT 5000'

function isIntact(database: Sqlite): boolean {
  const [check] = database.rows<{ quick_check: string }>('PRAGMA quick_check(1)')
  if (check?.quick_check !== 'ok') return false
  for (let last = 0n; ; ) {
    const states = database.rows<StateRow>(pageOfStates, last)
    const end = states.at(-1)
    if (end === undefined) return true
    if (states.some(row => BigInt(checksumOf(row, row.state)) !== row.checksum)) return false
    last = end.seq
  }
}
