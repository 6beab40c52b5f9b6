import { fstatSync } from 'node:fs'
import { Failure } from '../failure.ts'
import { systemErrorCode } from './errno.ts'
import { bytesOf, requireOnlyName, requireOwnFile, withFile } from './file-access.ts'
import { pathCommand } from './shell.ts'

/** SQLite keeps parts of a database in files beside it. */
export const filesBeside = (database: string): string[] =>
  ['-journal', '-wal', '-shm'].map(suffix => `${database}${suffix}`)

/**
 * Refuses a database of another user before SQLite opens it: SQLite obeys what is written in all of
 * its files. The path must not be a link.
 */
export function requireOwnDatabase(path: string): void {
  requireOwnFile(path)
  for (const file of filesBeside(path)) {
    requireOwnFile(file)
    // SQLite writes it without asking what it is.
    requireOnlyName(file)
  }
  const journal = `${path}-journal`
  if (!namesSuperJournal(journal)) return
  const problem = 'names another file, which SQLite would delete; it was not opened'
  throw new Failure('local', `${journal} ${problem}`, {
    hint: pathCommand('ls -l', journal)
  })
}

/** A journal begins with these bytes, and ends with them if it names a super-journal. */
const journalMagic = Buffer.from('d9d505f920a163d7', 'hex')

/** The checksum, the lengths and the magic behind the name. */
const shortestEnd = 16

/**
 * Whether a journal belongs to a change of several databases, which this program never makes: then
 * it names a file that SQLite deletes. https://www.sqlite.org/fileformat.html#the_rollback_journal
 */
function namesSuperJournal(journal: string): boolean {
  try {
    return withFile(journal, file => {
      const { size } = fstatSync(file)
      if (size < shortestEnd) return false
      const { length } = journalMagic
      return bytesOf(file, length, size - length).equals(journalMagic)
    })
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') return false
    throw error
  }
}
