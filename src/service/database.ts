import { existsSync, rmSync } from 'node:fs'
import { Failure } from '../failure.ts'
import type { PetStatus } from '../model/pets.ts'
import type { Message, NewPet, Pet } from '../model/schema.ts'
import { describeSystemError, placeFailure, systemErrorCode } from '../platform/errno.ts'
import { makePrivateFile } from '../platform/private-file.ts'
import { pathCommand } from '../platform/shell.ts'
import { Sqlite, type SqlValue, sqliteErrorKind } from '../platform/sqlite.ts'
import { createGroupCommit } from './group-commit.ts'

/** The mark in the head of every database of this program: "Pets" in ASCII. */
const applicationId = 0x50657473

/** The steps from an empty file to the current schema. A released step never changes. */
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

/** One category id is beyond 2^53, so that a client that rounds shows it immediately. */
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

const columns = 'id, name, category_id AS categoryId, status'
const insertPet = 'INSERT INTO pets (name, category_id, status) VALUES (?, ?, ?)'

export interface DatabaseOptions {
  /** `:memory:` for a database without a file. */
  readonly path: string
  /** Whether a new database starts with the sample pets. */
  readonly samples: boolean
}

/** The data of the local service. A call waits up to 0.7 s for another program. */
export class PetDatabase {
  readonly #path: string
  readonly #sqlite: Sqlite
  readonly #commit = createGroupCommit(work => this.#sqlite.transaction(() => work(this.#sqlite)))

  constructor({ path, samples }: DatabaseOptions) {
    this.#path = path
    try {
      if (path !== ':memory:') makePrivateFile(path)
      this.#sqlite = new Sqlite(path, { timeout: 700 })
      this.#migrate(samples)
    } catch (error) {
      throw this.#failure(error)
    }
  }

  #migrate(samples: boolean): void {
    const sqlite = this.#sqlite
    const pragma = (name: string) =>
      Number(sqlite.rows<Record<string, bigint>>(`PRAGMA ${name}`)[0]?.[name])
    if (
      sqlite.rows('SELECT 1 FROM sqlite_schema').length > 0 &&
      pragma('application_id') !== applicationId
    )
      throw new Failure('local', `the database ${this.#path} belongs to another program`)
    if (pragma('user_version') > migrations.length)
      throw new Failure('local', `the database ${this.#path} was written by a newer petstore`)
    sqlite.transaction(() => {
      const version = pragma('user_version')
      for (const step of migrations.slice(version)) sqlite.exec(step)
      if (version === 0 && samples) for (const pet of samplePets) sqlite.rows(insertPet, ...pet)
      sqlite.exec(
        `PRAGMA application_id = ${applicationId}; PRAGMA user_version = ${migrations.length}`
      )
    })
    sqlite.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL')
  }

  /** Tells databases apart: made at random with the database. */
  identity(): string {
    const [row] = this.#read(() =>
      this.#sqlite.rows<{ value: string }>('SELECT value FROM identity')
    )
    return row?.value ?? ''
  }

  /** By ascending id. */
  list({ status, limit }: { status?: PetStatus | undefined; limit: number }): Pet[] {
    const where = status === undefined ? '' : 'WHERE status = ?'
    const sql = `SELECT ${columns} FROM pets ${where} ORDER BY id LIMIT ?`
    return this.#read(() => this.#pets(sql, ...(status === undefined ? [] : [status]), limit))
  }

  get(id: bigint): Pet | undefined {
    return this.#read(() => this.#pets(`SELECT ${columns} FROM pets WHERE id = ?`, id))[0]
  }

  async add({ name, categoryId, status }: NewPet): Promise<Pet> {
    const [pet] = await this.#write(() =>
      this.#pets(`${insertPet} RETURNING ${columns}`, name, categoryId, status ?? null)
    )
    return pet as Pet
  }

  async addMessage(message: string, time: Date): Promise<Message> {
    const createdAt = time.toISOString()
    const sql = 'INSERT INTO messages (message, created_at) VALUES (?, ?) RETURNING id'
    const [row] = await this.#write(() => this.#sqlite.rows(sql, message, createdAt))
    return { id: String(row?.id), message, status: 'queued', createdAt }
  }

  close(): void {
    this.#sqlite.close()
  }

  #pets(sql: string, ...values: SqlValue[]): Pet[] {
    const rows = this.#sqlite.rows<Pet & { status: PetStatus | null }>(sql, ...values)
    return rows.map(({ status, ...pet }) => ({ ...pet, ...(status !== null && { status }) }))
  }

  #read<Result>(work: () => Result): Result {
    try {
      return work()
    } catch (error) {
      throw this.#failure(error)
    }
  }

  #write<Result>(work: () => Result): Promise<Result> {
    return this.#commit(work).catch((error: unknown) => {
      throw this.#failure(error)
    })
  }

  #failure(error: unknown): unknown {
    const problem = `the database ${this.#path}`
    if (systemErrorCode(error) !== undefined)
      return placeFailure(error, this.#path, `${problem} cannot be opened`)
    const kind = sqliteErrorKind(error)
    if (kind === undefined) return error
    if (kind === 'busy')
      return new Failure('local', `another program has locked ${problem}; nothing was changed`, {
        isRetryable: true,
        cause: error
      })
    return new Failure('local', `${problem} cannot be used: ${describeSystemError(error)}`, {
      hint: pathCommand('ls -la', this.#path),
      cause: error
    })
  }
}

/** Deletes a database, unless another program has it open. */
export function deleteDatabase(path: string): boolean {
  if (!existsSync(path)) return false
  const sqlite = new Sqlite(path, { timeout: 1000 })
  try {
    sqlite.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE')
  } catch (error) {
    const problem = `the database ${path} cannot be deleted: another program is using it`
    throw sqliteErrorKind(error) === 'busy'
      ? new Failure('local', problem, { cause: error })
      : error
  } finally {
    // Windows deletes no open file.
    sqlite.close()
  }
  for (const suffix of ['-wal', '-shm', '-journal', '']) rmSync(`${path}${suffix}`, { force: true })
  return true
}
