import { setFlagsFromString } from 'node:v8'
import { Failure } from '../failure.ts'
import { fingerprint } from '../model/endpoint.ts'
import { withChange } from '../output/output.ts'
import type { Context } from '../session/context.ts'
import { journalDirectory, makeJournalDirectory } from '../settings/location.ts'
import { grouped, plural } from '../text/quantities.ts'
import { unitOf } from './formats.ts'
import { rangesOf, rangeText } from './line-ranges.ts'
import { type NextStep, nextStep } from './next-step.ts'
import { noticesOf } from './notices.ts'
import type { ImportOptions } from './options.ts'
import { placeAddress } from './places.ts'
import { type Import, openImport } from './run.ts'
import { showResults } from './show-results.ts'
import { importFailure, Shutdown } from './shutdown.ts'
import { problemsOf, summaryText, summaryValue } from './summary.ts'

type Typed = Omit<ImportOptions, keyof Awaited<ReturnType<typeof availableTo>> | 'path' | 'service'>

/** Sends every row that no earlier run has added, or previews that, and sums up. */
export async function runImport(context: Context, path: string, typed: Typed): Promise<void> {
  limitGarbage()
  const { report, settings } = context
  const begun = performance.now()
  const shutdown = new Shutdown(context.interruption.signal)
  const limits = { connections: typed.concurrency, signal: shutdown.cutOff }
  const service = typed.check ? undefined : await context.bulk(limits)
  const run = await openImport(
    { ...typed, path, service, ...(await availableTo(context)) },
    shutdown
  )
  const outputFailure = await begin(context, run)
    .catch((error: unknown) => {
      throw importFailure(error)
    })
    .then(() => showResults(context, run))
    .finally(run.close)
  const { baseUrl } = settings.environmentNamed()
  const next = nextStep(run, {
    retyped: context.retyped,
    settable: baseUrl?.origin.kind === 'file' ? settings.value('env') : undefined,
    redact: report.redact
  })
  const seconds = (performance.now() - begun) / 1000
  const isRead = await report.summary({
    value: summaryValue(run, next),
    text: summaryText(run, seconds, next),
    hint: next?.command
  })
  end(context, run, outputFailure, isRead, next)
}

/** Says what is known, and asks where a person may have meant another import. */
async function begin({ host, report, settings, withPrompts }: Context, run: Import) {
  for (const [code, message] of noticesOf(run, Boolean(host.env.CI)))
    await report.notice(code, message, { evenIfQuiet: true })
  if (run.plan !== undefined && run.plan.equal.length > 0) {
    await report.notice('equal-pets', equalText(run, run.plan.equal), { evenIfQuiet: true })
    const { batch, check } = run.options
    const isNewBatch = batch !== undefined && run.plan.isNew
    const isLikelyDouble = isNewBatch || run.plan.equal.length * 2 > run.rows
    if (isLikelyDouble && settings.value('input') && !check) await confirm(withPrompts)
  }
  await run.begin()
}

const mostRanges = 10

function equalText({ plan, rows, options, input }: Import, lines: readonly number[]) {
  const ranges = rangesOf(lines).map(rangeText)
  const more = ranges.length > mostRanges ? ', …' : ''
  const where = `${unitOf(input.layout.format)}s ${ranges.slice(0, mostRanges).join(', ')}${more}`
  const equal = `${grouped(lines.length)} of ${plural(rows, 'row')} equal pets that were added here (${where})`
  return options.batch !== undefined && plan?.isNew
    ? `--batch ${options.batch} is new: ${equal}`
    : `${equal}; they count as other pets`
}

async function confirm(withPrompts: Context['withPrompts']) {
  const refusal = new Failure('interrupted', 'nothing was sent')
  const isMeant = await withPrompts(openPrompt =>
    openPrompt(refusal).confirm('send these rows, too?')
  )
  if (!isMeant) throw refusal
}

/** What an import can use. */
async function availableTo({ host, report, settings, address }: Context) {
  const { name, apiKey, isIdempotent } = settings.environmentNamed()
  const known = await address()
  const isLocal = name === 'local'
  return {
    stdin: host.stdin,
    now: host.now,
    retries: settings.value('retries'),
    directory: journalDirectory(host),
    makeDirectory: () => makeJournalDirectory(host),
    notice: report.notice,
    place: known === undefined ? undefined : { environment: name, address: placeAddress(known) },
    apiKey: apiKey && !isLocal ? await fingerprint(apiKey.value) : '',
    keyLife: isLocal ? Number.POSITIVE_INFINITY : isIdempotent ? day : 0
  }
}

const day = 24 * 60 * 60

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
  const advice = next === undefined ? '' : `. ${next.advice}`
  const message = `${problems} of ${plural(run.rows, 'row')}${advice}`
  throw new Failure('partial', message, { hint: next?.command, isReported })
}
