import type { Readable } from 'node:stream'
import { Failure } from '../failure.ts'
import { requireOwnLinks, requireWritable } from '../platform/file-access.ts'
import { lockPathOf, refuseLock } from '../platform/lock.ts'
import { requireSeparateFiles, type UsedFile } from '../platform/same-file.ts'
import type { ImportFormat } from './format.ts'
import { type Input, openInput } from './input.ts'
import type { Journal } from './journal.ts'
import { isJournal } from './journal-format.ts'
import { forgetImportsOf } from './journals-directory.ts'
import { openRejects, type RejectsFile, requireWritableRejects } from './rejects.ts'
import type { ImportBatch, RowResult } from './results.ts'
import { type ImportRow, type RowReader, readRows } from './rows.ts'
import { createShutdown, type Shutdown } from './shutdown.ts'

/** The user's options, and the parts of the program that every import needs. */
export interface ImportOptions {
  /** The file; `-` for standard input. */
  readonly path: string
  readonly format?: ImportFormat | undefined
  readonly rejects?: string | undefined
  readonly stopOnError?: boolean | undefined
  readonly stdin: Readable
  readonly interruption: AbortSignal
  /** Files that neither the rejects nor the journal may overwrite. */
  readonly protectedFiles: readonly UsedFile[]
  /** Where the journals are, if there is a place for them; it need not exist. */
  readonly journals: string | undefined
}

/** An import that is ready to run. */
export interface Import {
  readonly input: Pick<Input, 'content' | 'format'>
  /** Undefined if nothing is sent. */
  readonly journal?: Pick<Journal, 'path' | 'lastWrite' | 'states'>
  /**
   * Yields the results of all rows. If the import ends early, it throws the reason after the last
   * result.
   */
  readonly batches: AsyncGenerator<ImportBatch>
  /**
   * The format of the rejects, known at its end; undefined if there are none, or if they are kept
   * nowhere.
   */
  rejectsFormat?(): ImportFormat | undefined
  /** Whether the same command can continue the import; known at its end. */
  isResumable?(): boolean
  /** Ends the import early: requests in flight finish, and their outcomes are recorded. */
  stop(reason: Failure): void
}

/** Lets `use` check every row. Nothing is sent. */
export async function checkImport<Result>(
  options: ImportOptions,
  use: (run: Import) => Promise<Result>,
): Promise<Result> {
  checkOutputs(options)
  const shutdown = createShutdown(options.interruption)
  const { signal } = shutdown
  return using(openInput({ ...options, signal }), async (input) => {
    const reader = readRows(input.chunks(signal), {
      name: input.name,
      format: input.format,
      signal,
    })
    const rejectsFile = await openRejectsOf(options)
    const batches = finish(checkRows(reader.batches, options.stopOnError), {
      reader,
      rejectsFile,
      shutdown,
    })
    return use({ input, batches, stop: shutdown.begin })
  })
}

/** Opens a part of an import, and closes it after its use. */
export async function using<Part extends { close(): Promise<void> }, Result>(
  opening: Promise<Part>,
  use: (part: Part) => Promise<Result>,
): Promise<Result> {
  const part = await opening
  return use(part).finally(part.close)
}

export async function openRejectsOf(options: ImportOptions): Promise<RejectsFile | undefined> {
  const { rejects, interruption: signal, journals } = options
  if (rejects === undefined) return undefined
  const file = await openRejects({ path: rejects, signal })
  if (file.keepsRows && journals !== undefined) forgetImportsOf(rejects, journals)
  return file
}

/** Refuses outputs that may not be written, before anything is written. */
export function checkOutputs(
  { path, rejects, protectedFiles }: ImportOptions,
  journal?: string,
): void {
  const outputs: UsedFile[] = []
  const others: UsedFile[] = [
    { name: 'the input', file: path === '-' ? standardInput : path },
    ...protectedFiles,
  ]
  if (rejects !== undefined) {
    outputs.push({ name: '--rejects', file: rejects })
    others.push(
      { name: 'standard output', file: standardOutput },
      { name: 'standard error', file: standardError },
    )
  }
  if (journal !== undefined) {
    outputs.push({ name: 'the journal', file: journal })
    others.push({ name: "the journal's lock", file: lockPathOf(journal) })
  }
  requireSeparateFiles(outputs, others)
  for (const file of [rejects, journal]) if (file !== undefined) refuseLock(file)
  if (rejects !== undefined && isJournal(rejects))
    throw new Failure('usage', `${rejects} is the journal of an import`)
  if (rejects !== undefined) requireWritableRejects(rejects)
  if (journal === undefined) return
  requireOwnLinks(journal)
  requireWritable(journal)
}

/** The descriptors. */
const [standardInput, standardOutput, standardError] = [0, 1, 2] as const

async function* checkRows(
  batches: AsyncIterable<readonly ImportRow[]>,
  stopOnError = false,
): AsyncGenerator<ImportBatch> {
  for await (const rows of batches) {
    const results = rows.map(
      (row): RowResult =>
        'pet' in row
          ? { row, outcome: 'valid' }
          : { row, outcome: 'invalid', message: row.problem },
    )
    const error = stopOnError ? results.findIndex(({ outcome }) => outcome === 'invalid') : -1
    yield { results: error === -1 ? results : results.slice(0, error + 1) }
    if (error !== -1) return
  }
}

interface FinishOptions {
  readonly reader: RowReader
  readonly rejectsFile: RejectsFile | undefined
  readonly shutdown: Shutdown
  /**
   * Checks after the last row whether the import can still be resumed; if not, this failure comes
   * first.
   */
  readonly verify?: () => Promise<unknown>
}

/** Writes the rejects, and throws at the end if the import did not reach its last row. */
export async function* finish(
  batches: AsyncGenerator<ImportBatch>,
  { reader, rejectsFile, shutdown, verify }: FinishOptions,
): AsyncGenerator<ImportBatch> {
  try {
    for await (const batch of batches) {
      await rejectsFile?.add(batch.results, reader.layout()).catch(shutdown.begin)
      yield batch
    }
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    shutdown.begin(error)
  }
  await rejectsFile?.close().catch(shutdown.begin)
  const lost = await verify?.()
  const reason = shutdown.reason()
  if (lost instanceof Failure && reason?.code !== 'interrupted') throw lost
  if (reason !== undefined) throw reason
}
