import { InvalidArgumentError } from '@commander-js/extra-typings'
import type { Context } from '../../context.ts'
import { Failure, NothingSent } from '../../failure.ts'
import { importFormats, unitOf } from '../../import/format.ts'
import type { Import } from '../../import/opening.ts'
import { createTally, type RowResult, type Tally } from '../../import/results.ts'
import { duration, grouped, longDate, plural } from '../../model/quantities.ts'
import { printResult } from '../../output/output.ts'
import { orAborted, pause } from '../../platform/promises.ts'
import { commandLine } from '../../platform/shell.ts'
import { journalsDirectory, makeJournalsDirectory } from '../../settings/location.ts'
import { wholeNumber } from '../../settings/value-types.ts'
import {
  command,
  define,
  fileToWrite,
  JoinedOption,
  type OptionsOf,
  option,
  readerOf,
} from '../declare.ts'

/** How long stdout may take for its remaining data after Ctrl-C. */
const graceMilliseconds = 150

const columns = ['line', 'outcome', 'id', 'status', 'message'] as const

type Options = OptionsOf<typeof declaration>

const declaration = () =>
  command('import', 'add many pets from a file', {
    prints: { shape: 'lines', schema: 'importRow' },
    actsOn: ['environment', 'key', 'requests', 'rows', 'data'],
    changes: 'service',
    fields: columns,
    details: [
      'After an interruption, run the same command again: it resumes and adds no row twice.',
    ],
    examples: [
      ['petstore pets import pets.ndjson --env local', 'import a file, or resume its import'],
      ['petstore pets import pets.csv --check', 'check every row and send nothing'],
      [
        'petstore pets import pets.csv --env local --rejects rejects.csv',
        'write the rows to correct to a file',
      ],
      [
        'petstore pets list --env local -o ndjson | petstore pets import - --env local',
        'import from a pipe',
      ],
    ],
  })
    .argument('<file>', 'rows as NDJSON, a JSON array, or CSV with a header (-: standard input)')
    .addOption(
      option('--format <format>', 'format of the file, detected by default').choices(importFormats),
    )
    .option(
      '--concurrency <count>',
      'number of requests at a time',
      readerOf(wholeNumber({ minimum: 1, maximum: 256 })),
      8,
    )
    .option('--journal <file>', 'file that records the state of each row', fileToWrite)
    .option('--restart', 'start over; rows that were already added are sent again')
    .addOption(
      option('--check', 'check every row and send nothing').conflicts([
        'journal',
        'restart',
        'resendDoubtful',
        'acceptDoubtful',
      ]),
    )
    .option(
      '--rejects <file>',
      'write the rejected and invalid rows to this file, unchanged',
      fileToWrite,
    )
    .option('--stop-on-error', 'stop at the first row that is not added')
    .addOption(
      new JoinedOption(
        '--resend-doubtful [lines]',
        'resend all rows whose outcome is unknown, or only these',
      ).argParser(rowNumbers),
    )
    .option(
      '--accept-doubtful <lines>',
      'count these rows, whose outcome is unknown, as added',
      rowNumbers,
    )

/** `4,6`: the lines of rows; in a JSON array, the numbers of elements. */
function rowNumbers(text: string): readonly number[] {
  if (!/^[1-9]\d{0,14}(,[1-9]\d{0,14})*$/.test(text)) {
    throw new InvalidArgumentError('line numbers separated by commas, such as 4,6')
  }
  return [...new Set(text.split(',').map(Number))]
}

export const importPets = () =>
  define(declaration(), async (options, context, file) => {
    // After Ctrl-C, requests in flight finish and their outcomes are recorded, which takes a
    // moment.
    context.interruption.hold()
    if (file === '-' && context.host.terminal.stdin) {
      await context.report.notice(
        'reading',
        'reading rows from the terminal; end them with Ctrl-D on a line of its own',
      )
    }
    const isDryRun = (await context.settings()).value('dry-run')
    if (options.check || isDryRun) await check(context, file, { ...options, isDryRun })
    else await add(context, file, options)
  })

/** The options that every import has in common. */
async function commonOptions({ host, interruption }: Context, path: string, options: Options) {
  const { protectedFiles } = await import('../../settings/protected-files.ts')
  const journals = journalsDirectory(host)
  const { signal } = interruption
  return {
    path,
    ...options,
    stdin: host.stdin,
    interruption: signal,
    protectedFiles: protectedFiles(host),
    journals,
  }
}

async function check(
  context: Context,
  path: string,
  options: Options & { isDryRun: boolean },
): Promise<void> {
  const [{ checkImport }, text] = await Promise.all([
    import('../../import/opening.ts'),
    import('../../import/summary.ts'),
  ])
  const { run, tally, reason } = await checkImport(
    await commonOptions(context, path, options),
    (run) => (options.isDryRun ? showRequests(context, run) : showResults(context, run)),
  )
  if (reason?.code === 'usage' && tally.finished === 0) throw reason
  const { counts } = tally
  const rows = run.input.content?.rows ?? tally.finished
  await context.report.summary({
    value: text.summaryValue({ counts, doubtful: [], rows }),
    text: `${text.formatCounts(counts)}; nothing was sent`,
    isGood: reason === undefined && counts.invalid === 0,
  })
  if (reason !== undefined) throw reason
  const problems = text.describeProblems(counts)
  if (problems !== undefined)
    throw new Failure('partial', problems, { hint: 'petstore help import' })
}

/** The results of a run, and the reason if it ended before its last row. */
interface Report {
  readonly run: Import
  readonly tally: Tally
  readonly reason: Failure | undefined
  /** Whether the reason is that the results cannot be printed. */
  readonly isUnprinted?: boolean
}

/** A dry run prints only the requests. */
async function showRequests(context: Context, run: Import): Promise<Report> {
  const client = await context.client()
  const tally = createTally()
  for await (const { results } of run.batches) {
    tally.add(results)
    for (const { row } of results) {
      if (!('pet' in row)) continue
      await client.addPet(row.pet).catch((error: unknown) => {
        if (!(error instanceof NothingSent)) throw error
      })
    }
  }
  return { run, tally, reason: undefined }
}

async function add(context: Context, path: string, options: Options): Promise<void> {
  const [{ runImport }, text] = await Promise.all([
    import('../../import/run.ts'),
    import('../../import/summary.ts'),
  ])
  const { host, report } = context
  const settings = await context.settings()
  const environment = settings.requestEnvironment()
  const begun = performance.now()
  const sending = {
    ...(await commonOptions(context, path, options)),
    makeJournals: () => makeJournalsDirectory(host),
    retries: settings.value('retries'),
    look: commandLine('petstore pets list', {
      options: { '--env': environment, '--limit': '100' },
    }),
    connect: async (signal: AbortSignal) => {
      const client = await context.client({ retries: 0, signal })
      return { client, service: await client.destination() }
    },
  }
  const { run, tally, reason, isUnprinted } = await runImport(sending, (run) =>
    showResults(context, run),
  )
  // The same command on the same file fails again, and there is nothing to sum up.
  if (reason?.code === 'usage' && tally.finished === 0) throw reason

  const { counts } = tally
  // An expression that failed for a result would fail again.
  const printable = isUnprinted ? { '--jq': undefined } : {}
  const again: Context['retyped'] = (change, paths) =>
    context.retyped({ ...printable, ...change }, paths)
  const doubtful = tally.doubtful()
  const rows = run.input.content?.rows ?? tally.finished
  const isWhole = reason === undefined
  const seconds = (performance.now() - begun) / 1000
  const unit = unitOf(run.input.format)
  const isResumable = run.isResumable?.() ?? false
  const rejectsFormat = run.rejectsFormat?.()
  const isStopped = options.stopOnError === true && counts.rejected + counts.invalid > 0
  const facts = {
    counts,
    doubtful,
    unit,
    rows,
    seconds,
    isWhole,
    isStopped,
    isResumable,
    rejectsFormat,
  }
  const typed = {
    path: path === '-' ? undefined : path,
    environment,
    rejects: options.rejects,
    retyped: again,
  }
  const next = text.nextStep(typed, facts)
  const value = text.summaryValue(facts, next, run.journal?.path)
  const isGood = isWhole && counts.added + counts.skipped === rows
  const lastWrite = run.journal?.lastWrite
  const wereAdded = isGood && counts.skipped === rows && lastWrite !== undefined
  if (wereAdded) {
    await report.notice('added-before', addedBefore(rows, lastWrite, host.now()), {
      evenIfQuiet: true,
    })
  }
  const isShownAsText = await report.summary({
    value,
    text: wereAdded ? undefined : text.summaryText(facts, next),
    isGood,
  })
  // People have just read the command in the summary.
  const hint = isShownAsText ? undefined : next?.command
  if (reason !== undefined) {
    reason.hint ??= hint
    const added = `${plural(counts.added, 'row')} ${counts.added === 1 ? 'was' : 'were'} added`
    const change = isUnprinted && counts.added > 0 ? { done: added } : undefined
    await printResult(change, () => Promise.reject(reason), context.interruption.signal)
  }
  const problems = text.describeProblems(counts)
  if (problems === undefined) return
  const first = isShownAsText || next?.first === undefined ? '' : `; ${next.first}`
  throw new Failure('partial', `${problems}${first}`, { hint })
}

function addedBefore(rows: number, lastWrite: Date, now: Date): string {
  const date = longDate(lastWrite).replace(` ${now.getUTCFullYear()}`, '')
  const which = rows === 1 ? 'the only row was' : `all ${grouped(rows)} rows were`
  return `${which} added on ${date}; to add ${rows === 1 ? 'it' : 'them'} again: --restart`
}

/** Prints the results of an import as they arrive. */
async function showResults(context: Context, run: Import): Promise<Report> {
  const { output, interruption } = context
  const { signal } = interruption
  const stream = await output.stream(columns)
  const tally = createTally()
  const total = run.input.content?.rows
  const addedBefore = run.journal?.states.counts.added ?? 0
  const progress = await context.report.progress('rows', () => ({
    done: tally.finished,
    total,
    sent: tally.finished - tally.counts.skipped,
    toSend: total === undefined ? undefined : total - addedBefore,
  }))
  let reason: Failure | undefined
  const endWith = (error: unknown) => {
    if (!(error instanceof Failure)) throw error
    reason ??= error
  }
  let outputFailure: Failure | undefined
  const unprinted = (error: Failure) => {
    if (!signal.aborted) outputFailure ??= error
    return error
  }
  try {
    for await (const { results, pause: begun } of run.batches) {
      tally.add(results)
      for (const result of results) {
        if (!isShown(result, stream.isLive)) continue
        const event = eventOf(result)
        // A service may repeat the API key in its reason.
        stream.add(
          event.message === undefined
            ? event
            : { ...event, message: (await context.report.redactor())(event.message) },
        )
      }
      if (begun !== undefined) {
        const { failure, seconds } = begun
        await context.report.notice(
          'waiting',
          `${failure.message}; continuing in ${duration(seconds)}`,
        )
      }
      const reading = stream.isBehind()
      if (reading !== undefined)
        await orAborted(reading, signal).catch((error) => run.stop(unprinted(error)))
    }
  } catch (error) {
    endWith(error)
  } finally {
    await progress.end()
  }
  const ended = stream.end().then(async (omitted) => {
    if (omitted === 0) return
    await context.report.notice(
      'more',
      `the table ends here; -o csv shows the other ${plural(omitted, 'row')} as well`,
    )
  })
  const written = ended.catch((error) => endWith(unprinted(error)))
  // After Ctrl-C, a reader that has stopped is not waited for.
  await orAborted(written, signal).catch(endWith)
  if (signal.aborted) await Promise.race([written, pause(graceMilliseconds)])
  return { run, tally, reason, isUnprinted: reason !== undefined && reason === outputFailure }
}

/** A table lists only the rows that were not added, and a check only those that are invalid. */
function isShown({ outcome }: RowResult, isLive: boolean): boolean {
  return outcome !== 'valid' && (isLive || (outcome !== 'added' && outcome !== 'skipped'))
}

/**
 * The event that shows a row. In a JSON array, the number of the element takes the place of the
 * line.
 */
function eventOf({ row, outcome, id, status, message }: RowResult) {
  // The pet has to be looked up.
  const pet =
    outcome === 'doubtful' && 'pet' in row
      ? `${row.pet.name} (category ${row.pet.categoryId}): `
      : ''
  return { line: row.raw.number, outcome, id, status, message: message && `${pet}${message}` }
}
