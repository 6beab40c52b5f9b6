import { InvalidArgumentError } from '@commander-js/extra-typings'
import type { Context } from '../../context.ts'
import { Failure } from '../../failure.ts'
import { listLimits, petStatuses } from '../../model/pets.ts'
import type { Pet } from '../../model/schema.ts'
import { formats, screenViewOf } from '../../output/formats.ts'
import { petColumns } from '../../output/view.ts'
import { pause } from '../../platform/promises.ts'
import { seconds, wholeNumber } from '../../settings/value-types.ts'
import {
  collect,
  command,
  define,
  type Example,
  int64,
  noted,
  option,
  readerOf,
} from '../declare.ts'
import { isFiltered, listingOf, type PetListing, type PetSelection } from './listing.ts'

const examples: readonly Example[] = [
  ['petstore pets list --env local', 'list the pets of the local service'],
  ['petstore pets list --env local --status available --limit 5', 'list up to five available pets'],
  ['petstore pets list --env local --name Rex --category-id 2', 'find pets'],
  ['petstore pets list --env local --limit 100 --jq length', 'count pets'],
  [`petstore pets list --env local --limit 100 --jq 'sort_by(.name)'`, 'sort pets by name'],
  [`petstore pets list --env local --jq '.[].name'`, 'print only the names'],
  ['petstore pets list --env local --watch', 'list again every five seconds until Ctrl-C'],
  [
    `petstore pets list --env local --until 'any(.[]; .status == "sold")'`,
    'wait until a pet is sold',
  ],
]

export const listPets = () =>
  define(
    command('list', 'list pets', {
      prints: { shape: 'array', schema: 'pet' },
      actsOn: ['environment', 'requests', 'data'],
      fields: petColumns.names,
      bareValues: [['--status'], ['--limit']],
      joins: '--name',
      examples,
    })
      .alias('ls')
      .addOption(
        noted(option('--status <status>', 'only pets with this status').choices(petStatuses), {
          ifSeveral: 'a list has one status; without --status, it has all',
        }),
      )
      .option(
        '--name <text>',
        'only pets with exactly this name; repeated: with one of these names',
        wantedName,
        [],
      )
      .option('--category-id <id>', 'only pets of this category', int64)
      .option(
        '--limit <count>',
        `maximum number of pets, up to ${listLimits.maximum} (default: ${listLimits.default}, or ${listLimits.maximum} with --watch or --until)`,
        readerOf(wholeNumber(listLimits)),
      )
      .addOption(
        noted(
          option(
            '--watch [seconds]',
            'list again every few seconds and show what changed (default: 5)',
          )
            .preset(String(defaultInterval))
            .argParser(readerOf(seconds({ minimum: 0.1, maximum: 86_400 }))),
          { isVerb: true },
        ),
      )
      .addOption(
        noted(
          option(
            '--until <expression>',
            'list again, without a time limit, until this jq expression is true, then print the list',
          ).argParser(condition),
          { isVerb: true },
        ),
      ),
    async ({ watch, until, ...typed }, context) => {
      const isRepeated = watch !== undefined || until !== undefined
      const selection: PetSelection = {
        status: typed.status,
        names: typed.name,
        categoryId: typed.categoryId,
        // The limit of a filter is that of its results, and without one it prints all of them.
        limit: typed.limit ?? (isRepeated ? listLimits.maximum : undefined),
        isRepeated,
      }
      await explainDryRun(context, selection, watch !== undefined)
      const listing = listingOf(await context.client(), selection)
      const noticeLimit = limitNotice(context, selection, listing)
      const list = async () => {
        const pets = await listing.list()
        if (isRepeated) await noticeLimit(pets)
        return pets
      }
      const interval = watch ?? defaultInterval
      if (watch !== undefined && until === undefined)
        return watchPets(context, listing, list, interval)
      const pets =
        until === undefined ? await list() : await waitForPets(context, list, until, interval)
      await context.output.list(pets, petColumns, listing.ifEmpty)
      await noticeLimit(pets)
      if (pets.length === 0) await noticePatterns(context, selection)
    },
  )

const defaultInterval = 5

/** A status alone is no jq expression, and neither is `status=sold`. */
function condition(text: string): string {
  const isStatus = petStatuses.some((status) => status === text.toLowerCase())
  if (isStatus || /^status=+"?\w+"?$/.test(text)) throw new InvalidArgumentError('a jq expression')
  return text
}

/** Any name that the service may have, exactly. */
function wantedName(text: string, before: readonly string[]): readonly string[] {
  if (text === '') throw new InvalidArgumentError('a name')
  return collect(text, before)
}

/** `--name 'Rex*'` finds only a pet with this very name. */
async function noticePatterns({ report }: Context, { names }: PetSelection): Promise<void> {
  const pattern = names.find((name) => /[*%?]/.test(name))
  if (pattern === undefined) return
  const message = `--name takes whole names, not patterns such as '${pattern}'`
  await report.notice('exact-name', `${message}; --limit 100 --jq can select by a part of a name`)
}

async function explainDryRun(
  { settings, report, retyped }: Context,
  selection: PetSelection,
  isWatch: boolean,
): Promise<void> {
  if (!(await settings()).value('dry-run')) return
  if (isWatch) {
    throw new Failure('usage', '--watch cannot be used with --dry-run', {
      hint: retyped({ '--watch': undefined }),
    })
  }
  if (isFiltered(selection) && selection.status === undefined) {
    const more = 'more requests follow if this list is full: one for each status'
    await report.notice('dry-run', more)
  }
}

/** The notice that a list may leave pets out: once, although a wait lists again and again. */
function limitNotice(
  { report }: Context,
  selection: PetSelection,
  { limitMessage }: PetListing,
): (pets: readonly Pet[]) => Promise<void> {
  let latest: string | undefined
  return async ({ length }) => {
    const message = limitMessage(length)
    if (message === undefined || message === latest) return
    latest = message
    await report.notice('more', message, { evenIfQuiet: isFiltered(selection) })
  }
}

/** `pets list --until`: the first list for which the expression is true. */
async function waitForPets(
  { interruption, report }: Context,
  list: PetListing['list'],
  expression: string,
  interval: number,
): Promise<readonly Pet[]> {
  const { checkJq, testByJq } = await import('../../output/jq.ts')
  await checkJq(expression, '--until')
  return report.whileWaiting('the expression of --until', async () => {
    for (;;) {
      const pets = await list()
      if (await testByJq(pets, expression, interruption.released)) return pets
      await pause(interval * 1000, interruption.signal)
    }
  })
}

/** `pets list --watch`: a table that is redrawn in a terminal, events as JSON elsewhere. */
async function watchPets(
  context: Context,
  { list, limitMessage }: PetListing,
  noticingList: PetListing['list'],
  interval: number,
): Promise<void> {
  const { host, report, output, interruption } = context
  const { signal } = interruption
  const settings = await context.settings()
  const { value: format, origin } = settings.resolve('output')
  const view = await screenViewOf(host, await output.settings(), petColumns.names)
  if (origin.kind === 'flag' && view === undefined && formats[format].kind !== 'json') {
    const problem = `--watch prints a table in a terminal and JSON elsewhere; ${format} is not possible here`
    throw new Failure('usage', problem, {
      hint: context.retyped({ '--output': undefined, '--json': true }),
    })
  }
  interruption.expect()
  const { watch, printEvents } = await import('../../output/watch/watch.ts')
  const { showOnScreen } = await import('../../output/watch/screen.ts')
  const title = settings.value('env')
  const watching =
    view === undefined
      ? printEvents(watch(noticingList, interval, signal), context)
      : showOnScreen(watch(list, interval, signal), { host, report, view, title, limitMessage })
  await watching.catch((error: unknown) => {
    throw signal.aborted ? signal.reason : error
  })
}
