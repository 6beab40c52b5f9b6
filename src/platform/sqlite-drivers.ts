import type Libsql from 'libsql'

/** Integers are int64, so they are always bigints; text is exact, a NUL included (see `exactText`). */
export type SqlValue = bigint | number | string | null

/** The functions that an SQLite library must provide. It hides all differences between libraries. */
export interface Driver {
  exec(sql: string): void
  /** Returns a function that runs the statement and returns all of its rows. */
  prepare(sql: string): (values: SqlValue[]) => DriverRow[]
  isInTransaction(): boolean
  close(): void
}

/** Bytes are Uint8Arrays or ArrayBuffers. A row may have any prototype. */
export type DriverRow = Readonly<Record<string, unknown>>

/** Opens or creates a file. An absolute path, or `:memory:`. */
export type Connect = (path: string) => Driver

/** SQLite's result code for an error of either library: https://www.sqlite.org/rescode.html */
export function resultCodeOf(error: unknown): number | undefined {
  const { rawCode, errcode } = error as { rawCode?: unknown; errcode?: unknown }
  const code = rawCode ?? errcode
  return typeof code === 'number' ? code : undefined
}

/** Node's own SQLite, if Node has it and prints no warning about it; otherwise libsql, whose native code can panic. */
export async function loadDriver(): Promise<Connect> {
  return loadNodeSqlite(process.versions.node) ?? (await loadLibsql())
}

/** The parts of `node:sqlite` that this program uses. The installed types are for Node 20, which does not have it. */
interface NodeSqlite {
  readonly DatabaseSync: new (path: string, options: { timeout: number; readBigInts: boolean }) => NodeDatabase
}

interface NodeDatabase {
  readonly isTransaction: boolean
  exec(sql: string): void
  prepare(sql: string): { all(...values: SqlValue[]): DriverRow[] }
  close(): void
}

/** Undefined if this Node lacks it (some are built without), or warns when it loads. */
export function loadNodeSqlite(version: string): Connect | undefined {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  // Tried: 24.14 and 25.6 warn, 24.15 and 25.7 do not.
  const isStable = major > 25 || (major === 25 && minor >= 7) || (major === 24 && minor >= 15)
  const sqlite = isStable ? (process.getBuiltinModule('node:sqlite') as NodeSqlite | undefined) : undefined
  if (sqlite === undefined) return undefined
  return (path) => {
    const connection = new sqlite.DatabaseSync(path, { timeout: 0, readBigInts: true })
    return {
      exec: (sql) => connection.exec(sql),
      prepare: (sql) => {
        const statement = connection.prepare(sql)
        return (values) => statement.all(...values)
      },
      isInTransaction: () => connection.isTransaction,
      close: () => connection.close(),
    }
  }
}

export async function loadLibsql(): Promise<Connect> {
  ignorePackagesInHome()
  const { default: Database } = await withLateChildProcess(() => withoutFirstReport(() => import('libsql')))
  return (path) => {
    const connection: Libsql.Database = new Database(path)
    connection.defaultSafeIntegers(true)
    connection.exec('PRAGMA busy_timeout = 0')
    return {
      exec: (sql) => connection.exec(sql),
      prepare: (sql) => {
        const statement = connection.prepare(sql)
        // Passed as an array, because libsql takes a single null for a set of named values.
        return (values) => statement.all(values) as DriverRow[]
      },
      isInTransaction: () => connection.inTransaction,
      close: () => connection.close(),
    }
  }
}

/**
 * Node also looks for packages in `$HOME/.node_modules`: there sudo, which may keep HOME, would make root run code of
 * another user.
 */
function ignorePackagesInHome(): void {
  const { HOME } = process.env
  if (HOME === undefined) return
  const modules = process.getBuiltinModule('node:module') as unknown as { _initPaths(): void }
  delete process.env.HOME
  modules._initPaths()
  process.env.HOME = HOME
}

/**
 * libsql finds out the C library from a report on the whole process, which takes 5 ms. Without that report, it reads
 * /usr/bin/ldd, and requests the report again only if that does not help.
 */
async function withoutFirstReport<Value>(load: () => Promise<Value>): Promise<Value> {
  const { report } = process
  const { getReport } = report
  const restore = () => {
    report.getReport = getReport
    return {}
  }
  report.getReport = restore
  try {
    return await load()
  } finally {
    restore()
  }
}

type LoadModule = (name: string, parent: { filename: string } | undefined, isMain: boolean) => unknown

/**
 * libsql loads `child_process`, and with it all of Node's network code, to ask other programs for the C library if all
 * else fails. Loaded only then, `pets list --env local` takes 3 ms of CPU time less on Node 20.
 */
async function withLateChildProcess<Value>(load: () => Promise<Value>): Promise<Value> {
  const modules = process.getBuiltinModule('node:module') as unknown as { _load: LoadModule }
  const { _load: loadModule } = modules
  const late = new Proxy({}, { get: (_, name) => Reflect.get(process.getBuiltinModule('node:child_process'), name) })
  modules._load = (name, parent, isMain) => {
    const isForCheck = name === 'child_process' && parent?.filename.includes('detect-libc')
    return isForCheck ? late : loadModule(name, parent, isMain)
  }
  try {
    return await load()
  } finally {
    modules._load = loadModule
  }
}
