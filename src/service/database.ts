import type { PetStatus } from '../model/pets.ts'
import type { Message, NewPet, Pet } from '../model/schema.ts'
import type { Sqlite, SqlValue } from '../platform/sqlite.ts'
import { SharedDatabase } from './shared-database.ts'

// A type, because an interface could be extended and is therefore not a `Record`.
type PetRow = { id: bigint; name: string; categoryId: bigint; status: PetStatus | null }

const petExpressions = 'id, name, category_id AS categoryId, status'

const selectAllPets = `SELECT ${petExpressions} FROM pets ORDER BY id LIMIT ?`
const selectPetsByStatus = `SELECT ${petExpressions} FROM pets WHERE status = ? ORDER BY id LIMIT ?`
const selectPet = `SELECT ${petExpressions} FROM pets WHERE id = ?`
const insertPet = `INSERT INTO pets (name, category_id, status) VALUES (?, ?, ?) RETURNING ${petExpressions}`
const insertMessage = 'INSERT INTO messages (message, created_at) VALUES (?, ?) RETURNING id'
const selectIdentity = 'SELECT value FROM identity'

/** The data of the local service, in a file or in `:memory:`. */
export class PetDatabase extends SharedDatabase {
  /**
   * Tells databases apart: made at random with the database, and stored in it. A database of an old
   * schema that cannot be written has none.
   */
  async identity(): Promise<string> {
    const [row] = await this.read(sqlite => sqlite.rows<{ value: string }>(selectIdentity))
    if (row === undefined) throw new Error('the database has lost its identity')
    return row.value
  }

  /** By ascending id. */
  list({ status, limit }: { status?: PetStatus | undefined; limit: number }): Promise<Pet[]> {
    return this.read(sqlite =>
      status === undefined
        ? petsFrom(sqlite, selectAllPets, limit)
        : petsFrom(sqlite, selectPetsByStatus, status, limit)
    )
  }

  async get(id: bigint): Promise<Pet | undefined> {
    const [pet] = await this.read(sqlite => petsFrom(sqlite, selectPet, id))
    return pet
  }

  async add({ name, categoryId, status }: NewPet): Promise<Pet> {
    const [pet] = await this.write(sqlite =>
      petsFrom(sqlite, insertPet, name, categoryId, status ?? null)
    )
    return pet as Pet
  }

  async addMessage(message: string, time: Date): Promise<Message> {
    const createdAt = time.toISOString()
    const [row] = await this.write(sqlite => sqlite.rows(insertMessage, message, createdAt))
    return { id: String(row?.id), message, status: 'queued', createdAt }
  }
}

function petsFrom(sqlite: Sqlite, sql: string, ...values: SqlValue[]): Pet[] {
  const rows = sqlite.rows<PetRow>(sql, ...values)
  return rows.map(({ status, ...pet }) => ({ ...pet, ...(status !== null && { status }) }))
}
