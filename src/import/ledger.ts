import { closeSync, openSync, readSync } from 'node:fs'
import { Failure } from '../failure.ts'
import { makePrivateFile } from '../system/private-file.ts'
import { statsOf } from '../system/same-file.ts'
import { Sqlite, sqliteErrorKind } from '../system/sqlite.ts'

/** What must not be read wrongly is stored twice: SQLite compares it when it checks the file. */
export function twice(...columns: readonly string[]): string {
  const all = columns.map(column => `ifnull(${column}, '-')`).join(" || ' ' || ")
  return `copy TEXT AS (${all}) STORED CHECK (copy = ${all})`
}

/**
 * The ledger of a place. `names` are the contents and paths that an import had last, and the files
 * of rejects that it wrote. `segments` are the rows of its last input, each where it stood. `rows`
 * has each row once, in whatever files it is. `runs` are those of five rows in any input, and
 * `sketches` are what similar inputs have in common. No table has an index beside its integer key,
 * so a check of the file finds everything that is missing.
 *
 * The state of a row is `sending` until its reply is recorded (if no run is going on, it is in
 * doubt); `known` and `changed` if it is held; `skipped` if it counts as added by a decision.
 */
const schema = `
  PRAGMA user_version = 3;
  CREATE TABLE imports (
    id INTEGER PRIMARY KEY, batch TEXT, file TEXT, apiKey TEXT, isRunning INTEGER NOT NULL,
    isIndexed INTEGER NOT NULL, parent INTEGER, since INTEGER,
    ${twice('id', 'batch', 'isRunning', 'isIndexed', 'parent', 'since')}) STRICT;
  CREATE TABLE names (
    id INTEGER PRIMARY KEY, kind TEXT NOT NULL, name TEXT NOT NULL, import INTEGER NOT NULL,
    since INTEGER, ${twice('kind', 'name', 'import', 'since')}) STRICT;
  CREATE TABLE segments (
    id INTEGER PRIMARY KEY, import INTEGER NOT NULL, place INTEGER NOT NULL, row INTEGER NOT NULL,
    count INTEGER NOT NULL, ${twice('import', 'place', 'row', 'count')}) STRICT;
  CREATE TABLE rows (
    id INTEGER PRIMARY KEY, import INTEGER NOT NULL, body TEXT NOT NULL, state TEXT NOT NULL,
    pet INTEGER, standsFor INTEGER, key TEXT, at INTEGER,
    ${twice('id', 'import', 'body', 'state', 'pet', 'standsFor', 'key', 'at')}) STRICT;
  CREATE TABLE runs (
    hash INTEGER PRIMARY KEY, rows TEXT NOT NULL, ${twice('hash', 'rows')}) STRICT;
  CREATE TABLE sketches (
    id INTEGER PRIMARY KEY, import INTEGER NOT NULL, hash INTEGER NOT NULL,
    ${twice('import', 'hash')}) STRICT`

/** Opens a ledger that is there, or begins one. What is found must be whole. */
export function openLedger(path: string, isNew: boolean): Sqlite {
  if (!isNew && statsOf(path) === undefined) throw lost(path, 'is gone')
  makePrivateFile(path)
  const ledger = new Sqlite(path)
  try {
    ledger.exec('PRAGMA synchronous = FULL')
    if (isNew && versionOf(ledger) === 0n) ledger.transaction(() => ledger.exec(schema))
    if (versionOf(ledger) !== 3n) throw lost(path, 'is empty')
    requireWhole(ledger, path)
    return ledger
  } catch (error) {
    ledger.close()
    throw sqliteErrorKind(error) === 'other' ? lost(path, 'is damaged', error) : error
  }
}

const versionOf = (ledger: Sqlite) =>
  ledger.rows<{ user_version: bigint }>('PRAGMA user_version')[0]?.user_version

function requireWhole(database: Sqlite, path: string) {
  const [check] = database.rows<{ quick_check: string }>('PRAGMA quick_check(1)')
  if (check?.quick_check !== 'ok') throw lost(path, 'is damaged')
}

/** A journal that is not whole is no reason to skip a row or to send it. */
export function lost(path: string, problem: string, cause?: unknown): Failure {
  const unknown = `the journal ${path} ${problem}, so which pets were added is not known`
  const advice = 'look at the service, then import what is missing with a new --batch NAME'
  return new Failure('local', `${unknown}: ${advice}`, { cause })
}

function inUse(path: string): Failure {
  return new Failure('local', `another petstore process is using the journal ${path}`, {
    isRetryable: true
  })
}

/** The log of an import that is running, or was killed. */
export const logPathOf = (ledger: string, id: bigint) => ledger.replace(/\.db$/, `-${id}.log.db`)

/**
 * Takes in what a run recorded, once no process uses its log: later, a row whose end is not
 * recorded is in doubt. The caller removes the log after the transaction.
 */
export function takeIn(ledger: Sqlite, id: bigint, log: string): void {
  if (!isWhole(log)) throw lost(log, 'is gone or lacks a part')
  try {
    ledger.run('ATTACH ? AS log', log)
  } catch (error) {
    throw sqliteErrorKind(error) === 'busy' ? inUse(log) : lost(log, 'is damaged', error)
  }
  try {
    requireWhole(ledger, log)
    ledger.transaction(() => {
      ledger.run(
        `INSERT OR REPLACE INTO rows (id, import, body, state, pet, key, at)
         SELECT id, ?, body, ifnull(state, 'sending'), pet, key, at
         FROM log.starts LEFT JOIN log.ends USING (id) WHERE state IS NOT 'unsent'`,
        id
      )
      ledger.run('UPDATE imports SET isRunning = 0, isIndexed = 0 WHERE id = ?', id)
    })
  } finally {
    ledger.exec('DETACH log')
  }
}

/** While a log is in use, its latest commits are in a file beside it. */
function isWhole(log: string) {
  if (statsOf(log) === undefined) return false
  if (statsOf(`${log}-wal`)?.size) return true
  const header = Buffer.alloc(20)
  const file = openSync(log, 'r')
  readSync(file, header)
  closeSync(file)
  // Where SQLite writes whether it needs that file.
  return header[18] === 1
}
