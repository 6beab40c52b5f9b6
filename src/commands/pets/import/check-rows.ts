import type { Context } from '../../../context.ts'
import { NothingSent } from '../../../failure.ts'
import { openCheck } from '../../../import/check.ts'
import type { Import, ImportChoices } from '../../../import/opening.ts'
import { Tally } from '../../../import/results.ts'
import { formatCounts, summaryValue } from '../../../import/summary.ts'
import { importOptions } from './import-options.ts'
import { type ImportReport, refuseProblems, rowsIn, showResults } from './show-results.ts'

/** Checks every row, and sends nothing. */
export async function checkRows(
  context: Context,
  path: string,
  typed: ImportChoices,
): Promise<void> {
  const run = await openCheck(importOptions(context, path, typed))
  await sumUpCheck(context, await showResults(context, run).finally(run.close))
}

/** The same for a dry run, which prints only the requests. */
export async function showRequests(
  context: Context,
  path: string,
  typed: ImportChoices,
): Promise<void> {
  const run = await openCheck(importOptions(context, path, { ...typed, rejects: undefined }))
  const tally = await printRequests(context, run).finally(run.close)
  await sumUpCheck(context, { run, tally, reason: undefined, isUnprinted: false })
}

async function printRequests(context: Context, run: Import): Promise<Tally> {
  const client = await context.client()
  const tally = new Tally()
  for await (const { results } of run.batches) {
    tally.add(results)
    for (const { row } of results) {
      if (!('pet' in row)) continue
      await client.addPet(row.pet).catch((error: unknown) => {
        if (!(error instanceof NothingSent)) throw error
      })
    }
  }
  return tally
}

async function sumUpCheck({ report }: Context, check: ImportReport): Promise<void> {
  const { tally, reason } = check
  const { counts } = tally
  const place = await report.summary({
    value: summaryValue({ counts, doubtful: [], rows: rowsIn(check) }),
    text: `${formatCounts(counts, 'no rows')}; nothing was sent`,
    isGood: reason === undefined && counts.invalid === 0,
  })
  if (reason !== undefined) throw reason
  refuseProblems(counts, place, { hint: 'petstore help import' })
}
