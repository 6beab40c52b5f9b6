import { Failure } from '../failure.ts'
import { makePrivateFile } from '../system/private-file.ts'
import { statsOf } from '../system/same-file.ts'
import { Sqlite, sqliteErrorKind } from '../system/sqlite.ts'

/** What must not be read wrongly is stored twice: SQLite compares it when it checks the file. */
function twice(...columns: readonly string[]): string {
  const all = columns.map(column => `ifnull(${column}, '-')`).join(" || ' ' || ")
  return `copy TEXT AS (${all}) STORED CHECK (copy = ${all})`
}

/**
 * The ledger of a place. `names` are the contents and paths that an import had last, and the files
 * of rejects that it wrote. `segments` are the rows of its last input, each where it stood. `rows`
 * has each row once, in whatever files it is. `runs` are those of five rows in any input. No table
 * has an index beside its integer key, so a check of the file finds everything that is missing.
 *
 * The state of a row is `sending` until its reply is recorded (if no run is going on, it is in
 * doubt); `known` and `changed` if it is held; `skipped` if it counts as added by a decision.
 */
const schema = `
  PRAGMA user_version = 3;
  CREATE TABLE imports (
    id INTEGER PRIMARY KEY, batch TEXT NOT NULL, file TEXT NOT NULL, apiKey TEXT NOT NULL,
    isRunning INTEGER NOT NULL, rows INTEGER NOT NULL, sketch TEXT, parent INTEGER, since INTEGER,
    ${twice('id', 'batch', 'isRunning', 'rows', 'sketch', 'parent', 'since')}) STRICT;
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
    hash INTEGER PRIMARY KEY, rows TEXT NOT NULL, ${twice('hash', 'rows')}) STRICT`

/** Opens a ledger that is there, or begins one. What is found must be whole. */
export function openLedger(path: string, isExpected: boolean): Sqlite {
  if (isExpected && statsOf(path) === undefined) throw lost(path, 'is gone')
  makePrivateFile(path)
  const ledger = new Sqlite(path)
  const hasVersion = (version: number) =>
    ledger.count(`pragma_user_version WHERE user_version = ${version}`) === 1
  try {
    if (!isExpected && hasVersion(0)) ledger.transaction(() => ledger.exec(schema))
    if (!hasVersion(3)) throw lost(path, 'is empty')
    const [check] = ledger.rows<{ quick_check: string }>('PRAGMA quick_check(1)')
    if (check?.quick_check !== 'ok') throw lost(path, 'is damaged')
    return ledger
  } catch (error) {
    ledger.close()
    throw sqliteErrorKind(error) === 'damaged' ? lost(path, 'is damaged', error) : error
  }
}

/** A journal that is not whole is no reason to skip a row or to send it. */
export function lost(path: string, problem: string, cause?: unknown): Failure {
  const unknown = `the journal ${path} ${problem}, so which pets were added is not known`
  const advice = 'look at the service, then import what is missing with a new --batch NAME'
  return new Failure('local', `${unknown}: ${advice}`, { cause })
}

/**
 * The pets of a file are those of its last input, each where it stood: `body` is the pet as it was
 * added, `own` the row. A row that is held or skipped stands for the pet that was added; one that was
 * rejected is no pet, but keeps its place.
 */
export const inputOf = (id: bigint) => `
  SELECT s.place + r.id - s.row AS place, r.id AS row, r.state AS state, r.body AS own,
    ifnull(pet.id, r.id) AS standsFor, ifnull(pet.state, r.state) AS petState,
    ifnull(pet.body, r.body) AS body
  FROM segments AS s CROSS JOIN rows AS r ON r.id BETWEEN s.row AND s.row + s.count - 1
  LEFT JOIN rows AS pet ON pet.id = r.standsFor WHERE s.import = ${id}`

export const petsOf = (id: bigint) =>
  `(SELECT * FROM (${inputOf(id)}) WHERE petState <> 'rejected')`

/** The rows of these pets as they stood in the file. */
export const rowsOf = (id: bigint) => `(SELECT place, own AS body FROM ${petsOf(id)})`
