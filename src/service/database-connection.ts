import { statSync } from 'node:fs'
import { inodeOf } from '../platform/same-file.ts'
import { type Sqlite, sqliteErrorKind } from '../platform/sqlite.ts'
import type { DatabaseFile } from './database-file.ts'
import { lostFailure, type RequireSame } from './database-watch.ts'

/** A new connection, which has to be prepared before its use. */
export interface NewConnection {
  readonly connection: Sqlite
  /** Can be repeated while another program has locked the file. */
  prepare(): RequireSame
}

/** An open database, ready to be used. */
export interface OpenDatabase {
  readonly connection: Sqlite
  /** Throws if what the connection reads or writes is no longer what is at the path. */
  readonly requireSame: RequireSame
}

/**
 * The connection to a database, which can be replaced: after an unlock that fails, SQLite takes a
 * lock of its own for that of another program until the connection is closed.
 */
export class DatabaseConnection {
  readonly #file: DatabaseFile
  readonly #open: () => NewConnection
  #opened: NewConnection | undefined
  /** The same, when it is prepared. */
  #current: OpenDatabase | undefined
  /** The file that was opened first. */
  #inode: string | undefined
  #replacing: Promise<void> | undefined

  constructor(file: DatabaseFile, open: () => NewConnection) {
    this.#file = file
    this.#open = open
  }

  /** Opens the database if it is not open, and prepares it. */
  current(): OpenDatabase {
    if (this.#current !== undefined) return this.#current
    this.#opened ??= this.#openSame()
    const { connection } = this.#opened
    this.#current = { connection, requireSame: this.#opened.prepare() }
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

  /** Closes the connection, if there is one; if it was prepared, after a last use. */
  close(lastUse?: (database: OpenDatabase) => void): void {
    if (this.#current !== undefined) lastUse?.(this.#current)
    this.#forget()?.close()
  }

  async #release(): Promise<void> {
    await this.#forget()?.release()
    this.#replacing = undefined
  }

  #forget(): Sqlite | undefined {
    const forgotten = this.#opened?.connection
    this.#opened = undefined
    this.#current = undefined
    return forgotten
  }

  /** A file that took the place of the first one may be another database. */
  #openSame(): NewConnection {
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
