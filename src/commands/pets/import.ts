import type { Context } from '../../context.ts'
import { Failure, NothingSent } from '../../failure.ts'
import { importFormats } from '../../import/format.ts'
import { createTally, type RowResult, type Tally } from '../../import/results.ts'
import type { Import } from '../../import/run.ts'
import { duration, plural } from '../../model/quantities.ts'
import { printResult } from '../../output/output.ts'
import { orAborted, pause } from '../../platform/promises.ts'
import { makeJournalsDirectory } from '../../settings/location.ts'
import { command, define, fileToWrite, type OptionsOf, option, wholeNumber } from '../declare.ts'

/** How long stdout may take for its remaining data after Ctrl-C. */
const graceMilliseconds = 150

const columns = ['line', 'row', 'outcome', 'id', 'status', 'message'] as const

type Options = OptionsOf<typeof declaration>

const declaration = () =>
  command('import', 'add many pets from a file', {
    prints: { shape: 'lines', schema: 'importRow' },
    actsOn: ['environment', 'key', 'requests', 'rows', 'data'],
    changes: 'service',
    fields: columns,
    argumentOptions: ['--file', '--input', '-f', '-i'],
    details: ['After an interruption, run the same command again: it resumes and adds no row twice.'],
    examples: [
      ['petstore pets import pets.ndjson --env local', 'import a file, or resume its import'],
      ['petstore pets import pets.csv --check', 'check every row and send nothing'],
      ['petstore pets import pets.csv --env local --rejects rejects.csv', 'write the rows to correct to a file'],
      ['petstore pets list --env local -o ndjson | petstore pets import - --env local', 'import from a pipe'],
    ],
  })
    .argument('<file>', 'rows as NDJSON, a JSON array, or CSV with a header (-: standard input)')
    .addOption(option('--format <format>', 'format of the file, detected by default').choices(importFormats))
    .option('--concurrency <count>', 'number of requests at a time', wholeNumber(1, 256), 8)
    .option('--journal <file>', 'file that records the state of each row', fileToWrite)
    .option('--restart', 'start over; rows that were already added are sent again')
    .addOption(
      option('--check', 'check every row and send nothing').conflicts(['journal', 'restart', 'resendDoubtful']),
    )
    .option('--rejects <file>', 'write the rejected and invalid rows to this file, unchanged', fileToWrite)
    .option('--stop-on-error', 'stop at the first row that is not added')
    .option('--resend-doubtful', 'resend rows whose outcome is unknown')

export const importPets = () =>
  define(declaration(), async (options, context, file) => {
    // After Ctrl-C, requests in flight finish and their outcomes are recorded, which takes a moment.
    context.interruption.hold()
    const isDryRun = (await context.settings()).value('dry-run')
    if (options.check || isDryRun) await check(context, file, { ...options, isDryRun })
    else await add(context, file, options)
  })

/** Loads the parts of the program that every import needs, with their common options. */
async function prepare({ host, interruption }: Context, path: string, options: Options) {
  const [{ openCheck, openImport }, text, { protectedFiles }] = await Promise.all([
    import('../../import/run.ts'),
    import('../../import/summary.ts'),
    import('../../settings/protected-files.ts'),
  ])
  const { stdin } = host
  const given = { path, ...options, stdin, interruption: interruption.signal, protectedFiles: protectedFiles(host) }
  return { openCheck, openImport, text, given }
}

async function check(context: Context, path: string, options: Options & { isDryRun: boolean }): Promise<void> {
  const { openCheck, text, given } = await prepare(context, path, options)
  const run = await openCheck(given)
  const { tally, reason } = await (options.isDryRun ? showRequests(context, run) : showResults(context, run)).finally(
    run.close,
  )
  if (reason?.code === 'usage' && tally.finished === 0) throw reason
  await context.report.notice('summary', `${text.formatCounts(tally.counts)}; nothing was sent`)
  if (reason !== undefined) throw reason
  const problems = text.describeProblems(tally.counts)
  if (problems !== undefined) throw new Failure('partial', problems, { hint: 'petstore help import' })
}

/** The results of a run, and the reason if it ended before its last row. */
interface Report {
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
  return { tally, reason: undefined }
}

async function add(context: Context, path: string, options: Options): Promise<void> {
  const { openImport, text, given } = await prepare(context, path, options)
  const settings = await context.settings()
  const begun = performance.now()
  const { host } = context
  const environment = settings.value('env')
  // A file that is redirected to standard input is found again by its path.
  const commandsOf = (input: { path?: string | undefined }) =>
    text.commandsFor({
      path: path === '-' ? (input.path ?? path) : path,
      environment,
      rejects: options.rejects,
      retyped: context.retyped,
    })
  const run = await openImport({
    ...given,
    journalsDirectory: () => makeJournalsDirectory(host),
    environment,
    retries: settings.value('retries'),
    commands: commandsOf,
    connect: async (signal) => {
      const client = await context.client({ retries: 0, signal })
      return { client, url: client.baseUrl() }
    },
    now: () => host.now(),
  })
  const setAside = run.journal?.setAside
  if (setAside !== undefined) await context.report.notice('set-aside', `the previous journal is now ${setAside}`)
  const { tally, reason, isUnprinted } = await showResults(context, run).finally(run.close)

  const { counts } = tally
  const problems = text.describeProblems(counts)
  const commands = commandsOf(run.input)
  const isWhole = reason === undefined
  const isResumable = run.isResumable()
  // The same command on the same file fails again, and there is nothing to sum up.
  if (reason?.code === 'usage' && tally.finished === 0) throw reason
  const next = commands.next({ counts, isWhole, isResumable, rejectsFormat: run.rejectsFormat() })
  await context.report.notice(
    'summary',
    text.summary({
      counts,
      seconds: (performance.now() - begun) / 1000,
      journal: run.journal?.path ?? '',
      next,
      isWhole,
      isPiped: run.input.content === undefined,
    }),
  )
  const hint = counts.doubtful > 0 ? commands.look : next
  if (reason !== undefined) {
    reason.hint ??= hint
    const added = `${plural(counts.added, 'row')} ${counts.added === 1 ? 'was' : 'were'} added`
    const change = isUnprinted && counts.added > 0 ? { done: added } : undefined
    await printResult(change, () => Promise.reject(reason), context.interruption.signal)
  }
  if (problems === undefined) return
  const resend = '; check whether the doubtful rows were added; --resend-doubtful resends all of them'
  throw new Failure('partial', counts.doubtful > 0 && isResumable ? `${problems}${resend}` : problems, { hint })
}

/** Prints the results of an import as they arrive. */
async function showResults(context: Context, run: Import): Promise<Report> {
  const { output, interruption } = context
  const { signal } = interruption
  const stream = await output.stream(columns)
  const tally = createTally()
  const size = run.input.content?.size
  const progress = await context.report.progress('rows', () => ({
    done: tally.finished,
    share: size ? Math.min(1, tally.bytes / size) : undefined,
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
          event.message === undefined ? event : { ...event, message: await context.report.redact(event.message) },
        )
      }
      if (begun !== undefined) {
        const { failure, seconds } = begun
        await context.report.notice('waiting', `${failure.message}; continuing in ${duration(seconds)}`)
      }
      const reading = stream.isBehind()
      if (reading !== undefined) await orAborted(reading, signal).catch((error) => run.stop(unprinted(error)))
    }
  } catch (error) {
    endWith(error)
  } finally {
    await progress.end()
  }
  const written = stream.end().catch((error) => endWith(unprinted(error)))
  // After Ctrl-C, a reader that has stopped is not waited for.
  await (signal.aborted ? Promise.race([written, pause(graceMilliseconds)]) : written)
  return { tally, reason, isUnprinted: reason !== undefined && reason === outputFailure }
}

/** A table lists only the rows that were not added, and a check only those that are invalid. */
function isShown({ outcome }: RowResult, isLive: boolean): boolean {
  return outcome !== 'valid' && (isLive || (outcome !== 'added' && outcome !== 'skipped'))
}

/** The event that shows a row; it has `row` only for a JSON array, where one line may hold many rows. */
function eventOf({ row, outcome, id, status, message }: RowResult) {
  const { line, element } = row.raw
  return { line, row: element, outcome, id, status, message }
}
