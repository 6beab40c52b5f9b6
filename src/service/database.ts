import { pause } from '../system/promises.ts'
import { sqliteErrorKind } from '../system/sqlite.ts'
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

export type PetDatabase = ReturnType<typeof openDatabase>

/** The data of the local service, which other programs use at the same time. */
export function openDatabase({ path, firstPets }: DatabaseOptions) {
  const { sqlite, requireSame } = openDatabaseFile(path, firstPets)
  const tables = new Tables(sqlite)
  const remembered = new Map<string, unknown>()
  let ownChanges = 0
  const commit = createGroupCommit(work =>
    sqlite.transaction(() => {
      const result = work()
      requireSame()
      return result
    })
  )
  /** Tries again for a while if another program has locked the database. */
  const patiently = async <Result>(attempt: () => Promise<Result>): Promise<Result> => {
    const deadline = performance.now() + patienceMilliseconds
    for (;;) {
      try {
        return await attempt()
      } catch (error) {
        const isOver = performance.now() > deadline
        if (sqliteErrorKind(error) !== 'busy' || isOver) throw databaseFailure(path, error)
      }
      await pause(retryMilliseconds)
    }
  }
  const read = <Result>(work: (tables: Tables) => Result) => patiently(async () => work(tables))

  return {
    read,
    /** Does the work for a name once, until the data changes, also by another program. */
    remember: <Result>(name: string, work: (tables: Tables) => Result) =>
      read(() => {
        // SQLite counts the changes of other programs only.
        const [row] = sqlite.rows('PRAGMA data_version')
        const key = `${row?.data_version} ${ownChanges} ${name}`
        if (remembered.size >= mostRemembered) remembered.clear()
        if (!remembered.has(key)) remembered.set(key, work(tables))
        return remembered.get(key) as Result
      }),
    /** Resolves when the change is on disk. */
    write: async <Result>(work: (tables: Tables) => Result) => {
      const result = await patiently(() => commit(() => work(tables)))
      ownChanges += 1
      return result
    },
    close: () => sqlite.close()
  }
}
