import { statSync } from 'node:fs'
import { inodeOf } from '../platform/same-file.ts'
import { type Sqlite, sqliteErrorKind } from '../platform/sqlite.ts'
import type { DatabaseFile } from './database-file.ts'
import { lostFailure, type RequireSame } from './database-watch.ts'

/** An open database, ready to be used. */
export interface OpenDatabase {
  readonly connection: Sqlite
  /** Throws if what the connection reads or writes is no longer what is at the path. */
  readonly requireSame: RequireSame
}

/** Prepares a new connection for its use, or closes it. */
export function prepared(connection: Sqlite, prepare: () => RequireSame): OpenDatabase {
  try {
    return { connection, requireSame: prepare() }
  } catch (error) {
    connection.close()
    throw error
  }
}

/**
 * The connection to a database, which can be replaced: after an unlock that fails, SQLite takes a
 * lock of its own for that of another program until the connection is closed.
 */
export class DatabaseConnection {
  readonly #file: DatabaseFile
  readonly #open: () => OpenDatabase
  #current: OpenDatabase | undefined
  /** The file that was opened first. */
  #inode: string | undefined
  #replacing: Promise<void> | undefined

  constructor(file: DatabaseFile, open: () => OpenDatabase) {
    this.#file = file
    this.#open = open
  }

  /** Opens the database if it is not open. */
  current(): OpenDatabase {
    this.#current ??= this.#openSame()
    return this.#current
  }

  /**
   * Does work that waits for a locked file as long as it is told to. If it waits in vain, it is done
   * once more, without a wait, on a new connection.
   */
  async use<Result>(
    milliseconds: number,
    work: (milliseconds: number) => Promise<Result>,
  ): Promise<Result> {
    try {
      return await work(milliseconds)
    } catch (error) {
      if (sqliteErrorKind(error) !== 'busy') throw error
      this.#replacing ??= this.#release()
      await this.#replacing
      return work(0)
    }
  }

  /** Closes the connection, if there is one, after a last use. */
  close(lastUse: ((database: OpenDatabase) => void) | undefined): void {
    const closed = this.#current
    this.#current = undefined
    if (closed === undefined) return
    lastUse?.(closed)
    closed.connection.close()
  }

  async #release(): Promise<void> {
    const released = this.#current?.connection
    this.#current = undefined
    await released?.release()
    this.#replacing = undefined
  }

  /** A file that took the place of the first one may be another database. */
  #openSame(): OpenDatabase {
    const { path } = this.#file
    if (this.#inode !== undefined && this.#inode !== inodeAt(path)) throw lostFailure(this.#file)
    const opened = this.#open()
    if (path !== ':memory:') this.#inode ??= inodeAt(path)
    return opened
  }
}

function inodeAt(path: string): string | undefined {
  const stats = statSync(path, { bigint: true, throwIfNoEntry: false })
  return stats && inodeOf(stats)
}
