import { Failure } from '../failure.ts'
import { requireOwnFile, requireOwnLinks, requireWritable } from '../platform/file-access.ts'
import { lockPathOf, refuseLock } from '../platform/lock.ts'
import { requireSeparateFiles, type UsedFile } from '../platform/same-file.ts'
import { isJournal } from './journal-format.ts'
import type { ImportOptions } from './opening.ts'
import { keptPathOf, openRejects, type RejectsFile, requireWritableRejects } from './rejects.ts'

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
export function checkOutputFiles(options: ImportOptions, journal?: string): void {
  const { rejects, journal: typedJournal } = options
  requireSeparateFiles(outputsOf(rejects, journal), othersOf(options, journal))
  if (rejects !== undefined) checkRejects(rejects)
  if (typedJournal !== undefined) requireOwnFile(typedJournal)
  if (journal !== undefined) checkJournal(journal)
}

function outputsOf(rejects: string | undefined, journal: string | undefined): UsedFile[] {
  return usedFiles({
    '--rejects': rejects,
    'the former --rejects': rejects && keptPathOf(rejects),
    'the journal': journal,
  })
}

/** The descriptors. */
const [standardInput, standardOutput, standardError] = [0, 1, 2] as const

/** The files that no output may be. */
function othersOf(
  { path, protectedFiles }: ImportOptions,
  journal: string | undefined,
): UsedFile[] {
  const others = usedFiles({
    'the input': path === '-' ? standardInput : path,
    'standard output': standardOutput,
    'standard error': standardError,
    "the journal's lock": journal && lockPathOf(journal),
  })
  return [...others, ...protectedFiles]
}

function usedFiles(files: Readonly<Record<string, UsedFile['file'] | undefined>>): UsedFile[] {
  const used: UsedFile[] = []
  for (const [name, file] of Object.entries(files)) {
    if (file !== undefined) used.push({ name, file })
  }
  return used
}

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

/** Undefined without `--rejects`. */
export async function openRejectsOf(options: ImportOptions): Promise<RejectsFile | undefined> {
  const { rejects, interruption: signal, makeJournals, notice } = options
  if (rejects === undefined) return undefined
  checkOutputFiles(options)
  const journals = () => unlessFailed(makeJournals())
  return openRejects({ path: rejects, signal, journals, notice })
}

/** Undefined if there is no place for journals. */
async function unlessFailed(making: Promise<string>): Promise<string | undefined> {
  try {
    return await making
  } catch (error) {
    if (error instanceof Failure) return undefined
    throw error
  }
}
