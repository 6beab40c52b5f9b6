import { rmSync } from 'node:fs'
import { Failure } from '../failure.ts'
import { makePrivateFile } from '../system/private-file.ts'
import { statsOf } from '../system/same-file.ts'
import { Sqlite } from '../system/sqlite.ts'
import { twice } from './ledger.ts'
import type { RowResult } from './results.ts'

/** Both grow at their ends, so that a commit writes few pages. */
const schema = `
  CREATE TABLE starts (
    id INTEGER PRIMARY KEY, body TEXT NOT NULL, key TEXT, at INTEGER NOT NULL,
    ${twice('id', 'body', 'key', 'at')}) STRICT;
  CREATE TABLE ends (
    id INTEGER PRIMARY KEY, state TEXT NOT NULL, pet INTEGER, ${twice('id', 'state', 'pet')}) STRICT`
const start = 'INSERT INTO starts VALUES (?, ?, ?, ?)'
const end = 'INSERT INTO ends VALUES (?, ?, ?)'

/** A row on its way. */
export interface LoggedRow {
  /** Its number in the ledger. */
  readonly id: bigint
  readonly body: string
  /** Its idempotency key, and when that was sent first, in seconds. */
  readonly key: string | null
  readonly at: bigint | number
  /** Undefined until it has ended, and if no attempt was carried out. */
  result?: RowResult | undefined
}

export type Log = ReturnType<typeof createLog>

/**
 * What happens to the rows of an import while it runs, locked by this process: the lock of the
 * import. At its end the ledger takes it in.
 */
export function createLog(path: string) {
  removeLog(path)
  makePrivateFile(path)
  const database = new Sqlite(path)
  // The first transaction of a new file leaves no journal of its own behind.
  database.exec(`
    PRAGMA journal_mode = MEMORY; PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL;
    PRAGMA synchronous = FULL`)
  database.transaction(() => database.exec(schema))
  // From now on, SQLite does not wait for the disk: `record` does.
  database.exec('PRAGMA synchronous = NORMAL')
  const file = statsOf(path)?.ino
  let isOpen = true
  const isThere = () => statsOf(path)?.ino === file
  return {
    path,
    /** One commit: the ends since the last one, and the next rows to send. */
    record: async (ended: readonly LoggedRow[], next: readonly LoggedRow[]) => {
      if (!isThere())
        throw new Failure('local', `the journal ${path} was deleted or replaced during the import`)
      database.transaction(() => {
        for (const row of ended) recordEnd(database, row)
        for (const { id, body, key, at } of next) database.run(start, id, body, key, at)
      })
      await database.sync()
    },
    /** Leaves it to the ledger, unless it is gone. */
    release: () => {
      if (!isOpen) return
      isOpen = false
      if (isThere()) database.release()
      else database.close()
    }
  }
}

export function removeLog(path: string): void {
  for (const ending of ['-wal', '-shm', '']) rmSync(path + ending, { force: true })
}

function recordEnd(database: Sqlite, { id, result }: LoggedRow) {
  if (result?.outcome === 'doubtful') return
  const state = result === undefined ? 'unsent' : result.outcome
  database.run(end, id, state === 'skipped' ? 'added' : state, result?.id ?? null)
}
