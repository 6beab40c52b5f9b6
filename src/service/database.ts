import { Failure } from '../failure.ts'
import type { PetStatus } from '../model/pets.ts'
import type { Message, NewPet, Pet } from '../model/schema.ts'
import { createInFlight } from '../platform/in-flight.ts'
import {
  loadSqlite,
  retryWhileBusy,
  type Sqlite,
  sqliteErrorKind,
  UncertainCommit,
} from '../platform/sqlite.ts'
import {
  applicationId,
  type DatabaseFile,
  databaseFailure,
  lossDetector,
  lostFailure,
  prepareFile,
} from './database-file.ts'
import { createGroupCommit } from './group-commit.ts'

/**
 * The data of the local service. A change resolves when it is on disk. A file that cannot be used
 * is a Failure if it is certain that nothing was changed. A call after `close` is rejected.
 */
export interface PetDatabase {
  /** Tells databases apart: made at random with the database, and stored in it. */
  identity(): Promise<string>
  /** By ascending id. */
  list(query: { status?: PetStatus | undefined; limit: number }): Promise<Pet[]>
  get(id: bigint): Promise<Pet | undefined>
  add(pet: NewPet): Promise<Pet>
  addMessage(message: string, createdAt: Date): Promise<Message>
  /** Waits for the calls in progress, but not for a locked file. */
  close(): Promise<void>
}

/**
 * The first use of a database takes several waits for the disk, and another program may be making
 * it.
 */
const openingMilliseconds = 10_000

export interface OpeningOptions {
  /** Whether a new database starts with the sample pets. */
  readonly samples: boolean
  /** Whether the file was named on the command line. */
  readonly isNamed?: boolean
  /** How long a call waits for another program that has locked the file. */
  readonly patienceMilliseconds?: number
  /** Ends the wait for a file that is locked while it is opened. */
  readonly signal?: AbortSignal | undefined
  /** Why every change is refused: the file is a copy of one that cannot be written. */
  readonly refusal?: Failure
}

/** Opens the file, or creates it. */
export async function openDatabase(path: string, options: OpeningOptions): Promise<PetDatabase> {
  const { samples, isNamed = false, patienceMilliseconds = 5000, signal, refusal } = options
  const file: DatabaseFile = { path, isNamed }
  let connection: Sqlite | undefined
  try {
    const open = loadSqlite()
    if (path !== ':memory:') prepareFile(file)
    const opened = open(path)
    connection = opened
    const prepare = () => {
      migrate(opened, path, samples)
      opened.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL')
      // Other programs see that the file is in use only after its first read; see `deleteDatabase`.
      opened.exec('PRAGMA schema_version')
      return petDatabase(opened, file, { patienceMilliseconds, refusal })
    }
    return await retryWhileBusy(prepare, { milliseconds: openingMilliseconds, signal })
  } catch (error) {
    connection?.close()
    // Whatever was committed by then, the change that the user wants was not.
    throw databaseFailure(file, error instanceof UncertainCommit ? error.cause : error)
  }
}

// A type, because an interface could be extended and is therefore not a `Record`.
type PetRow = { id: bigint; name: string; categoryId: bigint; status: PetStatus | null }

const petColumns = 'id, name, category_id AS categoryId, status'

function petDatabase(
  connection: Sqlite,
  file: DatabaseFile,
  { patienceMilliseconds, refusal }: { patienceMilliseconds: number; refusal: Failure | undefined },
): PetDatabase {
  const listAll = connection.prepare<PetRow>(`SELECT ${petColumns} FROM pets ORDER BY id LIMIT ?`)
  const listByStatus = connection.prepare<PetRow>(
    `SELECT ${petColumns} FROM pets WHERE status = ? ORDER BY id LIMIT ?`,
  )
  const getPet = connection.prepare<PetRow>(`SELECT ${petColumns} FROM pets WHERE id = ?`)
  const addPet = connection.prepare<PetRow>(
    `INSERT INTO pets (name, category_id, status) VALUES (?, ?, ?) RETURNING ${petColumns}`,
  )
  const addMessage = connection.prepare<{ id: bigint }>(
    'INSERT INTO messages (message, created_at) VALUES (?, ?) RETURNING id',
  )
  const getIdentity = connection.prepare<{ value: string }>('SELECT value FROM identity')

  const isLost = lossDetector(file)
  const closing = new AbortController()
  const { signal } = closing
  const inFlight = createInFlight<void>()
  const call = async <Result>(work: () => Promise<Result>): Promise<Result> => {
    signal.throwIfAborted()
    const finish = inFlight.add()
    try {
      return await work()
    } catch (error) {
      throw sqliteErrorKind(error) === 'busy' ? error : databaseFailure(file, error)
    } finally {
      finish()
    }
  }
  const read = <Result>(work: () => Result) => {
    const readFile = () => {
      if (isLost()) throw lostFailure(file)
      return work()
    }
    return call(() => retryWhileBusy(readFile, { milliseconds: patienceMilliseconds, signal }))
  }
  const transaction = <Result>(work: () => Result) => {
    if (isLost()) throw lostFailure(file)
    const result = connection.transaction(work)
    // A plain error, because the change may be in the file that was moved away at this moment.
    if (isLost()) throw new Error('the database was deleted or replaced while the change was made')
    return result
  }
  const commit = createGroupCommit({ transaction, patienceMilliseconds, signal })
  const change = async <Result>(work: () => Result) => {
    if (refusal !== undefined) throw refusal
    // The commit itself waits for other programs.
    return call(() => retryWhileBusy(() => commit(work), { milliseconds: 0, signal }))
  }

  return {
    identity: () => read(() => present(getIdentity.get()).value),
    list: ({ status, limit }) =>
      read(() => {
        const count = BigInt(limit)
        return (status === undefined ? listAll.all(count) : listByStatus.all(status, count)).map(
          petOf,
        )
      }),
    get: (id) => read(() => getPet.all(id).map(petOf).at(0)),
    add: ({ name, categoryId, status }) =>
      change(() => petOf(present(addPet.get(name, categoryId, status ?? null)))),
    addMessage: (message, createdAt) =>
      change(() => {
        const time = createdAt.toISOString()
        const { id } = present(addMessage.get(message, time))
        return { id: String(id), message, status: 'queued', createdAt: time }
      }),
    close: async () => {
      closing.abort(new Error('the database is closed'))
      await inFlight.whenEmpty()
      if (!isLost()) moveLogIntoFile(connection)
      connection.close()
    },
  }
}

/**
 * The package for Node 20 closes the file only when the statements are collected as garbage,
 * perhaps never. So this function does SQLite's last step, which moves everything into the one
 * file. If it fails, nothing is lost: the log is read at the next use.
 */
function moveLogIntoFile(connection: Sqlite): void {
  try {
    connection.exec('PRAGMA wal_checkpoint(PASSIVE)')
  } catch {}
}

function petOf({ id, name, categoryId, status }: PetRow): Pet {
  return { id, name, categoryId, ...(status !== null && { status }) }
}

function present<Row>(row: Row | undefined): Row {
  if (row === undefined) throw new Error('SQLite returned no row')
  return row
}

/**
 * The steps from an empty file to the current schema: step N leads to version N + 1. A released
 * step never changes; new ones are added at the end.
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
  `,
]

/** One category id is beyond 2^53, so that a client that rounds shows it immediately. */
export const samplePets: readonly NewPet[] = [
  { name: 'Biscuit', categoryId: 1n, status: 'available' },
  { name: 'Marmalade', categoryId: 2n, status: 'available' },
  { name: 'Sir Waddles', categoryId: 3n, status: 'pending' },
  { name: '小雪', categoryId: 2n, status: 'available' },
  { name: 'Pebble', categoryId: 4n, status: 'sold' },
  { name: 'さくら', categoryId: 1n, status: 'pending' },
  { name: 'Zoë', categoryId: 5n, status: 'available' },
  { name: 'Captain Fluff 🐇', categoryId: 6n, status: 'available' },
  { name: 'Methuselah', categoryId: 9007199254740993n, status: 'sold' },
  { name: 'Nameless Stray', categoryId: 2n },
]

/**
 * Brings the file to the current schema in one transaction. This comes before the write-ahead log
 * is turned on, so that a new file has our mark in its head from the beginning, where `prepareFile`
 * looks for it.
 */
function migrate(connection: Sqlite, path: string, samples: boolean): void {
  if (versionOf(connection, path) === migrations.length) return
  connection.transaction(() => {
    // Another program may have done all of this while this one waited for the lock.
    const version = versionOf(connection, path)
    for (const step of migrations.slice(version)) connection.exec(step)
    if (version === 0 && samples) {
      const insert = connection.prepare(
        'INSERT INTO pets (name, category_id, status) VALUES (?, ?, ?)',
      )
      for (const { name, categoryId, status } of samplePets)
        insert.get(name, categoryId, status ?? null)
    }
    connection.exec(`PRAGMA application_id = ${applicationId}`)
    connection.exec(`PRAGMA user_version = ${migrations.length}`)
  })
}

/** Refuses a newer schema. */
function versionOf(connection: Sqlite, path: string): number {
  const version = Number(connection.prepare('PRAGMA user_version').get()?.user_version ?? 0n)
  if (version <= migrations.length) return version
  throw new Failure(
    'local',
    `the database ${path} was written by a newer version of petstore (schema ${version}; this version supports ${migrations.length}); it was left unchanged: update petstore`,
  )
}
