import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { basename, dirname, join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import type { DatabaseSyncInstance, SqliteModule } from '@photostructure/sqlite'
import { Failure } from '../failure.ts'
import { describeSystemError, errorCode } from './errno.ts'
import { nextTurn, pause } from './promises.ts'

/**
 * Integers are int64, so they are always bigints. Text must not contain NUL: some versions cut it
 * there.
 */
export type SqlValue = bigint | number | string | null

/**
 * - `busy`: another program has locked the file; nothing was changed
 * - `full`: the disk is full; nothing was changed
 * - `disk`: the file cannot be opened, read or written
 * - `damaged`: a part of the file is wrong, or a read of it failed once
 * - `other`: anything else, such as a constraint or a mistake in a statement
 */
export type SqliteErrorKind = 'busy' | 'full' | 'disk' | 'damaged' | 'other'

/**
 * The commit itself failed, because of its cause, and the changes may or may not be on disk. It has
 * no kind.
 */
export class UncertainCommit extends Error {}

/**
 * By the texts that SQLite itself has for its result codes: the package for Node 20 reports no code
 * for a failed `all`. https://www.sqlite.org/rescode.html
 */
const kindsByText: Readonly<Record<string, SqliteErrorKind>> = {
  'database is locked': 'busy',
  // Another program was paused while it opened the file.
  'locking protocol': 'busy',
  'attempt to write a readonly database': 'disk',
  'disk I/O error': 'disk',
  'unable to open database file': 'disk',
  'database or disk is full': 'full',
  'database disk image is malformed': 'damaged',
  'file is not a database': 'damaged'
}

/** The kind of a fault of SQLite; undefined for any other error. */
export function sqliteErrorKind(error: unknown): SqliteErrorKind | undefined {
  if (errorCode(error) !== 'ERR_SQLITE_ERROR') return undefined
  const { errstr, message } = error as Error & { readonly errstr?: string }
  return kindsByText[errstr ?? message] ?? 'other'
}

/**
 * How a file is opened: one to write is created if it is missing. A file at rest has no log, and no
 * other program writes to it; SQLite then needs no lock and no file beside it.
 */
type Access = 'write' | 'read' | 'read-at-rest'

/**
 * Returns a function that opens a file; `:memory:` is a database without a file. In two steps, for a
 * caller that must not touch the file if SQLite cannot be loaded.
 */
export function loadSqlite() {
  const { DatabaseSync } = loadLibrary()
  return (path: string, access: Access = 'write') => {
    const location = path === ':memory:' ? path : resolve(path)
    // https://www.sqlite.org/uri.html
    const name = access === 'read-at-rest' ? `${pathToFileURL(location)}?immutable=1` : location
    return new Sqlite(new DatabaseSync(name, { readOnly: access !== 'write' }))
  }
}

const packageName = '@photostructure/sqlite'

/**
 * Node's own SQLite, or a package with the same interface: Node 20 has none, and neither have some
 * builds of Node.
 */
function loadLibrary(): Pick<SqliteModule, 'DatabaseSync'> {
  const { emitWarning } = process
  // Until 24.15, Node warns that its SQLite is an experiment, which is nothing that a user of this
  // program can act on.
  process.emitWarning = () => {}
  const own = process.getBuiltinModule('node:sqlite') as SqliteModule | undefined
  process.emitWarning = emitWarning
  if (own !== undefined) return own
  const directory = placesOfPackage().find(place => existsSync(place))
  if (directory === undefined) {
    const message = `this Node has no SQLite, and the package ${packageName} is not installed; Node 22.13 and later have it`
    throw new Failure('local', message, { hint: `npm install -g ${packageName}@1.2` })
  }
  try {
    // Node would report a file that it cannot read, for example without a free descriptor, as a
    // missing module.
    readFileSync(join(directory, 'package.json'))
    return createRequire(import.meta.filename)(directory)
  } catch (cause) {
    const message = `SQLite cannot be loaded: ${describeSystemError(cause)}`
    throw new Failure('local', message, { hint: `npm ls -g ${packageName}`, cause })
  }
}

/**
 * Where npm installs a dependency: inside this package, or in the `node_modules` that holds it. Node
 * also looks in each directory above, and in `$HOME/.node_modules`: there another user could put
 * code that this user would run.
 */
function placesOfPackage(): string[] {
  // The launcher gives a path with `..` in it.
  const path = resolve(import.meta.filename)
  const root = /^(.*)[\\/](?:dist|src)[\\/]/s.exec(path)?.[1] ?? '/'
  const holder = dirname(root)
  const directories = [join(root, 'node_modules')]
  if (basename(holder) === 'node_modules') directories.push(holder)
  return directories.map(directory => join(directory, packageName))
}

/**
 * Tries again on a timer while another program has locked the file, until the time limit; and once
 * if the file seems to be damaged, because SQLite says so after any read that failed.
 */
export async function retryWhileBusy<Result>(
  work: () => Result | Promise<Result>,
  milliseconds: number,
  signal?: AbortSignal
): Promise<Result> {
  const deadline = performance.now() + milliseconds
  let seemsDamaged = false
  for (let wait = 2; ; wait = Math.min(wait * 2, 50)) {
    try {
      return await work()
    } catch (error) {
      const kind = sqliteErrorKind(error)
      const mayPass =
        kind === 'busy' ? performance.now() < deadline : kind === 'damaged' && !seemsDamaged
      if (!mayPass) throw error
      seemsDamaged = kind === 'damaged'
    }
    // Programs that wait for the same file must not all try again at the same moment.
    await pause(wait * (0.5 + Math.random() / 2), signal)
  }
}

/**
 * A connection to one database file. No call waits for another program: a locked file is
 * immediately an error of kind `busy`. A caller that wants to wait uses a timer, which never blocks
 * the event loop (see `retryWhileBusy`).
 */
export class Sqlite {
  readonly #database: DatabaseSyncInstance
  readonly #statements = new Map<string, ReturnType<DatabaseSyncInstance['prepare']>>()

  constructor(database: DatabaseSyncInstance) {
    this.#database = database
  }

  /** Runs statements whose rows are not needed. */
  exec(sql: string): void {
    this.#database.exec(sql)
  }

  /** The rows of one statement, which is compiled once, however often it runs. */
  rows<Row = Readonly<Record<string, SqlValue>>>(sql: string, ...values: SqlValue[]): Row[] {
    let statement = this.#statements.get(sql)
    if (statement === undefined) {
      statement = this.#database.prepare(sql)
      statement.setReadBigInts(true)
      this.#statements.set(sql, statement)
    }
    return statement.all(...values) as Row[]
  }

  /**
   * Commits all changes of `work`, or none if it throws. Takes the write lock before `work` begins.
   */
  transaction<Result>(work: () => Result): Result {
    this.exec('BEGIN IMMEDIATE')
    try {
      const result = work()
      commit(this.#database)
      return result
    } catch (error) {
      this.#rollBack()
      throw error
    }
  }

  /** Rolls back a transaction in progress. Any later call throws, except `close`. */
  close(): void {
    // The package for Node 20 frees the locks of a connection only when its statements are
    // collected as garbage.
    this.#rollBack()
    this.#statements.clear()
    unlessDone(() => this.#database.close())
  }

  #rollBack(): void {
    unlessDone(() => this.#database.exec('ROLLBACK'))
  }
}

function commit(database: DatabaseSyncInstance): void {
  try {
    database.exec('COMMIT')
  } catch (error) {
    // If the disk was full, nothing was committed. After another fault, the change may or may not
    // be on disk.
    const isUnchanged = ['full', 'busy', undefined].includes(sqliteErrorKind(error))
    throw isUnchanged ? error : new UncertainCommit(describeSystemError(error), { cause: error })
  }
}

/** Some faults, such as a full disk, have already rolled back; or the connection is closed. */
function unlessDone(end: () => void): void {
  try {
    end()
  } catch (error) {
    if (sqliteErrorKind(error) === undefined && errorCode(error) !== 'ERR_INVALID_STATE')
      throw error
  }
}

/**
 * The package for Node 20 closes the file of a closed connection only when its statements are
 * collected as garbage. Resolves when SQLite has closed the files of all closed connections.
 */
export async function collectStatements(): Promise<void> {
  setFlagsFromString('--expose-gc')
  // Node has no other way to do it. The package closes what was collected in the next turn.
  runInNewContext('gc')()
  await nextTurn()
}
