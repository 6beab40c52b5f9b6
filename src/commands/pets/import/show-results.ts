import type { Context } from '../../../context.ts'
import { Failure } from '../../../failure.ts'
import type { NextStep } from '../../../import/next-step.ts'
import { type RowResult, resultColumns } from '../../../import/results.ts'
import type { Import, ImportChoices, ImportOptions } from '../../../import/run.ts'
import { formatCounts } from '../../../import/summary.ts'
import { plural } from '../../../model/quantities.ts'
import type { Redact } from '../../../model/visible.ts'
import type { SummaryPlace } from '../../../output/reporter.ts'
import type { RowStream } from '../../../output/row-stream.ts'
import type { Row } from '../../../output/view.ts'
import { orAborted, pause, settledOrAborted } from '../../../platform/promises.ts'
import { makeJournalsDirectory } from '../../../settings/location.ts'

/** What every import needs. */
export function importOptions(
  { host, interruption, report }: Context,
  path: string,
  typed: ImportChoices
): ImportOptions {
  return {
    ...typed,
    path,
    stdin: host.stdin,
    interruption: interruption.signal,
    makeJournals: () => makeJournalsDirectory(host),
    notice: report.notice
  }
}

/** How long stdout may take for its remaining data after Ctrl-C. */
const printingMilliseconds = 150

/**
 * Runs the import, and prints its results as they arrive. If they cannot be printed, it ends, and
 * this returns why.
 */
export async function showResults(context: Context, run: Import): Promise<Failure | undefined> {
  const { signal } = context.interruption
  await context.report.prepare()
  const stream = await context.output.stream({ names: resultColumns })
  const progress = await showTally(context, run)
  let outputFailure: Failure | undefined
  const endUnprinted = (error: Failure) => {
    // After a signal, that is no news.
    if (!signal.aborted) outputFailure ??= error
    run.stop(error)
  }
  try {
    for await (const results of run.batches()) {
      const added = stream.add(await shownRows(context, results, stream.isLive))
      await orAborted(added, signal).catch(endUnprinted)
    }
  } finally {
    await progress?.end()
  }
  const written = endStream(context, stream).catch(endUnprinted)
  // After Ctrl-C, a reader that has stopped is not waited for.
  await settledOrAborted(written, signal)
  if (signal.aborted) await Promise.race([written, pause(printingMilliseconds)])
  // The same command on the same file fails again, and there is nothing to sum up.
  if (run.reason?.code === 'usage' && run.tally.finished === 0) throw run.reason
  return outputFailure
}

/** Ends the command with an error if there are rows that were not added, or are not valid. */
export function refuseProblems(
  { tally, rows }: Import,
  place: SummaryPlace,
  next: Partial<NextStep> = {}
): void {
  const { rejected, invalid, doubtful } = tally.counts
  const problems = formatCounts({ rejected, invalid, doubtful })
  if (problems === '') return
  const advice = next.advice === undefined ? '' : `; ${next.advice}`
  const message = `${problems} of ${plural(rows, 'row')}${advice}`
  throw new Failure('partial', message, { hint: next.command, isReported: place === 'terminal' })
}

function showTally({ report }: Context, { rows, addedBefore, tally }: Import) {
  const total = rows
  return report.progress(() => ({
    done: tally.finished,
    total,
    sent: tally.finished - tally.counts.skipped,
    toSend: total - addedBefore
  }))
}

async function shownRows(
  { report }: Context,
  results: readonly RowResult[],
  isLive: boolean
): Promise<Row[]> {
  const redact = await report.redactor()
  return results.filter(result => isShown(result, isLive)).map(result => shownRow(result, redact))
}

/** A table lists only the rows that were not added, and a check only those that are invalid. */
function isShown({ outcome }: RowResult, isLive: boolean): boolean {
  return outcome !== 'valid' && (isLive || (outcome !== 'added' && outcome !== 'skipped'))
}

/**
 * In a JSON array, the number of the element takes the place of the line. In one step: a copy of
 * each row would raise the peak of memory by a tenth.
 */
function shownRow({ row, outcome, id, status, message }: RowResult, redact: Redact) {
  // The pet has to be looked up.
  const pet =
    outcome === 'doubtful' && 'pet' in row
      ? `${row.pet.name} (category ${row.pet.categoryId}): `
      : ''
  return {
    line: row.raw.number,
    outcome,
    id,
    status,
    // A service may repeat the API key in its reason.
    message: message && redact(`${pet}${message}`)
  }
}

async function endStream({ report }: Context, stream: RowStream): Promise<void> {
  const omitted = await stream.end()
  if (omitted === 0) return
  const rows = `the other ${plural(omitted, 'row')}`
  await report.notice('more', `the table ends here; -o csv shows ${rows} as well`)
}
