import { pause } from '../system/promises.ts'
import { sqliteErrorKind } from '../system/sqlite.ts'
import { databaseFailure, openDatabaseFile } from './database-file.ts'
import { type FirstPet, Tables } from './tables.ts'

/** A client gets its reply within a second, even if another program has locked the database. */
const patienceMilliseconds = 700
/** SQLite itself would stop all other work while it waits. */
const retryMilliseconds = 20

/** Work with what is stored. */
type Work<Result> = (tables: Tables) => Result

export type PetDatabase = ReturnType<typeof openDatabase>

/**
 * The data of the local service, which other programs use at the same time. A new database begins
 * with the first pets; `:memory:` is one without a file.
 */
export function openDatabase(path: string, firstPets: readonly FirstPet[]) {
  const { sqlite, requireSame } = openDatabaseFile(path, firstPets)
  const tables = new Tables(sqlite)
  let latest: { key: string; result: unknown } | undefined
  let waiting: Work<unknown>[] = []
  let committed: Promise<unknown[]>

  const commit = () => {
    const changes = waiting
    waiting = []
    latest = undefined
    return sqlite.transaction(() => {
      const results = changes.map(change => change(tables))
      requireSame()
      return results
    })
  }
  /** Changes of one moment share a commit, because its wait for the disk is most of their cost. */
  const change = async <Result>(work: Work<Result>) => {
    if (waiting.length === 0) committed = new Promise(setImmediate).then(commit)
    const index = waiting.push(work) - 1
    return (await committed)[index] as Result
  }
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
  const read = <Result>(work: Work<Result>) => patiently(async () => work(tables))

  return {
    read,
    /** Does the work for a name once, until the data changes, also by another program. */
    readOnce: <Result>(name: string, work: Work<Result>) =>
      read(() => {
        // SQLite counts the changes of other programs only.
        const [row] = sqlite.rows('PRAGMA data_version')
        const key = `${row?.data_version} ${name}`
        if (latest?.key !== key) latest = { key, result: work(tables) }
        return latest.result as Result
      }),
    /** Resolves when the change is on disk. */
    write: <Result>(work: Work<Result>) => patiently(() => change(work)),
    close: () => sqlite.close()
  }
}
