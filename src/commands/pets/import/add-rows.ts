import type { Context } from '../../../context.ts'
import { type NextStep, nextStep } from '../../../import/next-step.ts'
import { type Import, type ImportChoices, openImport } from '../../../import/run.ts'
import { summaryText, summaryValue } from '../../../import/summary.ts'
import { grouped, longDate, plural } from '../../../model/quantities.ts'
import { withChange } from '../../../output/output.ts'
import type { SummaryPlace } from '../../../output/reporter.ts'
import { importOptions, refuseProblems, showResults } from './show-results.ts'

/** Sends every row that no earlier run has added, and sums up. */
export async function addRows(context: Context, path: string, typed: ImportChoices): Promise<void> {
  const begun = performance.now()
  const settings = await context.settings()
  const environment = settings.value('env')
  const connect = async (signal: AbortSignal) => {
    // Waits for a database that another program has locked, as every request does.
    if (environment === 'local') await (await context.client()).listPets({ limit: 1 })
    const client = await context.client({ retries: 0, signal, showsWaiting: true })
    return { client, service: await client.destination() }
  }
  const run = await openImport({
    ...importOptions(context, path, typed),
    sending: { retries: settings.value('retries'), connect }
  })
  const outputFailure = await showResults(context, run).finally(run.close)
  const { reason } = run
  const isUnprinted = reason !== undefined && reason === outputFailure
  const redact = await context.report.redactor()
  const next = nextStep(run, {
    ...typed,
    path: path === '-' ? undefined : path,
    // An expression that failed for a result would fail again.
    retyped: (change, paths) =>
      context.retyped(isUnprinted ? { '--jq': undefined, ...change } : change, paths),
    environment,
    redact
  })
  const seconds = (performance.now() - begun) / 1000
  const place = await showSummary(context, run, seconds, next)
  // People have just read the next step in the summary.
  const unread = place === undefined ? next : undefined
  if (reason === undefined) return refuseProblems(run, place, unread)
  reason.hint ??= unread?.command
  const { added } = run.tally.counts
  if (!isUnprinted || added === 0) throw reason
  const { signal } = context.interruption
  // A signal since then counts more.
  throw withChange(signal.aborted ? signal.reason : reason, {
    done: `${plural(added, 'row')} ${added === 1 ? 'was' : 'were'} added`
  })
}

async function showSummary(
  { host, report }: Context,
  run: Import,
  seconds: number,
  next: NextStep | undefined
): Promise<SummaryPlace> {
  const { tally, rows, journal, reason } = run
  const { added, skipped } = tally.counts
  const isGood = reason === undefined && added + skipped === rows
  const wereAdded = isGood && skipped === rows && journal !== undefined && rows > 0
  if (wereAdded) {
    const message = addedBefore(rows, journal.lastWrite, host.now())
    await report.notice('added-before', message, { evenIfQuiet: true })
  }
  return report.summary({
    value: summaryValue(run, next),
    text: wereAdded ? undefined : summaryText(run, seconds, next),
    isGood
  })
}

function addedBefore(rows: number, lastWrite: Date, now: Date): string {
  const date = longDate(lastWrite).replace(` ${now.getUTCFullYear()}`, '')
  const which = rows === 1 ? 'the only row was' : `all ${grouped(rows)} rows were`
  return `${which} added on ${date}; to add ${rows === 1 ? 'it' : 'them'} again: --restart`
}
