import type { Context } from '../../context.ts'
import { Failure, NothingSent } from '../../failure.ts'
import { importFormats } from '../../import/format.ts'
import type { ImportEnvironment, ImportReport } from '../../import/run.ts'
import type { RowResult, Tally } from '../../import/tally.ts'
import type { NewPet } from '../../model/pets.ts'
import { duration } from '../../model/quantities.ts'
import { pause } from '../../platform/wait.ts'
import { makeJournalsDirectory } from '../../settings/location.ts'
import { argument, command, define, option, wholeNumber } from '../declare.ts'

/** How long stdout has after Ctrl-C to take what is left. */
const graceMilliseconds = 150

const columns = ['line', 'row', 'outcome', 'id', 'status', 'message'] as const

export const importPets = () =>
  define(
    command('import', 'add many pets from a file', {
      actsOn: ['environment', 'key', 'requests', 'rows', 'data'],
      changes: 'service',
      fields: columns,
      details: ['After an interruption, run the same command again: it resumes and adds no row twice.'],
      examples: [
        ['petstore pets import pets.ndjson --env local', 'import a file, or resume its import'],
        ['petstore pets import pets.csv --check', 'check every row and send nothing'],
        ['petstore pets import pets.csv --env local --rejects rejects.csv', 'write the rows to correct to a file'],
        ['petstore pets list --env local -o ndjson | petstore pets import - --env local', 'import from a pipe'],
      ],
    })
      .addArgument(argument('<file>', 'rows as NDJSON, a JSON array, or CSV with a header (-: standard input)'))
      .addOption(option('--format <format>', 'format of the file, detected by default').choices(importFormats))
      .addOption(
        option('--concurrency <count>', 'number of requests at a time').argParser(wholeNumber(1, 256)).default(8),
      )
      .addOption(option('--journal <file>', 'file that records the state of each row'))
      .addOption(option('--restart', 'start over, whatever earlier runs have added'))
      .addOption(
        option('--check', 'check every row and send nothing').conflicts(['journal', 'restart', 'resendDoubtful']),
      )
      .addOption(option('--rejects <file>', 'write the rejected and invalid rows to this file, unchanged'))
      .addOption(option('--stop-on-error', 'stop at the first row that is not added'))
      .addOption(option('--resend-doubtful', 'resend rows whose outcome is unknown')),
    async (options, context, file) => {
      // What is under way at Ctrl-C is finished and written down, which takes a moment.
      context.interruption.hold()
      const isDryRun = (await context.settings()).value('dry-run')
      if (options.check || isDryRun) await check(context, file, { ...options, isDryRun })
      else await add(context, file, options)
    },
  )

interface Options {
  readonly format?: (typeof importFormats)[number] | undefined
  readonly rejects?: string | undefined
  readonly stopOnError?: true | undefined
  readonly journal?: string | undefined
  readonly restart?: true | undefined
  readonly resendDoubtful?: true | undefined
  readonly concurrency: number
}

async function check(context: Context, path: string, options: Options & { isDryRun: boolean }): Promise<void> {
  const [{ checkRows }, text, { protectedFiles }] = await Promise.all([
    import('../../import/run.ts'),
    import('../../import/summary.ts'),
    import('../../settings/protected-files.ts'),
  ])
  const files = protectedFiles(context.host)
  const { tally, reason } = await watch(context, async (environment) => {
    if (!options.isDryRun) return checkRows({ path, ...options, protectedFiles: files }, environment)
    // What would be sent is what there is to see; of the other rows the count.
    const client = await context.client()
    const onPet = async (pet: NewPet) => {
      await client.addPet(pet).catch((error: unknown) => {
        if (!(error instanceof NothingSent)) throw error
      })
    }
    return checkRows({ path, ...options, protectedFiles: files, onPet }, { ...environment, onResult: () => {} })
  })
  await context.notice('summary', `${text.formatCounts(tally.counts)}; nothing was sent`)
  if (reason !== undefined) throw reason
  const faults = text.describeProblems(tally.counts)
  if (faults !== undefined) throw new Failure('partial', faults, { hint: 'petstore help import' })
}

async function add(context: Context, path: string, options: Options): Promise<void> {
  const [{ sendFile }, text, { protectedFiles }, settings] = await Promise.all([
    import('../../import/run.ts'),
    import('../../import/summary.ts'),
    import('../../settings/protected-files.ts'),
    context.settings(),
  ])
  const begun = performance.now()
  const commands = text.commandsFor({ path, environment: settings.resolve('env'), ...options })
  let journal = ''
  const { tally, reason } = await watch(context, (environment) =>
    sendFile(
      {
        path,
        ...options,
        journal: options.journal,
        protectedFiles: protectedFiles(context.host),
        journalsDirectory: () => makeJournalsDirectory(context.host),
        environment: settings.value('env'),
        retries: settings.value('retries'),
        restartCommand: commands.restart,
      },
      {
        ...environment,
        connect: (signal) => context.bulkClient(signal),
        onJournal: ({ path: place, setAside }) => {
          journal = place
          if (setAside !== undefined) void context.notice('set-aside', `the journal of before is kept as ${setAside}`)
        },
        onPause: ({ message }, seconds) => {
          void context.notice('waiting', `${message}; going on in ${duration(seconds)}`)
        },
      },
    ),
  )
  const faults = text.describeProblems(tally.counts)
  const isWhole = reason === undefined
  const { counts } = tally
  // The same command on the same file fails again, and there is nothing to sum up.
  if (reason?.code === 'usage' && tally.finished === 0) throw reason
  const isResumable = options.journal !== undefined || !tally.isPipe
  const next = commands.next({ counts, isWhole, isResumable })
  const seconds = (performance.now() - begun) / 1000
  await context.notice('summary', text.summary({ counts, seconds, journal, next, isLost: !isWhole && !isResumable }))
  if (reason !== undefined) throw reason.hint === undefined && next !== undefined ? reason.withHint(next) : reason
  if (faults === undefined) return
  if (counts.doubtful === 0) throw new Failure('partial', faults, { hint: next })
  const resend = isResumable
    ? '; once you have looked, the same command with --resend-doubtful sends again what is in doubt'
    : ''
  throw new Failure('partial', `${faults}${resend}`, { hint: commands.look })
}

/** Runs an import, and lets people and programs see each row as it ends. */
async function watch(
  context: Context,
  run: (environment: ImportEnvironment) => Promise<ImportReport>,
): Promise<ImportReport> {
  const { host, output, reporter, interruption } = context
  const events = await output.stream(columns)
  let progress: { end(): Promise<void> } | undefined
  const onStart = async (tally: Tally) => {
    progress = await reporter.progress('rows', () => ({ done: tally.finished, share: tally.share }))
  }
  try {
    const { tally, reason } = await run({
      stdin: host.stdin,
      now: () => host.now(),
      interruption: interruption.signal,
      onStart,
      onResult: (result) => {
        if (events.isLive || !isAdded(result)) events.add(eventOf(result))
      },
      isBehind: () => events.isBehind(),
    })
    await progress?.end()
    const written = events.end().catch((error: unknown) => {
      if (error instanceof Failure) return error
      throw error
    })
    // Who has pressed Ctrl-C does not wait for whoever reads, either.
    const fault = await (interruption.signal.aborted ? Promise.race([written, pause(graceMilliseconds)]) : written)
    return { tally, reason: reason ?? (fault instanceof Failure ? fault : undefined) }
  } finally {
    await progress?.end()
  }
}

const isAdded = ({ outcome }: RowResult) => outcome === 'added' || outcome === 'skipped'

/** What is shown of a row; `row` only for a JSON array, where one line may hold many rows. */
function eventOf({ row, outcome, id, status, message }: RowResult) {
  const { line, element } = row.raw
  return { line, row: element, outcome, id, status, message }
}
