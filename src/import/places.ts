import { createHash } from 'node:crypto'
import { basename, join } from 'node:path'
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

type Kind = 'ledger' | 'batch' | 'content' | 'path'

/**
 * Which ledgers and batches there are, which files were imported where, and the contents and paths
 * of rejects. The latest entry has the highest number.
 */
const schema = `
  CREATE TABLE IF NOT EXISTS entries (
    id INTEGER PRIMARY KEY AUTOINCREMENT, kind TEXT NOT NULL, name TEXT NOT NULL,
    environment TEXT NOT NULL, address TEXT NOT NULL,
    UNIQUE (kind, name, environment, address)) STRICT`

/** A ledger has no directory in its name, because a CI job may bring the journals to another one. */
const nameOf = (kind: string, name: string) => (kind === 'ledger' ? basename(name) : name)

export const placesPath = (directory: string) => join(directory, 'places.db')

export type Places = ReturnType<typeof openPlaces>

/** What is known of all places, so that a ledger that is gone is missed. */
export function openPlaces(directory: string) {
  const path = placesPath(directory)
  makePrivateFile(path)
  const database = new Sqlite(path, { timeout: 5000 })
  try {
    database.transaction(() => database.exec(schema))
  } catch (error) {
    database.close()
    throw sqliteErrorKind(error) === 'damaged' ? lost(path, 'is damaged', error) : error
  }
  const enter = (kind: string, name: string, { environment, address }: Place) =>
    database.run(
      'INSERT OR REPLACE INTO entries (kind, name, environment, address) VALUES (?, ?, ?, ?)',
      ...[kind, nameOf(kind, name), environment, address]
    )
  const anywhere = { environment: '', address: '' }
  return {
    /** The ledger of a place; that of one batch, if it was begun while the other was not whole. */
    ledgerOf: ({ environment, address }: Place, batch = '') => {
      const identity = [environment, address, batch].join('\n')
      const hash = createHash('sha256').update(identity).digest('hex').slice(0, 16)
      return join(directory, `${environment.replace(/\W/g, '_')}-${hash}.db`)
    },
    has: (kind: Kind, name: string, { environment, address }: Place) => {
      const found = database.rows(
        'SELECT 1 FROM entries WHERE kind = ? AND name = ? AND environment = ? AND address = ?',
        ...[kind, nameOf(kind, name), environment, address]
      )
      return found.length > 0
    },
    add: (entries: readonly (readonly [kind: Kind, name: string | undefined])[], place: Place) =>
      database.transaction(() => {
        for (const [kind, name] of entries) if (name !== undefined) enter(kind, name, place)
      }),
    /** Where a file was imported too: elsewhere in this environment, or at this address. */
    elsewhere: (content: string, path = '', { environment, address }: Place) =>
      database.rows<Place>(
        `SELECT DISTINCT environment, address FROM entries
         WHERE (kind = 'content' AND name = ? OR kind = 'path' AND name = ?)
           AND (environment = ?) <> (address = ?)`,
        ...[content, path, environment, address]
      ),
    /**
     * Whether a file holds rejects as petstore wrote them; or petstore wrote rejects there, and what
     * is in it was imported since.
     */
    isReplaceable: (path: string, content: string) => {
      const found = database.rows(
        `SELECT 1 FROM entries WHERE kind = 'rejects' AND name = ?1 UNION ALL
         SELECT 1 FROM entries WHERE kind = 'content' AND name = ?1
           AND id > (SELECT id FROM entries WHERE kind = 'written' AND name = ?2)`,
        ...[content, path]
      )
      return found.length > 0
    },
    addRejects: (path: string, content: string) =>
      database.transaction(() => {
        enter('rejects', content, anywhere)
        enter('written', path, anywhere)
      }),
    close: () => database.close()
  }
}

/** Whether there were imports into a place. Makes no file. */
export function hasImports(directory: string, place: Place): boolean {
  if (statsOf(placesPath(directory)) === undefined) return false
  const places = openPlaces(directory)
  try {
    return places.has('ledger', places.ledgerOf(place), place)
  } finally {
    places.close()
  }
}
