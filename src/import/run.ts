import { existsSync, rmSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { Readable } from 'node:stream'
import { Failure } from '../failure.ts'
import { describeSystemError, systemFailure } from '../platform/errno.ts'
import { sqliteErrorKind } from '../platform/sqlite.ts'
import { type ImportFormat, unitOf } from './formats.ts'
import { type ImportInput, openInput } from './input.ts'
import { type Journal, journalInUse, openJournal } from './journal.ts'
import type { LineRange } from './line-ranges.ts'
import { type ImportNames, openNames } from './names.ts'
import { openRejects } from './rejects.ts'
import { isProblem, type RowResult, Tally } from './results.ts'
import type { ImportRow } from './row.ts'
import type { RowService } from './row-request.ts'
import { readRows } from './rows.ts'
import { hashOf } from './rows-to-send.ts'
import { type SendOptions, sendRows, stopped } from './send-rows.ts'
import { Shutdown } from './shutdown.ts'

/** What the command line asks for. */
export interface ImportChoices {
  readonly format?: ImportFormat | undefined
  readonly concurrency: number
  readonly rejects?: string | undefined
  readonly ignoreUnknown?: boolean | undefined
  readonly stopOnError?: boolean | undefined
  readonly restart?: boolean | undefined
  /** The lines in doubt that are sent again, and those that count as added from now on. */
  readonly resend?: 'all' | readonly LineRange[] | undefined
  readonly accept?: 'all' | readonly LineRange[] | undefined
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

/** What earlier runs did. */
interface Before {
  readonly added: number
  /** Rows that were added or are in doubt, and are not in the input any more. */
  readonly missing: { readonly added: number; readonly doubtful: number }
  /** When a row was last sent. */
  readonly last: Date
}

const keyLifeSeconds = 24 * 60 * 60

export type Import = Awaited<ReturnType<typeof openImport>>

/** Prepares to check every row, or to send those that no earlier run has added. */
export async function openImport(options: ImportOptions) {
  const shutdown = new Shutdown(options.interruption)
  const service = await options.connect?.(shutdown.cutOff)
  /** What is closed at the end, the latest first. */
  const closers: (() => void)[] = []
  const close = () => {
    try {
      for (const closeOne of closers.splice(0).reverse()) closeOne()
    } catch (error) {
      throw journalFailure(error)
    }
  }
  try {
    const prepared = await prepare(options, service, shutdown, closers)
    return importOf(options, service, shutdown, { ...prepared, close })
  } catch (error) {
    close()
    throw journalFailure(error)
  }
}

type Closers = (() => void)[]
type Prepared = Awaited<ReturnType<typeof prepare>> & { readonly close: () => void }

async function prepare(
  options: ImportOptions,
  service: RowService | undefined,
  { signal }: Shutdown,
  closers: Closers
) {
  const input = await openInput({ ...options, signal })
  closers.push(input.close)
  if (service === undefined && options.rejects === undefined)
    return { input, rows: await countRows(input, options), ...unknown }
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
      ? { rows: await countRows(input, options), ...unknown }
      : await claimJournal(options, { ...place, input, service, closers })
  return { input, ...found, rejects }
}

const unknown = { journal: undefined, before: undefined, rejects: undefined }

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
  const file = join(directory, found ?? names.newJournal())
  const isNew = !existsSync(file)
  if (found !== undefined && isNew && !restart) throw lost(file)
  const journal = openJournal(file)
  const discard = () => isNew && rmSync(file)
  closers.push(discard, journal.close)
  const rows = await countRows(input, options, journal)
  const { all, ...before } = lookBack(journal)
  if (restart && all.added > 0) await options.confirmRestart(all.added)
  if (restart) journal.clear()
  settleRows(journal, options, unitOf(input.layout.format))
  // An input without rows begins no import.
  if (rows === 0) return { rows, ...unknown }
  const other = names.claim(identity, found, basename(file))
  if (other !== undefined) throw journalInUse(join(directory, other))
  closers.splice(closers.indexOf(discard), 1)
  journal.keep()
  return { rows, journal, before: restart ? undefined : before }
}

/** A journal that an import had, and that is gone, says nothing about its rows. */
function lost(journal: string): Failure {
  const problem = `the journal ${journal} was deleted, so which rows were added is not known`
  return new Failure('local', `${problem}; --restart adds every row`)
}

function journalFailure(error: unknown): unknown {
  const problem = 'the journal cannot be read or written'
  if (sqliteErrorKind(error) === undefined) return systemFailure(error, 'local', problem)
  return new Failure('local', `${problem}: ${describeSystemError(error)}`, { cause: error })
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

function lookBack(journal: Journal): Before & { readonly all: { readonly added: number } } {
  const { all, known } = journal.join()
  return {
    all,
    added: known.added,
    missing: { added: all.added - known.added, doubtful: all.doubtful - known.doubtful },
    last: new Date(journal.lastSent() * 1000)
  }
}

const everyLine: LineRange = [0, Number.MAX_SAFE_INTEGER]

/** Refuses a line that is not in doubt, or not any more, because another one was meant. */
function settleRows(
  journal: Journal,
  { resend = [], accept = [] }: ImportChoices,
  unit: string
): void {
  const requireDoubt = (lines: typeof resend) => {
    const wrong = lines === 'all' ? [] : lines.map(journal.settledLine)
    for (const line of wrong)
      if (line !== undefined) throw new Failure('usage', `${unit} ${line} is not in doubt`)
  }
  requireDoubt(accept)
  for (const range of accept === 'all' ? [everyLine] : accept) journal.accept(range)
  requireDoubt(resend)
}

function importOf(
  options: ImportOptions,
  service: RowService | undefined,
  shutdown: Shutdown,
  { input, rejects, rows, journal, before, close }: Prepared
) {
  const { layout } = input
  const { stopOnError = false } = options
  const unit = unitOf(layout.format)
  const tally = new Tally()
  let firstProblem: RowResult | undefined
  let header: readonly string[] = []
  const onHeader = (cells: readonly string[]) => {
    header = cells
  }
  const stop = (error: unknown) => {
    const reason = journalFailure(error)
    if (!(reason instanceof Failure)) throw reason
    shutdown.begin(reason)
  }
  const report = async (results: RowResults, show: (results: RowResults) => Promise<void>) => {
    tally.add(results)
    firstProblem ??= results.find(isProblem)
    if (rejects !== undefined) await rejects.add(results, header).catch(stop)
    await show(results)
  }
  const isIdempotent = service?.endpoint.isIdempotent === true
  const keyLife = service?.endpoint.environment === 'local' ? Infinity : keyLifeSeconds
  return {
    input,
    unit,
    rows,
    before,
    tally,
    journal: journal?.path,
    isIdempotent,
    /** Ends the import early: requests in flight finish, and their outcomes are recorded. */
    stop,
    /** Sends or checks the rows, shows their results, and writes the rejects. */
    async run(show: (results: RowResults) => Promise<void>): Promise<void> {
      const shared = {
        batches: readRows(input.chunks(), { ...options, ...input, onHeader }),
        stopOnError,
        report: (results: RowResults) => report(results, show)
      }
      const sent = { ...options, ...shared, isIdempotent, keyLife, unit, shutdown, stop }
      const work =
        service === undefined || journal === undefined
          ? checkRows(shared)
          : sendRows({ ...sent, resend: options.resend ?? [], journal, service })
      await work.catch(stop)
      if (stopOnError && firstProblem !== undefined) stop(stopped(firstProblem, unit))
      if (rejects !== undefined) await rejects.close().catch(stop)
    },
    /** Why it ended before its last row. */
    get reason(): Failure | undefined {
      return shutdown.signal.reason
    },
    hasRejects: () => rejects?.hasRows() === true,
    close
  }
}

type RowResults = readonly RowResult[]
type CheckOptions = Pick<SendOptions, 'batches' | 'stopOnError' | 'report'>

async function checkRows({ batches, stopOnError, report }: CheckOptions): Promise<void> {
  for await (const rows of batches) {
    const results = rows.map(resultOf)
    const first = stopOnError ? results.findIndex(isProblem) : -1
    await report(first < 0 ? results : results.slice(0, first + 1))
    if (first >= 0) return
  }
}

function resultOf(row: ImportRow): RowResult {
  if ('body' in row) return { row, outcome: 'valid' }
  return { row, outcome: 'invalid', message: row.problem }
}
