import type { Context } from '../../../context.ts'
import { Failure } from '../../../failure.ts'
import type { Import } from '../../../import/opening.ts'
import {
  type Counts,
  type ImportPause,
  type RowResult,
  resultColumns,
  Tally,
} from '../../../import/results.ts'
import { describeProblems } from '../../../import/summary.ts'
import { duration, plural } from '../../../model/quantities.ts'
import type { SummaryPlace } from '../../../output/reporter.ts'
import type { RowStream } from '../../../output/row-stream.ts'
import type { Row } from '../../../output/view.ts'
import { orAborted, pause } from '../../../platform/promises.ts'

/** How long stdout may take for its remaining data after Ctrl-C. */
const printingMilliseconds = 150

/** The results of a run, and the reason if it ended before its last row. */
export interface ImportReport {
  readonly run: Import
  readonly tally: Tally
  readonly reason: Failure | undefined
  /** Whether the reason is that the results cannot be printed. */
  readonly isUnprinted: boolean
}

/** Runs the import, and prints its results as they arrive. */
export async function showResults(context: Context, run: Import): Promise<ImportReport> {
  const { signal } = context.interruption
  await context.report.prepare()
  const stream = await context.output.stream({ names: resultColumns })
  const tally = new Tally()
  const progress = await showTally(context, run, tally)
  const ending = new RunEnding(signal)
  try {
    for await (const { results, pause: begun } of run.batches) {
      tally.add(results)
      const rows = await shownRows(context, results, stream.isLive)
      if (begun !== undefined) await reportPause(context, begun)
      const added = stream.add(rows)
      await orAborted(added, signal).catch((error) => run.stop(ending.unprinted(error)))
    }
  } catch (error) {
    ending.begin(error)
  } finally {
    await progress.end()
  }
  const written = endStream(context, stream).catch((error) => ending.begin(ending.unprinted(error)))
  // After Ctrl-C, a reader that has stopped is not waited for.
  await orAborted(written, signal).catch(ending.begin)
  if (signal.aborted) await Promise.race([written, pause(printingMilliseconds)])
  const { reason, isUnprinted } = ending
  // The same command on the same file fails again, and there is nothing to sum up.
  if (reason?.code === 'usage' && tally.finished === 0) throw reason
  return { run, tally, reason, isUnprinted }
}

/** How many rows the input has, or those of it that were read. */
export function rowsIn({ run, tally }: ImportReport): number {
  return run.input.content?.rows ?? tally.finished
}

/** What to do about the problems. */
interface Remedy {
  readonly hint?: string | undefined
  /** What to do before that. */
  readonly first?: string | undefined
}

/** Ends the command with an error if there are rows that were not added, or are not valid. */
export function refuseProblems(
  counts: Readonly<Counts>,
  place: SummaryPlace,
  { hint, first }: Remedy,
): void {
  const problems = describeProblems(counts)
  if (problems === undefined) return
  const message = first === undefined ? problems : `${problems}; ${first}`
  throw new Failure('partial', message, { hint, isReported: place === 'terminal' })
}

/** Why a run ends before its last row. */
class RunEnding {
  reason: Failure | undefined
  #outputFailure: Failure | undefined
  readonly #signal: AbortSignal

  constructor(signal: AbortSignal) {
    this.#signal = signal
  }

  readonly begin = (error: unknown): void => {
    if (!(error instanceof Failure)) throw error
    this.reason ??= error
  }

  /** Remembers that stdout cannot be written, which is no news after a signal. */
  unprinted(error: Failure): Failure {
    if (!this.#signal.aborted) this.#outputFailure ??= error
    return error
  }

  get isUnprinted(): boolean {
    return this.reason !== undefined && this.reason === this.#outputFailure
  }
}

function showTally({ report }: Context, run: Import, tally: Tally) {
  const total = run.input.content?.rows
  const addedBefore = run.journal?.states.counts.added ?? 0
  return report.progress(() => ({
    done: tally.finished,
    total,
    sent: tally.finished - tally.counts.skipped,
    toSend: total === undefined ? undefined : total - addedBefore,
  }))
}

async function shownRows(
  { report }: Context,
  results: readonly RowResult[],
  isLive: boolean,
): Promise<Row[]> {
  const redact = await report.redactor()
  const rows = results.filter((result) => isShown(result, isLive)).map(rowOf)
  // A service may repeat the API key in its reason.
  return rows.map(({ message, ...row }) => ({ ...row, message: message && redact(message) }))
}

/** A table lists only the rows that were not added, and a check only those that are invalid. */
function isShown({ outcome }: RowResult, isLive: boolean): boolean {
  return outcome !== 'valid' && (isLive || (outcome !== 'added' && outcome !== 'skipped'))
}

/** In a JSON array, the number of the element takes the place of the line. */
function rowOf({ row, outcome, id, status, message }: RowResult) {
  // The pet has to be looked up.
  const pet =
    outcome === 'doubtful' && 'pet' in row
      ? `${row.pet.name} (category ${row.pet.categoryId}): `
      : ''
  return { line: row.raw.number, outcome, id, status, message: message && `${pet}${message}` }
}

async function reportPause({ report }: Context, { failure, seconds }: ImportPause): Promise<void> {
  await report.notice('waiting', `${failure.message}; continuing in ${duration(seconds)}`)
}

async function endStream({ report }: Context, stream: RowStream): Promise<void> {
  const omitted = await stream.end()
  if (omitted === 0) return
  const rows = `the other ${plural(omitted, 'row')}`
  await report.notice('more', `the table ends here; -o csv shows ${rows} as well`)
}
