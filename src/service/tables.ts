import type { PetStatus } from '../model/pets.ts'
import type { NewPet } from '../model/request-schema.ts'
import type { Message, Pet } from '../model/schema.ts'
import type { Sqlite, SqlValue } from '../system/sqlite.ts'

/**
 * What makes the tables in an empty file. With other tables, the version of the file becomes another
 * one too.
 */
export const schema = `
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
  CREATE TABLE identity (value TEXT NOT NULL) STRICT;
  INSERT INTO identity VALUES (lower(hex(randomblob(16))));
  CREATE TABLE replies (
    key TEXT PRIMARY KEY,
    request TEXT NOT NULL,
    body TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;
  PRAGMA application_id = 0x50657473;
  PRAGMA user_version = 3;
`

/** Gives a row where the file has these tables: "Pets" in ASCII, and their version. */
export const hasSchema = `
  SELECT 1 FROM pragma_application_id, pragma_user_version
  WHERE application_id = 0x50657473 AND user_version = 3
`

/** A pet that a database begins with. */
export interface FirstPet extends NewPet {
  readonly id?: bigint | undefined
}

const columns = 'id, name, category_id AS categoryId, status'

/** What is stored. A change is made in a transaction of the caller. */
export class Tables {
  readonly #sqlite: Sqlite

  constructor(sqlite: Sqlite) {
    this.#sqlite = sqlite
  }

  /** Tells databases apart: made at random with the database. */
  identity() {
    const [row] = this.#sqlite.rows<{ value: string }>('SELECT value FROM identity')
    return row?.value ?? ''
  }

  /** By ascending id. */
  list({ status, limit }: { status?: PetStatus | undefined; limit: number }) {
    const where = status === undefined ? '' : 'WHERE status = ?'
    const values = status === undefined ? [] : [status]
    return this.#pets(`SELECT ${columns} FROM pets ${where} ORDER BY id LIMIT ?`, ...values, limit)
  }

  get(id: bigint) {
    return this.#pets(`SELECT ${columns} FROM pets WHERE id = ?`, id)[0]
  }

  add({ id, name, categoryId, status }: FirstPet): Pet {
    const sql = `INSERT INTO pets VALUES (?, ?, ?, ?) RETURNING ${columns}`
    return this.#pets(sql, id ?? null, name, categoryId, status ?? null)[0] as Pet
  }

  addMessage(message: string, time: Date): Message {
    const createdAt = time.toISOString()
    const sql = 'INSERT INTO messages (message, created_at) VALUES (?, ?) RETURNING id'
    const [row] = this.#sqlite.rows(sql, message, createdAt)
    return { id: String(row?.id), message, status: 'queued', createdAt }
  }

  /** The first reply to an idempotency key, with the request that it answered. */
  firstReply(key: string) {
    const sql = 'SELECT request, body FROM replies WHERE key = ?'
    return this.#sqlite.rows<{ request: string; body: string }>(sql, key)[0]
  }

  keepReply(key: string, request: string, body: string) {
    this.#sqlite.run('INSERT INTO replies VALUES (?, ?, ?)', key, request, body)
  }

  /** Puts everything back to the start, the next ids too. */
  reset(pets: readonly FirstPet[]) {
    const tables = ['pets', 'messages', 'replies', 'sqlite_sequence']
    for (const table of tables) this.#sqlite.exec(`DELETE FROM ${table}`)
    for (const pet of pets) this.add(pet)
  }

  #pets(sql: string, ...values: SqlValue[]): Pet[] {
    const rows = this.#sqlite.rows<Pet & { status: PetStatus | null }>(sql, ...values)
    return rows.map(({ status, ...pet }) => ({ ...pet, ...(status !== null && { status }) }))
  }
}
