import type { Context } from '../../../context.ts'
import type { Failure } from '../../../failure.ts'
import { unitOf } from '../../../import/format.ts'
import { type NextStep, nextStep } from '../../../import/next-step.ts'
import type { ImportChoices } from '../../../import/opening.ts'
import type { RunFacts } from '../../../import/results.ts'
import { openImport } from '../../../import/run.ts'
import { summaryText, summaryValue } from '../../../import/summary.ts'
import { grouped, longDate, plural } from '../../../model/quantities.ts'
import { withChange } from '../../../output/output.ts'
import type { SummaryPlace } from '../../../output/reporter.ts'
import { commandLine } from '../../../platform/shell.ts'
import { importOptions } from './import-options.ts'
import { type ImportReport, refuseProblems, rowsIn, showResults } from './show-results.ts'

/** Sends every row that no earlier run has added, and sums up. */
export async function addRows(context: Context, path: string, typed: ImportChoices): Promise<void> {
  const begun = performance.now()
  const settings = await context.settings()
  const environment = settings.requestEnvironment()
  const retries = settings.value('retries')
  const look = commandLine('petstore pets list', {
    options: { '--env': environment, '--limit': '100' },
  })
  const connect = async (signal: AbortSignal) => {
    // Waits for a database that another program has locked, as every request does.
    if (environment === 'local') await (await context.client()).listPets({ limit: 1 })
    const client = await context.client({ retries: 0, signal, showsWaiting: true })
    return { client, service: await client.destination() }
  }
  const sending = { ...importOptions(context, path, typed), look, retries, connect }
  const run = await openImport(sending)
  const report = await showResults(context, run).finally(run.close)
  const facts = factsOf(report, typed, (performance.now() - begun) / 1000)
  const redact = await context.report.redactor()
  const next = nextStep(
    {
      ...commandOf(context, path, report),
      environment,
      rejects: typed.rejects,
      look,
      isShownExactly: (text) => redact(text) === text,
    },
    facts,
  )
  const place = await showSummary(context, report, facts, next)
  // People have just read the next step in the summary.
  const unread = place === undefined ? next : undefined
  const { reason } = report
  if (reason !== undefined) {
    reason.hint ??= unread?.command
    throw withAdded(reason, report, context.interruption.signal)
  }
  refuseProblems(facts.counts, place, { hint: unread?.command, first: unread?.first })
}

function factsOf(
  report: ImportReport,
  { stopOnError = false }: ImportChoices,
  seconds: number,
): RunFacts {
  const { run, tally, reason } = report
  const { counts } = tally
  return {
    counts,
    doubtful: tally.doubtful(),
    unit: unitOf(run.input.format),
    rows: rowsIn(report),
    seconds,
    isWhole: reason === undefined,
    isStopped: stopOnError && counts.rejected + counts.invalid > 0,
    isResumable: run.isResumable?.() ?? false,
    rejectsFormat: run.rejectsFormat?.(),
  }
}

/** The command line, for hints. */
function commandOf({ retyped }: Context, path: string, { isUnprinted }: ImportReport) {
  // An expression that failed for a result would fail again.
  const printable = isUnprinted ? { '--jq': undefined } : {}
  const retype: Context['retyped'] = (change, paths) => retyped({ ...printable, ...change }, paths)
  return { path: path === '-' ? undefined : path, retyped: retype }
}

async function showSummary(
  { host, report }: Context,
  { run }: ImportReport,
  facts: RunFacts,
  next: NextStep | undefined,
): Promise<SummaryPlace> {
  const { counts, rows, isWhole } = facts
  const isGood = isWhole && counts.added + counts.skipped === rows
  const lastWrite = run.journal?.lastWrite
  const wereAdded = isGood && counts.skipped === rows && lastWrite !== undefined
  if (wereAdded) {
    const message = addedBefore(rows, lastWrite, host.now())
    await report.notice('added-before', message, { evenIfQuiet: true })
  }
  return report.summary({
    value: summaryValue(facts, next, run.journal?.path),
    text: wereAdded ? undefined : summaryText(facts, next),
    isGood,
  })
}

function addedBefore(rows: number, lastWrite: Date, now: Date): string {
  const date = longDate(lastWrite).replace(` ${now.getUTCFullYear()}`, '')
  const which = rows === 1 ? 'the only row was' : `all ${grouped(rows)} rows were`
  return `${which} added on ${date}; to add ${rows === 1 ? 'it' : 'them'} again: --restart`
}

/** The reason why the run ended early; if it is the output, it also says what was added. */
function withAdded(
  reason: Failure,
  { tally, isUnprinted }: ImportReport,
  signal: AbortSignal,
): Failure {
  const { added } = tally.counts
  if (!isUnprinted || added === 0) return reason
  const done = `${plural(added, 'row')} ${added === 1 ? 'was' : 'were'} added`
  // A signal since then counts more.
  const last: Failure = signal.aborted ? signal.reason : reason
  return withChange(last, { done })
}
