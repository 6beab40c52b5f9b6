import { randomUUID } from 'node:crypto'
import { existsSync, rmSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { Readable } from 'node:stream'
import { Failure } from '../failure.ts'
import { type ImportFormat, unitOf } from './formats.ts'
import { type ImportInput, openInput } from './input.ts'
import { type Journal, journalInUse, openJournal } from './journal.ts'
import type { LineRange, Lines } from './line-ranges.ts'
import { type ImportNames, openNames } from './names.ts'
import { openRejects } from './rejects.ts'
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
  readonly resend?: Lines | undefined
  readonly accept?: Lines | undefined
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

/** What is closed at the end, the latest first. */
export type Closers = (() => void)[]

/** Reads the input once, and finds what earlier runs did with its rows. */
export async function prepare(
  options: ImportOptions,
  service: RowService | undefined,
  { signal }: Shutdown,
  closers: Closers
) {
  const input = await openInput({ ...options, signal })
  closers.push(input.close)
  if (service === undefined && options.rejects === undefined)
    return { input, rows: await countRows(input, options), ...noJournal, rejects: undefined }
  const directory = await options.makeDirectory()
  const names = openNames(directory)
  closers.push(names.close)
  const place = { names, directory }
  const { rejects: path } = options
  const rejects =
    path === undefined ? undefined : await openRejects(path, { ...place, input, signal })
  if (rejects !== undefined) closers.push(rejects.release)
  const found =
    service === undefined
      ? { rows: await countRows(input, options), ...noJournal }
      : await claimJournal(options, { ...place, input, service, closers })
  return { input, ...found, rejects }
}

const noJournal = { journal: undefined, before: undefined }

interface Place {
  readonly input: ImportInput
  readonly service: RowService
  readonly names: ImportNames
  readonly directory: string
  readonly closers: Closers
}

/** Finds or creates the journal. Until it is claimed, everything can be undone. */
async function claimJournal(options: ImportOptions, place: Place) {
  const { input, service, names, directory, closers } = place
  const { restart = false } = options
  const identity = { service: service.identity, ...input }
  const found = names.find(identity)
  const file = join(directory, found ?? `${randomUUID()}.db`)
  const isNew = !existsSync(file)
  if (found !== undefined && isNew && !restart) throw lost(file)
  const journal = openJournal(file)
  const discard = () => isNew && rmSync(file)
  closers.push(discard, journal.close)
  const rows = await countRows(input, options, journal)
  const before = journal.join()
  const { added } = before.all
  if (restart && added > 0) await options.confirmRestart(added)
  if (restart) journal.clear()
  settleRows(journal, options, unitOf(input.layout.format))
  // An input without rows begins no import.
  if (rows === 0) return { rows, ...noJournal }
  // A claim that fails may have been made: from here on the journal stays.
  closers.splice(closers.indexOf(discard), 1)
  const other = names.claim(identity, found, basename(file))
  if (other !== undefined) {
    closers.unshift(discard)
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

const everyLine: LineRange = [0, Number.MAX_SAFE_INTEGER]

/** Refuses a line that is not in doubt, or not any more, because another one was meant. */
function settleRows(
  journal: Journal,
  { resend = [], accept = [] }: ImportChoices,
  unit: string
): void {
  const requireDoubt = (lines: Lines) => {
    const wrong = lines === 'all' ? [] : lines.map(journal.settledLine)
    for (const line of wrong)
      if (line !== undefined) throw new Failure('usage', `${unit} ${line} is not in doubt`)
  }
  requireDoubt(accept)
  for (const range of accept === 'all' ? [everyLine] : accept) journal.accept(range)
  requireDoubt(resend)
}
