import { setFlagsFromString } from 'node:v8'
import { Failure } from '../failure.ts'
import { withChange } from '../output/output.ts'
import type { Context } from '../session/context.ts'
import { makeDirectory } from '../settings/location.ts'
import { plural } from '../text/quantities.ts'
import { type NextStep, nextStep } from './next-step.ts'
import type { ImportChoices, ImportOptions } from './options.ts'
import { type Import, openImport } from './run.ts'
import { showResults } from './show-results.ts'
import { beforeText, problemsOf, summaryText, summaryValue } from './summary.ts'

/** Sends every row that no earlier run has added, or only checks all of them, and sums up. */
export async function runImport(
  context: Context,
  path: string,
  typed: ImportChoices & { readonly check?: boolean | undefined }
): Promise<void> {
  limitGarbage()
  const { report } = context
  const begun = performance.now()
  const settings = context.settings
  const connect = (signal: AbortSignal) => context.bulk({ connections: typed.concurrency, signal })
  const options = await importOptions(context, path, typed)
  const run = await openImport(typed.check ? options : { ...options, connect })
  const before = beforeText(run)
  if (before !== undefined) await report.notice('added-before', before, { evenIfQuiet: true })
  const outputFailure = await showResults(context, run).finally(run.close)
  const command = {
    path,
    rejects: typed.rejects,
    retyped: context.retyped,
    environment: settings.value('env'),
    redact: report.redact
  }
  const next = typed.check ? undefined : nextStep(run, command)
  const seconds = (performance.now() - begun) / 1000
  const isRead = await report.summary({
    value: summaryValue(run, next),
    text: summaryText(run, seconds, next),
    hint: next?.command
  })
  end(context, run, outputFailure, isRead, next)
}

/** What every import needs. */
async function importOptions(
  context: Context,
  path: string,
  typed: ImportChoices
): Promise<ImportOptions> {
  const { host, interruption, report } = context
  const settings = context.settings
  return {
    ...typed,
    path,
    stdin: host.stdin,
    interruption: interruption.signal,
    now: host.now,
    retries: settings.value('retries'),
    makeDirectory: () => makeDirectory(host, 'journals'),
    notice: report.notice,
    confirmRestart: added => confirmRestart(context, added)
  }
}

/** Where it can prompt: rows that were added would be added again. */
async function confirmRestart(context: Context, added: number) {
  const settings = context.settings
  if (!settings.value('input')) return
  const question = `added before: ${plural(added, 'row')}; add every row again?`
  const refusal = new Failure('interrupted', 'nothing was sent')
  const isMeant = await context.withPrompts(openPrompt => openPrompt(refusal).confirm(question))
  if (!isMeant) throw refusal
}

/** By then, V8 has room for the rows in flight. It would let twice as much fill with finished ones. */
const growthMilliseconds = 400

function limitGarbage() {
  setFlagsFromString('--heap-growing-percent=50')
  const limit = () => setFlagsFromString('--semi-space-growth-factor=1')
  setTimeout(limit, growthMilliseconds).unref()
}

function end(
  { host }: Context,
  run: Import,
  outputFailure: Failure | undefined,
  isRead: boolean,
  next: NextStep | undefined
): void {
  const { reason, tally } = run
  // People have just read the next step in the summary.
  const unread = isRead ? undefined : next
  if (reason === undefined) {
    refuseProblems(run, isRead && host.terminal.stderr, unread)
    return
  }
  reason.hint ??= unread?.command
  const { added } = tally.counts
  if (reason !== outputFailure || added === 0) throw reason
  const done = `${plural(added, 'row')} ${added === 1 ? 'was' : 'were'} added`
  throw withChange(reason, { done })
}

/** Ends the command with an error if there are rows that were not added, or are not valid. */
function refuseProblems(run: Import, isReported: boolean, next?: NextStep) {
  const problems = problemsOf(run)
  if (problems === '') return
  const advice = next === undefined ? '' : `; ${next.advice}`
  const message = `${problems} of ${plural(run.rows, 'row')}${advice}`
  throw new Failure('partial', message, { hint: next?.command, isReported })
}
