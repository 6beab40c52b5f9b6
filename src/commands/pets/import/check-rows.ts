import type { Context } from '../../../context.ts'
import type { ImportChoices } from '../../../import/prepare.ts'
import { openImport } from '../../../import/run.ts'
import { formatCounts, summaryValue } from '../../../import/summary.ts'
import { importOptions, refuseProblems, showResults } from './show-results.ts'

/** Checks every row, and sends nothing. */
export async function checkRows(
  context: Context,
  path: string,
  typed: ImportChoices
): Promise<void> {
  const run = await openImport(await importOptions(context, path, typed))
  await showResults(context, run).finally(run.close)
  const { tally, reason } = run
  const place = await context.report.summary({
    value: summaryValue(run),
    text: `${formatCounts(tally.counts) || 'no rows'}; nothing was sent`,
    isGood: reason === undefined && tally.counts.invalid === 0
  })
  if (reason !== undefined) throw reason
  refuseProblems(run, place)
}
