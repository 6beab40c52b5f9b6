import { rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { Failure } from '../failure.ts'
import { type ImportFormat, unitOf } from './formats.ts'
import { type ImportInput, openInput } from './input.ts'
import { type Journal, openJournal, requireJournal } from './journal.ts'
import { journalInUse } from './journal-failure.ts'
import { type LineRange, rangesText } from './line-ranges.ts'
import { type ImportIdentity, type ImportNames, openNames } from './names.ts'
import { openRejects } from './rejects.ts'
import { isProblem, type RowResult, Tally } from './results.ts'
import type { RowService } from './row-request.ts'
import { readRows } from './rows.ts'
import { hashOf } from './rows-to-send.ts'
import { sendRows, stopped } from './send-rows.ts'
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
  /** The command that imports a large JSON array as lines. */
  readonly asLines: string | undefined
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
  const opened = new Opened()
  try {
    const prepared = await prepare(options, service, shutdown, opened)
    return importOf(options, service, shutdown, prepared, opened)
  } catch (error) {
    opened.close()
    throw error
  }
}

/** What has to be closed again, the latest first. */
class Opened {
  readonly #closers: (() => void)[] = []

  add<Resource>(resource: Resource, close: () => void): Resource {
    this.#closers.push(close)
    return resource
  }

  close(): void {
    for (const close of this.#closers.splice(0).reverse()) close()
  }
}

type Prepared = Awaited<ReturnType<typeof prepare>>

async function prepare(
  options: ImportOptions,
  service: RowService | undefined,
  { signal }: Shutdown,
  opened: Opened
) {
  const input = await openInput({ ...options, signal })
  opened.add(input, input.close)
  const { layout, path, sha256 } = input
  const needsNames = service !== undefined || options.rejects !== undefined
  const directory = needsNames ? await options.makeDirectory() : ''
  const names = needsNames ? openNames(directory) : undefined
  if (names !== undefined) opened.add(names, names.close)
  const rejects =
    names && options.rejects !== undefined
      ? await openRejects({
          path: options.rejects,
          input: options.path,
          layout,
          names,
          directory,
          signal
        })
      : undefined
  if (rejects !== undefined) opened.add(rejects, rejects.release)
  const unit = unitOf(layout.format)
  if (service === undefined || names === undefined) {
    const rows = await countRows(input, options, undefined)
    return { input, unit, rejects, rows, journal: undefined, before: undefined }
  }
  const identity = { service: service.identity, sha256, path }
  const claimed = await claimJournal({ options, input, identity, names, directory, unit, opened })
  return { input, unit, rejects, ...claimed }
}

interface Claim {
  readonly options: ImportOptions
  readonly input: ImportInput
  readonly identity: ImportIdentity
  readonly names: ImportNames
  readonly directory: string
  readonly unit: string
  readonly opened: Opened
}

/** Finds or creates the journal. Until it is claimed, everything can be undone. */
async function claimJournal({ options, input, identity, names, directory, unit, opened }: Claim) {
  const { restart = false } = options
  const found = names.find(identity)
  const path = (name: string) => join(directory, name)
  if (found !== undefined && !restart) requireJournal(path(found))
  const earlier = found === undefined ? undefined : openJournal(path(found))
  if (earlier !== undefined) opened.add(earlier, earlier.close)
  const rows = await countRows(input, options, earlier)
  const before = earlier && lookBack(earlier)
  if (earlier !== undefined && before !== undefined && restart) {
    if (before.all.added > 0) await options.confirmRestart(before.all.added)
    earlier.clear()
  }
  settleRows(earlier, options, unit)
  // An input without rows begins no import.
  if (rows === 0 && earlier === undefined) return { rows, journal: undefined, before: undefined }
  const name = found ?? names.newJournal()
  const journal = earlier ?? openJournal(path(name))
  if (earlier === undefined) opened.add(journal, journal.close)
  const other = names.claim(identity, found, name)
  if (other !== undefined) {
    opened.add(journal, () => found === undefined && rmSync(path(name), { force: true }))
    throw journalInUse(path(other))
  }
  journal.keep()
  return { rows, journal, before: restart ? undefined : before }
}

/** Counts and checks the rows, and joins them with what earlier runs recorded. */
async function countRows(
  input: ImportInput,
  options: ImportOptions,
  journal: Journal | undefined
): Promise<number> {
  let count = 0
  const { ignoreUnknown, asLines } = options
  const { name, layout } = input
  const isKnown = journal?.hasStates() === true
  for await (const rows of readRows(input.chunks(), { name, layout, ignoreUnknown, asLines })) {
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

/** Refuses a line that is not in doubt, because another one was meant. */
function settleRows(
  journal: Journal | undefined,
  { resend = [], accept = [] }: ImportChoices,
  unit: string
): void {
  const accepted = accept === 'all' ? [everyLine] : accept
  const named = [resend, accept].flatMap(lines => (lines === 'all' ? [] : lines))
  for (const [first, end] of named) {
    const wrong = journal === undefined ? first : journal.settledLine([first, end])
    if (wrong !== undefined) throw new Failure('usage', `${unit} ${wrong} is not in doubt`)
  }
  const isBoth = ([first, end]: LineRange) =>
    accepted.find(([start, stop]) => first <= stop && start <= end)
  const both = resend === 'all' ? (accept === 'all' ? everyLine : undefined) : resend.find(isBoth)
  if (both !== undefined)
    throw new Failure('usage', `--resend and --accept have the same lines: ${rangesText([both])}`)
  for (const range of accepted) journal?.accept(range)
}

function importOf(
  options: ImportOptions,
  service: RowService | undefined,
  shutdown: Shutdown,
  { input, unit, rejects, rows, journal, before }: Prepared,
  opened: Opened
) {
  const { layout, name, chunks } = input
  const { stopOnError = false, ignoreUnknown, asLines } = options
  const tally = new Tally()
  let firstProblem: RowResult | undefined
  let header: readonly string[] = []
  const onHeader = (cells: readonly string[]) => {
    header = cells
  }
  const stop = (reason: unknown) => {
    if (!(reason instanceof Failure)) throw reason
    shutdown.begin(reason)
  }
  return {
    input,
    unit,
    rows,
    before,
    tally,
    journal: journal?.path,
    isIdempotent: service?.endpoint.isIdempotent === true,
    /** Ends the import early: requests in flight finish, and their outcomes are recorded. */
    stop,
    /** Sends or checks the rows, shows their results, and writes the rejects. */
    async run(show: (results: readonly RowResult[]) => Promise<void>): Promise<void> {
      const batches = readRows(chunks(), { name, layout, ignoreUnknown, asLines, onHeader })
      const report = async (results: readonly RowResult[]) => {
        if (results.length === 0) return
        tally.add(results)
        firstProblem ??= results.find(isProblem)
        await rejects?.add(results, header).catch(stop)
        await show(results)
      }
      if (service !== undefined && journal !== undefined) {
        const isLocal = service.endpoint.environment === 'local'
        await sendRows({
          ...options,
          batches,
          journal,
          resend: options.resend ?? [],
          isIdempotent: service.endpoint.isIdempotent === true,
          keyLife: isLocal ? Number.POSITIVE_INFINITY : keyLifeSeconds,
          stopOnError,
          report,
          service,
          unit,
          shutdown
        }).catch(stop)
      } else {
        await checkRows(batches, stopOnError, report).catch(stop)
      }
      if (stopOnError && firstProblem !== undefined) stop(stopped(firstProblem, unit))
      await rejects?.close().catch(stop)
    },
    /** Why it ended before its last row. */
    get reason(): Failure | undefined {
      return shutdown.signal.reason
    },
    hasRejects: () => rejects?.hasRows() === true,
    close: () => opened.close()
  }
}

async function checkRows(
  batches: ReturnType<typeof readRows>,
  stopOnError: boolean,
  report: (results: readonly RowResult[]) => Promise<void>
): Promise<void> {
  for await (const rows of batches) {
    const results = rows.map(
      (row): RowResult =>
        'body' in row
          ? { row, outcome: 'valid' }
          : { row, outcome: 'invalid', message: row.problem }
    )
    const first = stopOnError ? results.findIndex(isProblem) : -1
    await report(first < 0 ? results : results.slice(0, first + 1))
    if (first >= 0) return
  }
}
