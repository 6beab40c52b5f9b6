import { Failure } from '../failure.ts'
import type { PetStatus } from '../model/pets.ts'
import { type Sqlite, UncertainCommit } from '../platform/sqlite.ts'
import { applicationId, type DatabaseFile, unusable } from './database-file.ts'

/**
 * The steps from an empty file to the current schema: step N leads to version N + 1. A released
 * step never changes, not even its spaces; new ones are added at the end.
 */
const migrations: readonly string[] = [
  `
  CREATE TABLE pets (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    name TEXT NOT NULL,
    category_id INTEGER NOT NULL,
    status TEXT CHECK (status IN ('available', 'pending', 'sold'))
  ) STRICT;
  CREATE INDEX pets_by_status ON pets (status);
  CREATE TABLE messages (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    message TEXT NOT NULL,
    created_at TEXT NOT NULL
  ) STRICT;
  `,
  `
  CREATE TABLE identity (value TEXT NOT NULL) STRICT;
  INSERT INTO identity VALUES (lower(hex(randomblob(16))));
  `
]

/** SQLite stores the text of each definition as it was written. */
const ownDefinitions = migrations
  .flatMap(step => step.split(';'))
  .map(statement => statement.trim())
  .filter(statement => statement.startsWith('CREATE'))

/** The second word after CREATE: `pets`, `pets_by_status`. */
const ownNames = ownDefinitions.map(definition => definition.split(' ')[2])

/**
 * Name, category id and status. One category id is beyond 2^53, so that a client that rounds shows
 * it immediately.
 */
export const samplePets: readonly [string, bigint, PetStatus | null][] = [
  ['Biscuit', 1n, 'available'],
  ['Marmalade', 2n, 'available'],
  ['Sir Waddles', 3n, 'pending'],
  ['小雪', 2n, 'available'],
  ['Pebble', 4n, 'sold'],
  ['さくら', 1n, 'pending'],
  ['Zoë', 5n, 'available'],
  ['Captain Fluff 🐇', 6n, 'available'],
  ['Methuselah', 9007199254740993n, 'sold'],
  ['Nameless Stray', 2n, null]
]

/**
 * Brings the file to the current schema in one transaction. This comes before the write-ahead log
 * is turned on, so that a new file has our mark in its head from the beginning, where it is looked
 * for before SQLite opens the file.
 */
export function migrate(sqlite: Sqlite, file: DatabaseFile, samples: boolean): void {
  if (versionOf(sqlite, file) === migrations.length) return
  try {
    sqlite.transaction(() => {
      // Another program may have done all of this while this one waited for the lock.
      const version = versionOf(sqlite, file)
      for (const step of migrations.slice(version)) sqlite.exec(step)
      if (version === 0 && samples) addSamples(sqlite)
      sqlite.exec(
        `PRAGMA application_id = ${applicationId}; PRAGMA user_version = ${migrations.length}`
      )
    })
  } catch (error) {
    // Whatever was committed, the change that the user wants was not.
    throw error instanceof UncertainCommit ? error.cause : error
  }
}

function addSamples(sqlite: Sqlite): void {
  const insert = 'INSERT INTO pets (name, category_id, status) VALUES (?, ?, ?)'
  for (const pet of samplePets) sqlite.rows(insert, ...pet)
}

/** Refuses a newer schema. */
function versionOf(sqlite: Sqlite, { path }: DatabaseFile): number {
  const version = pragma(sqlite, 'user_version')
  if (version <= migrations.length) return version
  throw new Failure(
    'local',
    `the database ${path} was written by a newer version of petstore (schema ${version}; this version supports ${migrations.length}); it was left unchanged: update petstore`
  )
}

/**
 * Refuses a database whose pets are not ours, before any of its tables is read: a view, a trigger
 * or an index on an expression can run for ever, or take all memory.
 */
export function requireOwnTables(sqlite: Sqlite, file: DatabaseFile): void {
  // No function runs because a definition names it.
  sqlite.exec('PRAGMA trusted_schema = OFF')
  // A newer version may have other tables.
  versionOf(sqlite, file)
  const definitions = sqlite.rows<{ name: string; tbl_name: string; sql: string | null }>(
    'SELECT name, tbl_name, sql FROM sqlite_schema'
  )
  if (definitions.length > 0 && pragma(sqlite, 'application_id') !== applicationId)
    throw unusable(file, 'belongs to another program')
  const foreign = definitions.find(
    ({ name, tbl_name, sql }) =>
      [name, tbl_name].some(isOwnName) && !ownDefinitions.includes(sql ?? '')
  )
  if (foreign === undefined) return
  throw unusable(
    file,
    `has a table, a view, a trigger or an index that petstore did not make: '${foreign.name}'`
  )
}

/** SQLite ignores the case of ASCII letters. */
const isOwnName = (name: string): boolean => ownNames.includes(name.toLowerCase())

const pragma = (sqlite: Sqlite, name: 'user_version' | 'application_id'): number =>
  Number(sqlite.rows(`PRAGMA ${name}`)[0]?.[name] ?? 0n)
