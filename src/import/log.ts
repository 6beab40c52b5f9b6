import { closeSync, openSync, readSync, rmSync } from 'node:fs'
import { Failure } from '../failure.ts'
import { makePrivateFile } from '../system/private-file.ts'
import { statsOf } from '../system/same-file.ts'
import { Sqlite, sqliteErrorKind } from '../system/sqlite.ts'
import { lost, requireWhole, twice } from './ledger.ts'
import type { RowResult } from './results.ts'

/** Both grow at their ends, so that a commit writes few pages. */
const schema = `
  CREATE TABLE starts (
    id INTEGER PRIMARY KEY, body TEXT NOT NULL, key TEXT, at INTEGER NOT NULL,
    ${twice('id', 'body', 'key', 'at')}) STRICT;
  CREATE TABLE ends (
    id INTEGER PRIMARY KEY, state TEXT NOT NULL, pet INTEGER, ${twice('id', 'state', 'pet')}) STRICT`

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

const pathOf = (ledger: string, id: bigint) => ledger.replace(/\.db$/, `-${id}.log.db`)

/**
 * What happens to the rows of an import while it runs. It is locked by this process, and so is the
 * import. At the end, or after a kill, the ledger takes it in.
 */
export function createLog(ledger: string, id: bigint) {
  const path = pathOf(ledger, id)
  remove(path)
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
  const isThere = () => statsOf(path)?.ino === file
  let isOpen = true
  return {
    /** One commit: the ends since the last one, and the next rows to send. */
    record: async (ended: readonly LoggedRow[], next: readonly LoggedRow[]) => {
      if (!isThere())
        throw new Failure('local', `the journal ${path} was deleted or replaced during the import`)
      database.transaction(() => {
        for (const { id, result } of ended) {
          if (result?.outcome === 'doubtful') continue
          const { outcome = 'unsent', id: pet = null } = result ?? {}
          const state = outcome === 'skipped' ? 'added' : outcome
          database.run('INSERT INTO ends VALUES (?, ?, ?)', id, state, pet)
        }
        for (const { id, body, key, at } of next)
          database.run('INSERT INTO starts VALUES (?, ?, ?, ?)', id, body, key, at)
      })
      await database.sync()
    },
    /** Leaves it to the ledger, unless it is gone. */
    release: () => {
      if (!isOpen) return
      isOpen = false
      if (!isThere()) return database.close()
      // Everything is in the file now, and the file says so.
      database.exec('PRAGMA user_version = 1; PRAGMA wal_checkpoint(TRUNCATE)')
      database.release()
    }
  }
}

const remove = (path: string) => {
  for (const ending of ['-wal', '-shm', '-journal', '']) rmSync(path + ending, { force: true })
}

/** The ledger takes in what a run recorded, once no process uses its log. */
export function takeIn(ledger: Sqlite, ledgerPath: string, id: bigint): void {
  const path = pathOf(ledgerPath, id)
  if (!isComplete(path)) throw lost(path, 'is gone or lacks a part')
  try {
    ledger.run('ATTACH ? AS log', path)
    requireWhole(ledger, path, 'log')
    ledger.transaction(() => {
      ledger.run(
        `INSERT OR REPLACE INTO rows (id, import, body, state, pet, key, at)
         SELECT id, ?, body, ifnull(state, 'sending'), pet, key, at
         FROM log.starts LEFT JOIN log.ends USING (id) WHERE state IS NOT 'unsent'`,
        id
      )
      ledger.run('UPDATE imports SET isRunning = 0, sketch = NULL WHERE id = ?', id)
    })
  } catch (error) {
    const kind = sqliteErrorKind(error)
    throw kind === 'busy'
      ? inUse(path)
      : kind === 'damaged'
        ? lost(path, 'is damaged', error)
        : error
  } finally {
    if (ledger.count("pragma_database_list WHERE name = 'log'") > 0) ledger.exec('DETACH log')
  }
  remove(path)
}

function inUse(path: string) {
  return new Failure('local', `another petstore process is using the journal ${path}`, {
    isRetryable: true
  })
}

/** While a log is in use, its latest commits are in a file beside it. */
function isComplete(path: string) {
  if (statsOf(path) === undefined) return false
  if (statsOf(`${path}-wal`)?.size) return true
  const header = Buffer.alloc(64)
  const file = openSync(path, 'r')
  readSync(file, header)
  closeSync(file)
  // Where SQLite writes the version: that of a log that was released.
  return header.readUInt32BE(60) === 1
}
