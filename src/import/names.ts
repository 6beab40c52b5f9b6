import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { makePrivateFile } from '../platform/private-file.ts'
import { Sqlite } from '../platform/sqlite.ts'
import { journalFailure } from './journal-failure.ts'

/** What an import is known by. */
export interface ImportIdentity {
  /** The base URL, or the local database. */
  readonly service: string
  readonly sha256: string
  /** The real path; undefined for a pipe. */
  readonly path: string | undefined
}

const schema = `
  CREATE TABLE IF NOT EXISTS names (
    kind TEXT NOT NULL, name TEXT NOT NULL, service TEXT NOT NULL, journal TEXT NOT NULL,
    PRIMARY KEY (kind, name, service)) STRICT, WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS rejects (sha256 TEXT PRIMARY KEY) STRICT, WITHOUT ROWID`
const find = 'SELECT journal FROM names WHERE kind = ? AND name = ? AND service = ?'
const isKnownContent = `SELECT 1 FROM rejects WHERE sha256 = ?
  UNION ALL SELECT 1 FROM names WHERE kind = 'content' AND name = ?`

export type ImportNames = ReturnType<typeof openNames>

/**
 * Which journal has the rows of an import: each content and each path belongs to the import that
 * had it last. Apart from the journals, because those are locked while they are used.
 */
export function openNames(directory: string) {
  const path = join(directory, 'imports.db')
  const guarded = <Result>(work: () => Result): Result => {
    try {
      return work()
    } catch (error) {
      throw journalFailure(path, error)
    }
  }
  const database = guarded(() => {
    makePrivateFile(path)
    const opened = new Sqlite(path, { timeout: 5000 })
    opened.transaction(() => opened.exec(schema))
    return opened
  })
  const namesOf = ({ sha256, path: own }: ImportIdentity) =>
    own === undefined
      ? [['content', sha256]]
      : [
          ['content', sha256],
          ['path', own]
        ]
  const journalOf = (identity: ImportIdentity): string | undefined => {
    for (const [kind = '', name = ''] of namesOf(identity)) {
      const [found] = database.rows<{ journal: string }>(find, kind, name, identity.service)
      if (found !== undefined) return found.journal
    }
    return undefined
  }
  return {
    /** The content comes before the path. */
    find: (identity: ImportIdentity) => guarded(() => journalOf(identity)),
    newJournal: () => `${randomBytes(8).toString('hex')}.db`,
    /**
     * From now on, the journal has these names, unless another process has changed since what was
     * found for them: then it does nothing, and returns the other journal.
     */
    claim: (identity: ImportIdentity, found: string | undefined, journal: string) =>
      guarded(() =>
        database.transaction(() => {
          const other = journalOf(identity)
          if (other !== found) return other
          for (const [kind = '', name = ''] of namesOf(identity))
            database.run(
              'INSERT OR REPLACE INTO names VALUES (?, ?, ?, ?)',
              kind,
              name,
              identity.service,
              journal
            )
          return undefined
        })
      ),
    /** Whether this content was imported, or written as rejects. */
    knows: (sha256: string) =>
      guarded(() => database.rows(isKnownContent, sha256, sha256).length > 0),
    /** A file of rejects that is written anew is another import: only its content continues one. */
    addRejects: (file: string, sha256: string) =>
      guarded(() =>
        database.transaction(() => {
          database.run('INSERT OR IGNORE INTO rejects VALUES (?)', sha256)
          database.run("DELETE FROM names WHERE kind = 'path' AND name = ?", file)
        })
      ),
    close: () => database.close()
  }
}
