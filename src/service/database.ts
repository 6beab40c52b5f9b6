import { arch, platform } from 'node:os'
import { resolve } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import type Libsql from 'libsql'
import { Failure } from '../failure.ts'
import type { Message, NewPet, Pet, PetStatus } from '../model/pets.ts'
import {
  applicationId,
  databaseFailure,
  isBusy,
  isFull,
  type Place,
  prepareFile,
  refuseNewer,
  sqliteCode,
} from './file.ts'
import { migrations, samplePets } from './schema.ts'

/**
 * What the service keeps. Every call is done when it returns: what was added is on disk. A file that can't be used is a
 * Failure wherever it is certain that nothing was changed.
 */
export interface PetDatabase {
  list(query: { status?: PetStatus | undefined; limit: number }): Pet[]
  add(pet: NewPet): Pet
  get(id: bigint): Pet | undefined
  addMessage(text: string, createdAt: Date): Message
  /** All changes that the work makes, or none where it throws; they are on disk together. */
  inOneCommit<Result>(work: () => Result): Result
  /** Another text whenever anything has changed, through this connection or another program. */
  version(): string
  close(): void
}

const busyMilliseconds = 5000

interface OpeningOptions {
  /** Whether a new database begins with the sample animals. */
  samples: boolean
  /** Whether the command line names the file. */
  isNamed?: boolean
}

/** Opens the file, or makes it. */
export async function openDatabase(path: string, { samples, isNamed = false }: OpeningOptions): Promise<PetDatabase> {
  const open = await loadLibsql()
  const file: Place = { path, isNamed }
  if (path !== ':memory:') prepareFile(file, migrations.length)
  try {
    // An absolute path, for libsql would take `http://…` for a remote database.
    const connection = open(path === ':memory:' ? path : resolve(path))
    connection.pragma(`busy_timeout = ${busyMilliseconds}`)
    migrate(connection, path, samples)
    await useWriteAheadLog(connection)
    connection.pragma('synchronous = FULL')
    // Only from its first read on does others' SQLite see that the file is in use; see `isHeldByAnother`.
    connection.pragma('schema_version')
    return operations(connection, (error) => explained(file, error))
  } catch (error) {
    throw error instanceof Failure ? error : databaseFailure(file, error as Error)
  }
}

/**
 * Whether another program has the file open, be it idle. SQLite gives out the lock that needs no shared index of the log
 * only to who is alone with the file. This process keeps it, so that nobody else can begin to use the file.
 */
export async function isHeldByAnother(path: string): Promise<boolean> {
  try {
    const connection = (await loadLibsql())(resolve(path))
    connection.pragma('busy_timeout = 1000')
    connection.pragma('locking_mode = EXCLUSIVE')
    connection.exec('BEGIN EXCLUSIVE')
    return false
  } catch (error) {
    // Whatever else is wrong with the file, it may be deleted.
    return isBusy(error)
  }
}

/** What is to be thrown for an error after which nothing is changed. */
function explained(file: Place, error: unknown): unknown {
  return sqliteCode(error) === '' || isBusy(error) ? error : databaseFailure(file, error as Error)
}

async function loadLibsql(): Promise<(path: string) => Libsql.Database> {
  try {
    const { default: Database } = await import('libsql')
    return (path) => {
      const connection = new Database(path)
      connection.defaultSafeIntegers(true)
      return connection
    }
  } catch (cause) {
    throw new Failure(
      'local',
      `the local service needs libsql, which is not installed or has no build for this machine (${platform()}-${arch()})`,
      { hint: 'npm install -g petstore-cli --include=optional', cause },
    )
  }
}

/**
 * Brings the file to the present schema in one transaction. This comes before the write-ahead log is switched on:
 * so a new file carries our mark in its own head from its first byte, where `prepareFile` looks for it.
 */
function migrate(connection: Libsql.Database, path: string, samples: boolean): void {
  if (versionOf(connection, path) === migrations.length) {
    return
  }
  const steps = connection.transaction(() => {
    // Another program may have done it all while this one waited for the lock.
    const version = versionOf(connection, path)
    for (const step of migrations.slice(version)) {
      connection.exec(step)
    }
    if (version === 0 && samples) {
      const insert = connection.prepare('INSERT INTO pets (name, category_id, status) VALUES (?, ?, ?)')
      for (const { name, categoryId, status } of samplePets) {
        insert.run(name, categoryId, status ?? null)
      }
    }
    connection.pragma(`application_id = ${applicationId}`)
    connection.pragma(`user_version = ${migrations.length}`)
  })
  steps.immediate()
}

/** The file's schema version; refuses a newer one, which the head of the file may not tell yet. */
function versionOf(connection: Libsql.Database, path: string): number {
  const row = connection.prepare('PRAGMA user_version').get() as { user_version: bigint }
  const version = Number(row.user_version)
  refuseNewer(path, version, migrations.length)
  return version
}

/** Where several programs switch a new file at once SQLite gives up without waiting, whatever the busy timeout says. */
async function useWriteAheadLog(connection: Libsql.Database): Promise<void> {
  const deadline = performance.now() + busyMilliseconds
  for (;;) {
    try {
      connection.pragma('journal_mode = WAL')
      return
    } catch (error) {
      if (!isBusy(error) || performance.now() > deadline) throw error
    }
    await wait(10)
  }
}

interface PetRow {
  id: bigint
  name: ArrayBuffer
  categoryId: bigint
  status: PetStatus | null
}

// libsql cuts text at the first NUL when it reads it; bytes come whole.
const petColumns = 'id, CAST(name AS BLOB) AS name, category_id AS categoryId, status'

function operations(connection: Libsql.Database, explain: (error: unknown) => unknown): PetDatabase {
  const listAll = connection.prepare(`SELECT ${petColumns} FROM pets ORDER BY id LIMIT ?`)
  const listInStatus = connection.prepare(`SELECT ${petColumns} FROM pets WHERE status = ? ORDER BY id LIMIT ?`)
  const getPet = connection.prepare(`SELECT ${petColumns} FROM pets WHERE id = ?`)
  const addPet = connection.prepare(
    `INSERT INTO pets (name, category_id, status) VALUES (?, ?, ?) RETURNING ${petColumns}`,
  )
  const addMessage = connection.prepare('INSERT INTO messages (message, created_at) VALUES (?, ?) RETURNING id')
  const versionOfOthers = connection.prepare('PRAGMA data_version')
  let ownVersion = 0
  const read = <Result>(work: () => Result): Result => {
    try {
      return work()
    } catch (error) {
      throw explain(error)
    }
  }
  return {
    list: ({ status, limit }) => {
      const rows = read(() => (status === undefined ? listAll.all(limit) : listInStatus.all(status, limit)))
      return (rows as PetRow[]).map(petOf)
    },
    add: ({ name, categoryId, status }) => {
      ownVersion += 1
      return petOf(addPet.get(name, categoryId, status ?? null) as PetRow)
    },
    get: (id) => {
      const row = read(() => getPet.get(id)) as PetRow | undefined
      return row === undefined ? undefined : petOf(row)
    },
    addMessage: (message, createdAt) => {
      const time = createdAt.toISOString()
      const { id } = addMessage.get(message, time) as { id: bigint }
      return { id: String(id), message, status: 'queued', createdAt: time }
    },
    inOneCommit: (work) => {
      let isCommitting = false
      try {
        connection.exec('BEGIN IMMEDIATE')
        const result = work()
        isCommitting = true
        connection.exec('COMMIT')
        return result
      } catch (error) {
        // Some faults, a full disk say, have rolled it back already.
        if (connection.inTransaction) connection.exec('ROLLBACK')
        // A commit that had no room is not whole and counts for nothing; of one that fails otherwise, when it is brought to
        // the disk say, nobody can tell.
        throw isCommitting && !isFull(error) ? error : explain(error)
      }
    },
    version: () => `${ownVersion} ${(read(() => versionOfOthers.get()) as { data_version: bigint }).data_version}`,
    close: () => {
      moveLogIntoFile(connection)
      connection.close()
    },
  }
}

/** Field by field, for libsql adds a `_metadata` of its own. */
function petOf({ id, name, categoryId, status }: PetRow): Pet {
  const pet: Pet = { id, name: Buffer.from(name).toString(), categoryId }
  if (status !== null) {
    pet.status = status
  }
  return pet
}

/**
 * libsql really closes a connection when its statements are collected, which may be never. What SQLite would do then,
 * so that the file alone holds everything, is done here. Failing loses nothing: the log stays and is read at next use.
 */
function moveLogIntoFile(connection: Libsql.Database): void {
  try {
    connection.pragma('wal_checkpoint(PASSIVE)')
  } catch {}
}
