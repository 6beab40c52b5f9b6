import { join } from 'node:path'
import { makePrivateFile } from '../system/private-file.ts'
import { Sqlite } from '../system/sqlite.ts'

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
/** The content comes before the path. */
const find = `SELECT journal FROM names WHERE service = ?
  AND (kind = 'content' AND name = ? OR kind = 'path' AND name = ?) ORDER BY kind LIMIT 1`
const claim = 'INSERT OR REPLACE INTO names VALUES (?, ?, ?, ?)'
const isKnown = `SELECT 1 FROM rejects WHERE sha256 = ?
  UNION ALL SELECT 1 FROM names WHERE kind = 'content' AND name = ?`

export type ImportNames = ReturnType<typeof openNames>

/**
 * Which journal has the rows of an import: each content and each path belongs to the import that
 * had it last. Apart from the journals, because those are locked while they are used.
 */
export function openNames(directory: string) {
  const file = join(directory, 'imports.db')
  makePrivateFile(file)
  const database = new Sqlite(file, { timeout: 5000 })
  database.transaction(() => database.exec(schema))
  const journalOf = ({ service, sha256, path = '' }: ImportIdentity) =>
    database.rows<{ journal: string }>(find, service, sha256, path)[0]?.journal
  return {
    /** The path of a file beside the names. */
    pathOf: (name: string) => join(directory, name),
    find: journalOf,
    /**
     * From now on, the journal has these names, unless another process has claimed them since
     * `found` was found: then it changes nothing, and returns the other journal.
     */
    claim: (identity: ImportIdentity, found: string | undefined, journal: string) =>
      database.transaction(() => {
        const other = journalOf(identity)
        if (other !== found) return other
        const { service, sha256, path } = identity
        database.run(claim, 'content', sha256, service, journal)
        if (path !== undefined) database.run(claim, 'path', path, service, journal)
        return undefined
      }),
    /** Whether this content was imported, or written as rejects. */
    knows: (sha256: string) => database.rows(isKnown, sha256, sha256).length > 0,
    /** A file of rejects that is written anew is another import: only its content continues one. */
    addRejects: (path: string, sha256: string) =>
      database.transaction(() => {
        database.run('INSERT OR IGNORE INTO rejects VALUES (?)', sha256)
        database.run("DELETE FROM names WHERE kind = 'path' AND name = ?", path)
      }),
    close: () => database.close()
  }
}
