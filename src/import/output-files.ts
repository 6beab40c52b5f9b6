import { Failure } from '../failure.ts'
import { requireOwnFile, requireOwnLinks, requireWritable } from '../platform/file-access.ts'
import { lockPathOf, refuseLock } from '../platform/lock.ts'
import { requireSeparateFiles, type UsedFile } from '../platform/same-file.ts'
import { isJournal } from './journal-format.ts'
import { keptPathOf, requireWritableRejects } from './rejects.ts'

export interface ImportFiles {
  /** The file; `-` for standard input. */
  readonly path: string
  readonly rejects?: string | undefined
  /** The journal's path; by default, the content of the input and the service decide. */
  readonly journal?: string | undefined
  /** Files that neither the rejects nor the journal may overwrite. */
  readonly protectedFiles: readonly UsedFile[]
}

/**
 * Refuses rejects and a journal that may not be written, each time before one of them is opened:
 *
 * - at the start, with the journal that was typed, so that a wrong path is refused before a long
 *   input is read;
 * - before the journal is opened, whose path by default depends on the content of the input;
 * - before the rejects are opened, without the journal: it exists by now, and is recognized by its
 *   content.
 *
 * Time has passed between them, and the files may be others.
 */
export function checkOutputFiles(options: ImportFiles, journalToCheck?: string): void {
  const { path, rejects, journal, protectedFiles } = options
  requireSeparateFiles(
    [
      { name: '--rejects', file: rejects },
      { name: 'the former --rejects', file: rejects && keptPathOf(rejects) },
      { name: 'the journal', file: journalToCheck }
    ],
    [
      { name: 'the input', file: path === '-' ? standardInput : path },
      { name: 'standard output', file: standardOutput },
      { name: 'standard error', file: standardError },
      { name: "the journal's lock", file: journalToCheck && lockPathOf(journalToCheck) },
      ...protectedFiles
    ]
  )
  if (rejects !== undefined) checkRejects(rejects)
  if (journal !== undefined) requireOwnFile(journal)
  if (journalToCheck !== undefined) checkJournal(journalToCheck)
}

/** The descriptors. */
const [standardInput, standardOutput, standardError] = [0, 1, 2] as const

function checkRejects(path: string): void {
  refuseLock(path)
  if (isJournal(path)) throw new Failure('usage', `${path} is the journal of an import`)
  requireWritableRejects(path)
  requireWritable(keptPathOf(path))
}

function checkJournal(path: string): void {
  refuseLock(path)
  requireOwnLinks(path)
  requireWritable(path)
}
