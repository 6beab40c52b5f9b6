import type { Context } from '../../../context.ts'
import { Failure, NothingSent } from '../../../failure.ts'
import { openCheck } from '../../../import/check.ts'
import type { Import, ImportChoices, ImportOptions } from '../../../import/opening.ts'
import { Tally } from '../../../import/results.ts'
import { describeProblems, formatCounts, summaryValue } from '../../../import/summary.ts'
import { makeJournalsDirectory } from '../../../settings/location.ts'
import { protectedFiles } from '../../../settings/protected-files.ts'
import { type ImportReport, showResults } from './show-results.ts'

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

/** What every import needs. */
export function importOptions(
  { host, interruption, report, retyped }: Context,
  path: string,
  typed: ImportChoices,
): ImportOptions {
  return {
    ...typed,
    path,
    commandForCsv: typed.restart ? undefined : retyped({ '--format': 'csv' }, [path]),
    stdin: host.stdin,
    interruption: interruption.signal,
    protectedFiles: protectedFiles(host),
    makeJournals: () => makeJournalsDirectory(host),
    notice: report.notice,
  }
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

async function sumUpCheck(
  { report }: Context,
  { run, tally, reason }: ImportReport,
): Promise<void> {
  if (reason?.code === 'usage' && tally.finished === 0) throw reason
  const { counts } = tally
  const rows = run.input.content?.rows ?? tally.finished
  const place = await report.summary({
    value: summaryValue({ counts, doubtful: [], rows }),
    text: `${formatCounts(counts, 'no rows')}; nothing was sent`,
    isGood: reason === undefined && counts.invalid === 0,
  })
  if (reason !== undefined) throw reason
  const problems = describeProblems(counts)
  if (problems !== undefined)
    throw new Failure('partial', problems, {
      hint: 'petstore help import',
      isReported: place === 'terminal',
    })
}
