import { createHash } from 'node:crypto'
import { existsSync, readdirSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { Failure } from '../failure.ts'
import { grouped } from '../model/quantities.ts'
import { placeFailure } from '../platform/errno.ts'
import { makePrivateFile } from '../platform/private-file.ts'
import { Sqlite, sqliteErrorKind } from '../platform/sqlite.ts'
import { createGroupCommit } from '../service/group-commit.ts'
import type { InputContent } from './input.ts'

/** The import that a journal belongs to. */
export interface JournalHead {
  /** The real path of the input; undefined if it has none. */
  readonly path: string | undefined
  readonly content: InputContent
  /** The base URL, or the local database. */
  readonly service: string
}

/** A row that was `sent`, without a later state, is doubtful. */
export type RowState = 'sent' | 'added' | 'free' | 'doubtful'

const schema = `
  CREATE TABLE IF NOT EXISTS rows (number INTEGER PRIMARY KEY, state TEXT NOT NULL, pet INTEGER) STRICT;
  CREATE TABLE IF NOT EXISTS import (sha256 TEXT NOT NULL, service TEXT NOT NULL, rows INTEGER NOT NULL) STRICT`
const record = 'INSERT OR REPLACE INTO rows VALUES (?, ?, ?)'

export type Journal = ReturnType<typeof openJournal>

/** Opens the journal of an import for this process alone; it resumes what an earlier run recorded. */
export function openJournal(path: string, { content, service }: JournalHead, isRestart: boolean) {
  const states = new Map<number, RowState>()
  let sqlite: Sqlite | undefined
  try {
    makePrivateFile(path)
    const lastWrite = statSync(path).mtime
    const database = new Sqlite(path)
    sqlite = database
    // Held until the end of the process, however that ends.
    database.exec('PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; BEGIN IMMEDIATE')
    database.exec(schema)
    if (isRestart) database.exec('DELETE FROM rows; DELETE FROM import')
    const [head] = database.rows<{ sha256: string; service: string }>('SELECT * FROM import')
    if (head === undefined)
      database.rows('INSERT INTO import VALUES (?, ?, ?)', content.sha256, service, content.rows)
    else if (head.sha256 !== content.sha256 || head.service !== service)
      throw new Failure('usage', `the journal ${path} belongs to another import`)
    database.exec('COMMIT; PRAGMA synchronous = FULL')
    for (const { number, state } of database.rows<{ number: bigint; state: RowState }>(
      'SELECT number, state FROM rows'
    ))
      states.set(Number(number), state)
    const commit = createGroupCommit(work => database.transaction(() => work(database)))
    return {
      path,
      lastWrite,
      stateOf: (number: number) => states.get(number),
      count: (...wanted: RowState[]) =>
        [...states.values()].filter(state => wanted.includes(state)).length,
      /** Resolves when the state is on disk. */
      record: async (number: number, state: RowState, pet?: bigint) => {
        await commit(() => database.rows(record, number, state, pet ?? null)).catch(error => {
          throw journalFailure(path, error)
        })
        states.set(number, state)
      },
      /** A journal that was deleted meanwhile cannot be resumed. */
      isLost: () => !existsSync(path),
      close: () => database.close()
    }
  } catch (error) {
    sqlite?.close()
    throw journalFailure(path, error)
  }
}

export function journalFailure(path: string, error: unknown): unknown {
  const kind = sqliteErrorKind(error)
  if (kind === 'busy')
    return new Failure('local', `another petstore process is using the journal ${path}`, {
      isRetryable: true
    })
  const problem = `the journal ${path} cannot be read or written`
  if (kind === undefined) return placeFailure(error, dirname(path), problem)
  return new Failure('local', `${problem}: ${(error as Error).message}`, { cause: error })
}

const digest = (...words: string[]) =>
  createHash('sha256').update(words.join('\n')).digest('hex').slice(0, 16)

/**
 * The content and the service decide which journal an import has. The path is part of the name too:
 * a file that has changed since an unfinished import of it is refused, because its rows would be
 * added again.
 */
export function journalPathFor(directory: string, head: JournalHead, isRestart: boolean): string {
  const { path, content, service } = head
  const names = readdirSync(directory).filter(name => name.endsWith('.db'))
  const key = digest(content.sha256, service)
  const known = names.find(name => name.startsWith(`${key}.`))
  const ofPath = digest(path ?? '', service)
  if (known !== undefined || path === undefined || isRestart)
    return join(directory, known ?? `${key}.${ofPath}.db`)
  for (const name of names.filter(other => other.endsWith(`.${ofPath}.db`))) {
    const other = new Sqlite(join(directory, name), { readOnly: true })
    const count = `SELECT (SELECT rows FROM import) AS rows, count(*) FILTER (WHERE state = 'added') AS added, count(*) AS sent FROM rows`
    const [{ rows = 0n, added = 0n, sent = 0n } = {}] = other.rows<Record<string, bigint>>(count)
    other.close()
    if (added === rows || sent === 0n) continue
    const progress = `${grouped(Number(added))} of ${grouped(Number(rows))} rows added`
    throw new Failure(
      'usage',
      `${path} has changed since an unfinished import of it (${progress}): put corrected rows into a file of their own`,
      { hint: 'petstore help import' }
    )
  }
  return join(directory, `${key}.${ofPath}.db`)
}
