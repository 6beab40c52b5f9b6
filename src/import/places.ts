import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { makePrivateFile } from '../system/private-file.ts'
import { statsOf } from '../system/same-file.ts'
import { Sqlite, sqliteErrorKind } from '../system/sqlite.ts'
import { lost } from './ledger.ts'

/** Where imports go: an environment and its address, for `local` its database. */
export interface Place {
  readonly environment: string
  readonly address: string
}

/** All names of this machine are one. */
export const placeAddress = (url: string) =>
  url.replace(/^(https?:\/\/)(localhost|\[::1\])(?=[:/]|$)/i, '$1127.0.0.1')

/**
 * Which ledger each place and each batch has, whether it is there, and which files were imported
 * where, or written as rejects. The numbers of files grow: the latest has the highest.
 */
const schema = `
  CREATE TABLE IF NOT EXISTS ledgers (
    environment TEXT NOT NULL, address TEXT NOT NULL, batch TEXT NOT NULL, file TEXT NOT NULL,
    isThere INTEGER NOT NULL, PRIMARY KEY (environment, address, batch)) STRICT;
  CREATE TABLE IF NOT EXISTS files (
    id INTEGER PRIMARY KEY AUTOINCREMENT, kind TEXT NOT NULL, name TEXT NOT NULL,
    environment TEXT NOT NULL, address TEXT NOT NULL,
    UNIQUE (kind, name, environment, address)) STRICT`
const selectLedger =
  'SELECT file, isThere FROM ledgers WHERE environment = ? AND address = ? AND batch = ?'
const selectAnyLedger =
  'SELECT 1 FROM ledgers WHERE environment = ? AND address = ? AND isThere = 1 LIMIT 1'
const putLedger = 'INSERT OR REPLACE INTO ledgers VALUES (?, ?, ?, ?, ?)'
const putFile =
  'INSERT OR REPLACE INTO files (kind, name, environment, address) VALUES (?, ?, ?, ?)'
const isReplaceable = `
  SELECT 1 FROM files WHERE kind = 'rejects' AND name = ?1
  UNION ALL
  SELECT 1 FROM files AS content JOIN files AS written
  ON content.kind = 'content' AND content.name = ?1
  AND written.kind = 'written' AND written.name = ?2 AND content.id > written.id`
const elsewhere = `
  SELECT DISTINCT environment, address FROM files
  WHERE (kind = 'content' AND name = ?1 OR kind = 'path' AND name = ?2)
  AND (environment = ?3) <> (address = ?4)`

export type Places = ReturnType<typeof openPlaces>

export const placesPath = (directory: string) => join(directory, 'places.db')

/** What knows all places, so that a ledger that is gone is missed. */
export function openPlaces(directory: string) {
  const path = placesPath(directory)
  makePrivateFile(path)
  const database = new Sqlite(path, { timeout: 5000 })
  try {
    database.transaction(() => database.exec(schema))
  } catch (error) {
    database.close()
    throw sqliteErrorKind(error) === 'other' ? lost(path, 'is damaged', error) : error
  }
  const ledgerOf = ({ environment, address }: Place, batch: string) => {
    const [row] = database.rows<{ file: string; isThere: bigint }>(
      selectLedger,
      environment,
      address,
      batch
    )
    return row && { path: join(directory, row.file), isThere: row.isThere === 1n }
  }
  const fileOf = ({ environment, address }: Place, batch: string) => {
    const identity = [environment, address, batch].join('\n')
    const hash = createHash('sha256').update(identity).digest('hex')
    return `${environment.replace(/\W/g, '_')}-${hash.slice(0, 16)}.db`
  }
  return {
    /**
     * The ledger of the imports of a place, or of one batch: that of a batch that was begun while
     * the other one was not whole.
     */
    ledgerOf,
    /** Whether there were imports, of whatever batch. */
    hasImports: ({ environment, address }: Place) =>
      database.rows(selectAnyLedger, environment, address).length > 0,
    /** A path for it. What is there without an entry here was there before this file. */
    newLedger: (place: Place, batch: string) => {
      const file = fileOf(place, batch)
      const ledger = join(directory, file)
      if (ledgerOf(place, batch) === undefined && statsOf(ledger) !== undefined)
        throw lost(path, 'is gone or was emptied')
      database.run(putLedger, place.environment, place.address, batch, file, 0)
      return ledger
    },
    /** From now on it is missed if it is gone. */
    keep: (place: Place, batch: string, ledger: string) => {
      const file = ledger.slice(directory.length + 1)
      database.run(putLedger, place.environment, place.address, batch, file, 1)
    },
    addFile: (kind: 'content' | 'path', name: string, { environment, address }: Place) =>
      database.run(putFile, kind, name, environment, address),
    /** Where this file was imported too: elsewhere in this environment, or at this address. */
    elsewhere: (sha256: string, path: string | undefined, { environment, address }: Place) =>
      database.rows<Place>(elsewhere, sha256, path ?? '', environment, address),
    /**
     * Whether a file holds rejects as petstore wrote them; or petstore wrote rejects there, and what
     * is in it was imported since.
     */
    isReplaceable: (path: string, sha256: string) =>
      database.rows(isReplaceable, sha256, path).length > 0,
    addRejects: (path: string, sha256: string) =>
      database.transaction(() => {
        database.run(putFile, 'rejects', sha256, '', '')
        database.run(putFile, 'written', path, '', '')
      }),
    close: () => database.close()
  }
}

/** Whether there were imports into a place. Makes no file. */
export function hasImports(directory: string, place: Place): boolean {
  if (statsOf(placesPath(directory)) === undefined) return false
  const places = openPlaces(directory)
  try {
    return places.hasImports(place)
  } finally {
    places.close()
  }
}
