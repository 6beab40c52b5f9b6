import type { Context } from '../../../context.ts'
import { Failure } from '../../../failure.ts'
import { unitOf } from '../../../import/format.ts'
import { type NextStep, nextStep } from '../../../import/next-step.ts'
import type { ImportChoices } from '../../../import/opening.ts'
import type { RunFacts } from '../../../import/results.ts'
import { openImport } from '../../../import/run.ts'
import { describeProblems, summaryText, summaryValue } from '../../../import/summary.ts'
import { grouped, longDate, plural } from '../../../model/quantities.ts'
import { printResult } from '../../../output/output.ts'
import type { SummaryPlace } from '../../../output/reporter.ts'
import { commandLine } from '../../../platform/shell.ts'
import { importOptions } from './check-rows.ts'
import { type ImportReport, showResults } from './show-results.ts'

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
    const client = await context.client({ retries: 0, signal })
    return { client, service: await client.destination() }
  }
  const sending = { ...importOptions(context, path, typed), look, retries, connect }
  const run = await openImport(sending)
  const report = await showResults(context, run).finally(run.close)
  const { reason, tally } = report
  // The same command on the same file fails again, and there is nothing to sum up.
  if (reason?.code === 'usage' && tally.finished === 0) throw reason

  const facts = factsOf(report, typed, (performance.now() - begun) / 1000)
  const redact = await context.report.redactor()
  const isShownExactly = (text: string) => redact(text) === text
  const command = { ...commandOf(context, path, report), environment, look, isShownExactly }
  const next = nextStep({ ...command, rejects: typed.rejects }, facts)
  const place = await showSummary(context, report, facts, next)
  // People have just read the command in the summary.
  const hint = place === undefined ? next?.command : undefined
  if (reason !== undefined) await fail(context, report, reason, hint)
  const problems = describeProblems(facts.counts)
  if (problems === undefined) return
  const first = place !== undefined || next?.first === undefined ? '' : `; ${next.first}`
  const isReported = place === 'terminal'
  throw new Failure('partial', `${problems}${first}`, { hint, isReported })
}

function factsOf(
  { run, tally, reason }: ImportReport,
  { stopOnError = false }: ImportChoices,
  seconds: number,
): RunFacts {
  const { counts } = tally
  return {
    counts,
    doubtful: tally.doubtful(),
    unit: unitOf(run.input.format),
    rows: run.input.content?.rows ?? tally.finished,
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

/** Throws the reason why the run ended early; if it is the output, it says what was added. */
async function fail(
  { interruption }: Context,
  { tally, isUnprinted }: ImportReport,
  reason: Failure,
  hint: string | undefined,
): Promise<void> {
  reason.hint ??= hint
  const { added } = tally.counts
  const done = `${plural(added, 'row')} ${added === 1 ? 'was' : 'were'} added`
  const change = isUnprinted && added > 0 ? { done } : undefined
  await printResult(change, () => Promise.reject(reason), interruption.signal)
}
