import { pause } from '../platform/promises.ts'
import { type Sqlite, sqliteErrorKind } from '../platform/sqlite.ts'
import { databaseFailure, openDatabaseFile } from './database-file.ts'
import { createGroupCommit } from './group-commit.ts'
import { type FirstPet, Tables } from './tables.ts'

export interface DatabaseOptions {
  /** `:memory:` for a database without a file. */
  readonly path: string
  /** What a new database begins with. */
  readonly firstPets: readonly FirstPet[]
}

/** A client gets its reply within a second, even if another program has locked the database. */
const patienceMilliseconds = 700
/** SQLite itself would stop all other work while it waits. */
const retryMilliseconds = 20

/** How many replies are remembered: a client asks for few different ones. */
const mostRemembered = 20

/** The data of the local service, which other programs use at the same time. */
export class PetDatabase {
  readonly #path: string
  readonly #sqlite: Sqlite
  readonly #tables: Tables
  readonly #commit: ReturnType<typeof createGroupCommit>
  readonly #remembered = new Map<string, unknown>()
  #ownChanges = 0

  constructor({ path, firstPets }: DatabaseOptions) {
    this.#path = path
    const { sqlite, requireSame } = openDatabaseFile(path, firstPets)
    this.#sqlite = sqlite
    this.#tables = new Tables(sqlite)
    this.#commit = createGroupCommit(work =>
      sqlite.transaction(() => {
        const result = work()
        requireSame()
        return result
      })
    )
  }

  read<Result>(work: (tables: Tables) => Result): Promise<Result> {
    return this.#patiently(async () => work(this.#tables))
  }

  /** Does the work for a name once, until the data changes, also by another program. */
  remember<Result>(name: string, work: (tables: Tables) => Result): Promise<Result> {
    return this.read(tables => {
      // SQLite counts the changes of other programs only.
      const [row] = this.#sqlite.rows('PRAGMA data_version')
      const key = `${row?.data_version} ${this.#ownChanges} ${name}`
      if (this.#remembered.size >= mostRemembered) this.#remembered.clear()
      if (!this.#remembered.has(key)) this.#remembered.set(key, work(tables))
      return this.#remembered.get(key) as Result
    })
  }

  /** Resolves when the change is on disk. */
  async write<Result>(work: (tables: Tables) => Result): Promise<Result> {
    const result = await this.#patiently(() => this.#commit(() => work(this.#tables)))
    this.#ownChanges += 1
    return result
  }

  close(): void {
    this.#sqlite.close()
  }

  /** Tries again for a while if another program has locked the database. */
  async #patiently<Result>(attempt: () => Promise<Result>): Promise<Result> {
    const deadline = performance.now() + patienceMilliseconds
    for (;;) {
      try {
        return await attempt()
      } catch (error) {
        const isOver = performance.now() > deadline
        if (sqliteErrorKind(error) !== 'busy' || isOver) throw databaseFailure(this.#path, error)
      }
      await pause(retryMilliseconds)
    }
  }
}
