import type { Context } from '../../../context.ts'
import { NothingSent } from '../../../failure.ts'
import { type Import, type ImportChoices, openImport } from '../../../import/run.ts'
import { formatCounts, summaryValue } from '../../../import/summary.ts'
import { importOptions, refuseProblems, showResults } from './show-results.ts'

/** Checks every row, and sends nothing. A dry run prints only the requests. */
export async function checkRows(
  context: Context,
  path: string,
  typed: ImportChoices,
  isDryRun: boolean
): Promise<void> {
  const choices = isDryRun ? { ...typed, rejects: undefined } : typed
  const run = await openImport(importOptions(context, path, choices))
  const show = isDryRun ? printRequests : showResults
  await show(context, run).finally(run.close)
  const { tally, reason } = run
  const place = await context.report.summary({
    value: summaryValue(run),
    text: `${formatCounts(tally.counts) || 'no rows'}; nothing was sent`,
    isGood: reason === undefined && tally.counts.invalid === 0
  })
  if (reason !== undefined) throw reason
  refuseProblems(run, place, { command: 'petstore help import' })
}

async function printRequests(context: Context, run: Import): Promise<void> {
  const client = await context.client()
  for await (const results of run.batches()) {
    for (const { row } of results) {
      if (!('pet' in row)) continue
      await client.addPet(row.pet).catch((error: unknown) => {
        if (!(error instanceof NothingSent)) throw error
      })
    }
  }
  if (run.reason !== undefined) throw run.reason
}
