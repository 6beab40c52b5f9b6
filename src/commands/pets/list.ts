import { Failure } from '../../failure.ts'
import { listLimits, petStatuses } from '../../model/pets.ts'
import { print } from '../../output/stream.ts'
import { petColumns } from '../../output/view.ts'
import type { Context } from '../../session/context.ts'
import { seconds } from '../../settings/value-types.ts'
import { pause } from '../../system/promises.ts'
import { duration } from '../../text/quantities.ts'
import { collect, command, define, int64, integer, option, readerOf } from '../declare.ts'
import { findPets, type PetList } from './listing.ts'

const defaultInterval = 5

export const listPets = define(
  command('list', 'list pets', {
    prints: 'array',
    actsOn: ['request'],
    columns: petColumns,
    details:
      'The service lists at most 100 pets, and knows only --status. petstore looks for --name and --category-id in its lists: 100 pets, and 100 of each status.',
    examples: `
      # list the pets of the local service
      petstore pets list --env local
      # find pets
      petstore pets list --env local --name Rex --category-id 2
      # count pets
      petstore pets list --env local --jq length
      # sort pets by name
      petstore pets list --env local --jq 'sort_by(.name)'
      # wait until a pet is sold
      petstore pets list --env local --until 'any(.[]; .status == "sold")'
    `
  })
    .alias('ls')
    .addOption(
      option('--status <status>', 'only pets with this status; repeated: the last one').choices(
        petStatuses
      )
    )
    .option(
      '--name <text>',
      'only pets with exactly this name; repeated: with one of these names',
      collect
    )
    .option('--category-id <id>', 'only pets of this category', int64)
    .option(
      '--limit <count>',
      `at most this many pets (default: ${listLimits.maximum}, which is all that the service can list)`,
      integer(1, listLimits.maximum)
    )
    .addOption(
      option(
        '--watch [seconds]',
        `list again every few seconds (default: ${defaultInterval}) and show what changed; --jq reads the events`
      )
        .preset(String(defaultInterval))
        .argParser(readerOf(seconds({ minimum: 0.1, maximum: 86_400 })))
        .conflicts('dryRun')
    )
    .option(
      '--until <expression>',
      'list again until this jq expression is true, then print the list'
    ),
  async ({ watch, until, ...selection }, context) => {
    const client = await context.client()
    const find = () => findPets(client, selection)
    const interval = watch ?? defaultInterval
    if (watch !== undefined && until === undefined) return watchPets(context, find, interval)
    const { pets, notice } =
      until === undefined ? await find() : await waitForPets(context, find, until, interval)
    await context.output.list(pets, petColumns, ifEmpty(notice))
    await noticeLimit(context, notice)
  }
)

/** Where a notice cannot tell whether there are any, it is enough. */
const ifEmpty = (notice: string | undefined) => (notice === undefined ? 'no pets found' : '')

/** Also with -q: without it, a list that is cut would look whole. */
async function noticeLimit({ report }: Context, notice: string | undefined) {
  if (notice !== undefined) await report.notice('more', notice, { evenIfQuiet: true })
}

/** `pets list --until`: the first list for which the expression is true. */
async function waitForPets(
  { interruption, report }: Context,
  find: () => Promise<PetList>,
  expression: string,
  interval: number
) {
  const { checkJq, testByJq } = await import('../../output/jq.ts')
  await checkJq(expression, '--until')
  return report.whileWaiting('the expression of --until', async () => {
    for (;;) {
      const found = await find()
      if (await testByJq(found.pets, expression, interruption)) return found
      await pause(interval * 1000, interruption.signal)
    }
  })
}

/** `pets list --watch`: a line for each change in a terminal, events as JSON elsewhere. */
async function watchPets(context: Context, find: () => Promise<PetList>, interval: number) {
  const { host, interruption, report } = context
  const { signal } = interruption
  const { value: format, origin } = context.settings.resolve('output')
  const isJson = format === 'json' || format === 'ndjson'
  const isTable = format === 'table' && host.terminal.stdout
  if (origin.kind === 'option' && !isTable && !isJson) {
    const problem = '--watch prints a table in a terminal and JSON elsewhere'
    throw new Failure('usage', problem)
  }
  interruption.isExpected = true
  const { eventViewer, tableViewer, watch } = await import('../../output/watch.ts')
  let latest: string | undefined
  const findAndNotice = async () => {
    const found = await find()
    if (found.notice !== latest) await noticeLimit(context, found.notice)
    latest = found.notice
    return found.pets
  }
  if (isTable) await report.notice('watch', `watching every ${duration(interval)}; Ctrl-C ends it`)
  const viewer = await (isTable
    ? tableViewer(context, () => ifEmpty(latest))
    : eventViewer(context))
  await watch(findAndNotice, interval, signal, viewer).finally(async () => {
    // The terminal has just shown `^C`, and the shell's prompt needs a line of its own.
    if (signal.aborted && host.terminal.stderr) await print(host, 'stderr', '\n')
  })
}
