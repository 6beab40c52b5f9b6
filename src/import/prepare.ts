import { randomUUID } from 'node:crypto'
import { existsSync, rmSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { Readable } from 'node:stream'
import { Failure } from '../failure.ts'
import { type ImportFormat, unitOf } from './formats.ts'
import { type ImportInput, openInput } from './input.ts'
import { type Before, type Journal, journalInUse, openJournal } from './journal.ts'
import { type LineRange, rangeText } from './line-ranges.ts'
import { openNames } from './names.ts'
import { type Opening, openRejects, type Rejects } from './rejects.ts'
import type { RowService } from './row-request.ts'
import { readRows } from './rows.ts'
import { hashOf } from './rows-to-send.ts'
import type { Shutdown } from './shutdown.ts'

/** What the command line asks for. */
export interface ImportChoices {
  readonly format?: ImportFormat | undefined
  readonly concurrency: number
  readonly rejects?: string | undefined
  readonly ignoreUnknown?: boolean | undefined
  readonly stopOnError?: boolean | undefined
  readonly restart?: boolean | undefined
  /** The lines in doubt that are sent again, and those that count as added from now on. */
  readonly resend?: readonly LineRange[] | undefined
  readonly accept?: readonly LineRange[] | undefined
}

export interface ImportOptions extends ImportChoices {
  readonly path: string
  readonly stdin: Readable
  readonly interruption: AbortSignal
  readonly now: () => Date
  readonly retries: number
  /** Creates the directory of the journals, and returns it. */
  readonly makeDirectory: () => Promise<string>
  /** Tells the user something; the code is for programs. */
  readonly notice: (code: string, message: string) => Promise<void>
  /** Throws if so many rows must not be added again. */
  readonly confirmRestart: (added: number) => Promise<void>
  /** Undefined if the rows are only checked. The signal aborts requests in flight. */
  readonly connect?: (signal: AbortSignal) => Promise<RowService>
}

interface Prepared {
  readonly input: ImportInput
  readonly rows: number
  readonly rejects?: Rejects | undefined
  /** Undefined if nothing is sent. */
  readonly journal?: Journal
  /** What earlier runs did. */
  readonly before?: Before | undefined
}

/** Reads the input once, and finds what earlier runs did with its rows. */
export async function prepare(
  options: ImportOptions,
  service: RowService | undefined,
  shutdown: Shutdown
): Promise<Prepared> {
  const input = await openInput({ ...options, signal: shutdown.signal })
  shutdown.closers.push(input.close)
  const { rejects: path } = options
  if (service === undefined && path === undefined)
    return { input, rows: await countRows(input, options) }
  const directory = await options.makeDirectory()
  const names = openNames(directory)
  shutdown.closers.push(names.close)
  const opening = { input, names, directory, shutdown }
  const rejects = path === undefined ? undefined : await openRejects(path, opening)
  if (service === undefined) return { input, rejects, rows: await countRows(input, options) }
  return { input, rejects, ...(await claimJournal(options, service, opening)) }
}

/** Finds or creates the journal. Until it is claimed, everything can be undone. */
async function claimJournal(options: ImportOptions, service: RowService, opening: Opening) {
  const { input, names, directory, shutdown } = opening
  const { restart = false } = options
  const identity = { service: service.identity, ...input }
  const found = names.find(identity)
  const file = join(directory, found ?? `${randomUUID()}.db`)
  const isNew = !existsSync(file)
  if (found !== undefined && isNew && !restart) throw lost(file)
  const journal = openJournal(file)
  let isDiscarded = isNew
  shutdown.closers.push(() => isDiscarded && rmSync(file), journal.close)
  const rows = await countRows(input, options, journal)
  const before = journal.join()
  const { added } = before.all
  if (restart && added > 0) await options.confirmRestart(added)
  if (restart) journal.clear()
  settleRows(journal, options, unitOf(input.layout.format))
  // An input without rows begins no import.
  if (rows === 0) return { rows }
  // A claim that fails may have been made.
  isDiscarded = false
  const other = names.claim(identity, found, basename(file))
  if (other !== undefined) {
    isDiscarded = isNew
    throw journalInUse(join(directory, other))
  }
  journal.keep()
  return { rows, journal, before: restart ? undefined : before }
}

/** A journal that an import had, and that is gone, says nothing about its rows. */
function lost(journal: string): Failure {
  const problem = `the journal ${journal} was deleted, so which rows were added is not known`
  return new Failure('local', `${problem}; --restart adds every row`)
}

/** Counts and checks the rows, and joins them with what earlier runs recorded. */
async function countRows(
  input: ImportInput,
  options: ImportOptions,
  journal?: Journal
): Promise<number> {
  let count = 0
  const isKnown = journal?.hasStates() === true
  for await (const rows of readRows(input.chunks(), { ...options, ...input })) {
    count += rows.length
    if (!isKnown) continue
    for (const row of rows) if ('body' in row) journal?.addInput(row.line, hashOf(row.body))
  }
  return count
}

/** Refuses a line that is not in doubt, or not any more, because another one was meant. */
function settleRows(
  journal: Journal,
  { resend = [], accept = [] }: ImportChoices,
  unit: string
): void {
  const requireDoubt = (lines: readonly LineRange[]) => {
    const wrong = lines.find(range => !journal.isInDoubt(range))
    if (wrong === undefined) return
    throw new Failure('usage', `${unit} ${rangeText(wrong)} is not in doubt`)
  }
  requireDoubt(accept)
  accept.forEach(journal.accept)
  requireDoubt(resend)
}
