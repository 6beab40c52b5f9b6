import type { Failure } from '../failure.ts'
import type { PetStatus } from '../model/pets.ts'
import type { Message, NewPet, Pet } from '../model/schema.ts'
import { loadSqlite, retryWhileBusy, UncertainCommit } from '../platform/sqlite.ts'
import { type CallOptions, createCalls } from './database-calls.ts'
import { DatabaseConnection, type NewConnection } from './database-connection.ts'
import {
  type DatabaseFile,
  databaseFailure,
  prepareFile,
  requireOwnFiles,
} from './database-file.ts'
import { watchAtRest, watchForLoss } from './database-watch.ts'
import { migrate, requireOwnTables } from './schema.ts'

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

/** A client gets its answer within a second, even if another program has locked the database. */
export const patienceMilliseconds = 700

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
  /** How long the opening waits for another program that has locked the file. */
  readonly openingMilliseconds?: number
  /** How long a call waits for it. */
  readonly patienceMilliseconds?: number
  /** Ends the wait for a file that is locked while it is opened. */
  readonly signal?: AbortSignal | undefined
  /** Why every change is refused: in memory, it would be lost. */
  readonly refusal?: Failure | undefined
}

/** Opens the file, or creates it. */
export async function openDatabase(path: string, options: OpeningOptions): Promise<PetDatabase> {
  const { samples, isNamed = false, signal, refusal } = options
  const file: DatabaseFile = { path, isNamed }
  const open = () => {
    const openFile = loadSqlite()
    if (path !== ':memory:') prepareFile(file)
    const connection = openFile(path)
    const prepare = () => {
      requireOwnTables(connection, file)
      migrate(connection, file, samples)
      connection.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL')
      // Other programs see that the file is in use only after its first read; see `deleteDatabase`.
      connection.exec('PRAGMA schema_version')
      return watchForLoss(file)
    }
    return { connection, prepare }
  }
  const milliseconds = options.openingMilliseconds ?? openingMilliseconds
  const connection = await opened(file, open, { milliseconds, signal })
  const patience = options.patienceMilliseconds ?? patienceMilliseconds
  return petDatabase({ connection, file, patienceMilliseconds: patience, refusal })
}

/** Opens a file that this user cannot write, and refuses every change for this reason. */
export async function openForReading(path: string, refusal: Failure): Promise<PetDatabase> {
  const file: DatabaseFile = { path, isNamed: false }
  const open = () => {
    const openFile = loadSqlite()
    requireOwnFiles(file)
    const requireAtRest = watchAtRest(file)
    const connection = openFile(path, requireAtRest === undefined ? 'read' : 'read-at-rest')
    const prepare = () => {
      requireOwnTables(connection, file)
      return requireAtRest ?? watchForLoss(file)
    }
    return { connection, prepare }
  }
  const connection = await opened(file, open, { milliseconds: patienceMilliseconds })
  return petDatabase({ connection, file, patienceMilliseconds, refusal })
}

interface Wait {
  readonly milliseconds: number
  readonly signal?: AbortSignal | undefined
}

async function opened(
  file: DatabaseFile,
  open: () => NewConnection,
  { milliseconds: patience, signal }: Wait,
): Promise<DatabaseConnection> {
  const connection = new DatabaseConnection(file, open)
  try {
    await connection.use(patience, (milliseconds) =>
      retryWhileBusy(() => connection.current(), { milliseconds, signal }),
    )
    return connection
  } catch (error) {
    connection.close()
    // Whatever was committed by then, the change that the user wants was not.
    throw databaseFailure(file, error instanceof UncertainCommit ? error.cause : error)
  }
}

// A type, because an interface could be extended and is therefore not a `Record`.
type PetRow = { id: bigint; name: string; categoryId: bigint; status: PetStatus | null }

const petExpressions = 'id, name, category_id AS categoryId, status'

const listAllPets = `SELECT ${petExpressions} FROM pets ORDER BY id LIMIT ?`
const listPetsByStatus = `SELECT ${petExpressions} FROM pets WHERE status = ? ORDER BY id LIMIT ?`
const getPet = `SELECT ${petExpressions} FROM pets WHERE id = ?`
const addPet = `INSERT INTO pets (name, category_id, status) VALUES (?, ?, ?) RETURNING ${petExpressions}`
const addMessage = 'INSERT INTO messages (message, created_at) VALUES (?, ?) RETURNING id'

function petDatabase(options: CallOptions): PetDatabase {
  const { read, change, close } = createCalls(options)

  return {
    // A database of an old schema that cannot be written has none.
    identity: () =>
      read((connection) => {
        const query = connection.prepare<{ value: string }>('SELECT value FROM identity')
        return present(query.get()).value
      }),
    list: ({ status, limit }) =>
      read((connection) => {
        const count = BigInt(limit)
        const rows =
          status === undefined
            ? connection.prepare<PetRow>(listAllPets).all(count)
            : connection.prepare<PetRow>(listPetsByStatus).all(status, count)
        return rows.map(petOf)
      }),
    get: (id) => read((connection) => connection.prepare<PetRow>(getPet).all(id).map(petOf).at(0)),
    add: ({ name, categoryId, status }) =>
      change((connection) => {
        const insert = connection.prepare<PetRow>(addPet)
        return petOf(present(insert.get(name, categoryId, status ?? null)))
      }),
    addMessage: (message, createdAt) =>
      change((connection) => {
        const time = createdAt.toISOString()
        const insert = connection.prepare<{ id: bigint }>(addMessage)
        const { id } = present(insert.get(message, time))
        return { id: String(id), message, status: 'queued', createdAt: time }
      }),
    close,
  }
}

function petOf({ id, name, categoryId, status }: PetRow): Pet {
  return { id, name, categoryId, ...(status !== null && { status }) }
}

function present<Row>(row: Row | undefined): Row {
  if (row === undefined) throw new Error('SQLite returned no row')
  return row
}
