import type { Context } from '../../context.ts'
import { Failure } from '../../failure.ts'
import { listLimits, petStatuses } from '../../model/pets.ts'
import { formats, viewOf } from '../../output/formats.ts'
import { movesCursor, petColumns } from '../../output/view.ts'
import type { PetList } from '../../output/watch/watch.ts'
import { pause } from '../../platform/promises.ts'
import { seconds, wholeNumber } from '../../settings/value-types.ts'
import { collect, command, define, int64, option, readerOf, textLike } from '../declare.ts'
import { findPets, isFiltered, type PetSelection } from './listing.ts'

const defaultInterval = 5

/** Any name that the service may have, exactly. */
const wantedName = textLike(/./s, 'a name')

/** A status alone is no jq expression, and neither is `status=sold`. */
const condition = textLike(
  new RegExp(`^(?!(${petStatuses.join('|')})$|status=+"?\\w+"?$)`, 'i'),
  'a jq expression'
)

export const listPets = define(
  command('list', 'list pets', {
    prints: 'array',
    actsOn: ['requests', 'data'],
    fields: petColumns.names,
    examples: `
      # list the pets of the local service
      petstore pets list --env local
      # list up to five available pets
      petstore pets list --env local --status available --limit 5
      # find pets
      petstore pets list --env local --name Rex --category-id 2
      # count pets
      petstore pets list --env local --limit 100 --jq length
      # sort pets by name
      petstore pets list --env local --limit 100 --jq 'sort_by(.name)'
      # print only the names
      petstore pets list --env local --jq '.[].name'
      # list again every five seconds until Ctrl-C
      petstore pets list --env local --watch
      # wait until a pet is sold
      petstore pets list --env local --until 'any(.[]; .status == "sold")'
    `
  })
    .aliases(['ls', 'search', 'find', 'filter'])
    .addOption(option('--status <status>', 'only pets with this status').choices(petStatuses))
    .option(
      '--name <text>',
      'only pets with exactly this name; repeated: with one of these names',
      (text, before: readonly string[] | undefined) => collect(wantedName(text), before)
    )
    .option('--category-id <id>', 'only pets of this category', int64)
    .option(
      '--limit <count>',
      `maximum number of pets, up to ${listLimits.maximum} (default: ${listLimits.default}, or ${listLimits.maximum} with --watch or --until)`,
      readerOf(wholeNumber(listLimits))
    )
    .addOption(
      option('--watch [seconds]', 'list again every few seconds and show what changed (default: 5)')
        .preset(String(defaultInterval))
        .argParser(readerOf(seconds({ minimum: 0.1, maximum: 86_400 })))
        .conflicts('dryRun')
    )
    .addOption(
      option(
        '--until <expression>',
        'list again, without a time limit, until this jq expression is true, then print the list'
      ).argParser(condition)
    ),
  async ({ watch, until, name = [], ...typed }, context) => {
    const isRepeated = watch !== undefined || until !== undefined
    const selection: PetSelection = {
      ...typed,
      name,
      // The limit of a filter is that of its results, and without one it prints all of them.
      limit: typed.limit ?? (isRepeated ? listLimits.maximum : undefined),
      isRepeated
    }
    await explainDryRun(context, selection)
    const client = await context.client()
    const find = () => findPets(client, selection)
    const noticeLimit = limitNotice(context, selection)
    const findAgain = async () => {
      const found = await find()
      await noticeLimit(found)
      return found
    }
    const interval = watch ?? defaultInterval
    if (watch !== undefined && until === undefined)
      return watchPets(context, find, findAgain, interval)
    const found =
      until === undefined ? await find() : await waitForPets(context, findAgain, until, interval)
    const ifEmpty = isFiltered(selection) ? 'no pets match' : 'no pets'
    await context.output.list(found.pets, petColumns, ifEmpty)
    await noticeLimit(found)
    // `--name 'Rex*'` finds only a pet with this very name.
    if (found.pets.length === 0 && name.some(name => /[*%?]/.test(name)))
      await context.report.notice('exact-name', wholeNames)
  }
)

const wholeNames =
  '--name takes whole names, not patterns; --limit 100 --jq can select by a part of a name'

/** A dry run prints only the first request. */
async function explainDryRun({ settings, report }: Context, selection: PetSelection) {
  const mayContinue = isFiltered(selection) && selection.status === undefined
  if (!mayContinue || !(await settings()).value('dry-run')) return
  const more = 'more requests follow if this list is full: one for each status'
  await report.notice('dry-run', more)
}

/** The notice that a list may leave pets out: once, although a wait lists again and again. */
function limitNotice({ report }: Context, selection: PetSelection) {
  let latest: string | undefined
  return async ({ limit }: PetList) => {
    if (limit === undefined || limit === latest) return
    latest = limit
    await report.notice('more', limit, { evenIfQuiet: isFiltered(selection) })
  }
}

/** `pets list --until`: the first list for which the expression is true. */
async function waitForPets(
  { interruption, report }: Context,
  find: () => Promise<PetList>,
  expression: string,
  interval: number
): Promise<PetList> {
  const { checkJq, testByJq } = await import('../../output/jq.ts')
  await checkJq(expression, '--until')
  return report.whileWaiting('the expression of --until', async () => {
    for (;;) {
      const found = await find()
      if (await testByJq(found.pets, expression)) return found
      await pause(interval * 1000, interruption.signal)
    }
  })
}

/** `pets list --watch`: a table that is redrawn in a terminal, events as JSON elsewhere. */
async function watchPets(
  context: Context,
  find: () => Promise<PetList>,
  findAgain: () => Promise<PetList>,
  interval: number
): Promise<void> {
  const { host, report, output, interruption } = context
  const { signal } = interruption
  const settings = await context.settings()
  const { value: format, origin } = settings.resolve('output')
  const chosen = await output.settings()
  const isTable = formats[chosen.format].kind === 'people'
  const isDrawn = isTable && host.terminal.stdout && movesCursor(host)
  const view = isDrawn ? await viewOf(host, chosen, petColumns.names) : undefined
  if (origin.kind === 'flag' && view === undefined && formats[format].kind !== 'json') {
    const problem = `--watch prints a table in a terminal and JSON elsewhere; ${format} is not possible here`
    throw new Failure('usage', problem, {
      hint: context.retyped({ '--output': undefined, '--json': true })
    })
  }
  interruption.isExpected = true
  const { watch, printEvents } = await import('../../output/watch/watch.ts')
  const { showOnScreen } = await import('../../output/watch/screen.ts')
  const title = settings.value('env')
  const watching =
    view === undefined
      ? printEvents(watch(findAgain, interval, signal), context)
      : showOnScreen(watch(find, interval, signal), { host, report, view, title })
  await watching.catch((error: unknown) => {
    throw signal.aborted ? signal.reason : error
  })
}
