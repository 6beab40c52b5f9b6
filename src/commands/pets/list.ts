import { InvalidArgumentError } from '@commander-js/extra-typings'
import type { Context } from '../../context.ts'
import { Failure } from '../../failure.ts'
import { listLimits, type PetQuery, petStatuses } from '../../model/pets.ts'
import type { Pet } from '../../model/schema.ts'
import { formats, screenViewOf } from '../../output/formats.ts'
import { petColumns, type View } from '../../output/view.ts'
import type { Watcher, WatcherOptions } from '../../output/watch/watch.ts'
import { pause } from '../../platform/promises.ts'
import { seconds, wholeNumber } from '../../settings/value-types.ts'
import { command, define, noted, option, readerOf } from '../declare.ts'

export const listPets = () =>
  define(
    command('list', 'list pets', {
      prints: { shape: 'array', schema: 'pet' },
      actsOn: ['environment', 'requests', 'data'],
      fields: petColumns,
      bareValues: [['--status'], ['--limit']],
      joins: '--name',
      examples: [
        ['petstore pets list --env local', 'list the pets of the local service'],
        [
          'petstore pets list --env local --status available --limit 5',
          'list up to five available pets',
        ],
        ['petstore pets list --env local --watch', 'list again every five seconds until Ctrl-C'],
        [
          `petstore pets list --env local --until 'any(.[]; .status == "sold")'`,
          'wait until a pet is sold',
        ],
        [`petstore pets list --env local --jq '.[].name'`, 'print only the names'],
      ],
    })
      .alias('ls')
      .addOption(
        noted(option('--status <status>', 'only pets with this status').choices(petStatuses), {
          ifSeveral: 'a list has one status; without --status, it has all',
        }),
      )
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
            'list again until this jq expression is true for the list, then print the list',
          ).argParser(condition),
          { isVerb: true },
        ),
      ),
    async ({ status, limit, watch, until }, context) => {
      const repeats = watch !== undefined || until !== undefined
      const query: PetQuery = { status, limit: limit ?? (repeats ? listLimits.maximum : undefined) }
      if (watch !== undefined && (await context.settings()).value('dry-run')) {
        throw new Failure('usage', '--watch cannot be used with --dry-run', {
          hint: context.retyped({ '--watch': undefined }),
        })
      }
      if (watch !== undefined && until === undefined) return watchPets(context, query, watch)
      const pets =
        until === undefined
          ? await (await context.client()).listPets(query)
          : await waitForPets(context, query, until, watch ?? defaultInterval)
      const ifEmpty = status === undefined ? 'no pets' : `no pets with status '${status}'`
      await context.output.list(pets, petColumns, { ifEmpty })
      const message = limitMessage(query, pets.length)
      if (message !== undefined) await context.report.notice('more', message)
    },
  )

const defaultInterval = 5

/** A status alone is no jq expression. */
function condition(text: string): string {
  if (petStatuses.some((status) => status === text.toLowerCase()))
    throw new InvalidArgumentError('a jq expression')
  return text
}

/** The message that there may be more pets than a list of this length. */
function limitMessage({ limit = listLimits.default }: PetQuery, count: number): string | undefined {
  if (count < limit) return undefined
  const shown = count === 1 ? 'showing the first pet' : `showing the first ${count} pets`
  return count < listLimits.maximum
    ? `${shown}; use --limit (up to ${listLimits.maximum}) for more`
    : `${shown}; the service cannot list more`
}

/** `pets list --until`: the first list for which the expression is true. */
async function waitForPets(
  { client, interruption, report }: Context,
  query: PetQuery,
  expression: string,
  interval: number,
): Promise<readonly Pet[]> {
  const { checkJq, testByJq } = await import('../../output/jq.ts')
  await checkJq(expression, '--until')
  const { listPets: list } = await client()
  return report.whileWaiting('the expression of --until', async () => {
    for (;;) {
      const pets = await list(query)
      if (await testByJq(pets, expression, interruption.released)) return pets
      await pause(interval * 1000, interruption.signal)
    }
  })
}

/** `pets list --watch`: a table that is redrawn in a terminal, events as JSON elsewhere. */
async function watchPets(context: Context, query: PetQuery, interval: number): Promise<void> {
  const settings = await context.settings()
  const { value: format, origin } = settings.resolve('output')
  const view = await screenViewOf(context.host, await context.output.settings(), petColumns)
  if (origin.kind === 'flag' && view === undefined && formats[format].kind !== 'json') {
    const problem = `--watch prints a table in a terminal and JSON elsewhere; ${format} is not possible here`
    throw new Failure('usage', problem, {
      hint: context.retyped({ '--output': undefined, '--json': true }),
    })
  }
  context.interruption.expect()
  const client = await context.client()
  const { watch } = await import('../../output/watch/watch.ts')
  await watch({
    list: () => client.listPets(query),
    watcher: await watcherFor(context, query, view),
    seconds: interval,
    signal: context.interruption.signal,
  })
}

async function watcherFor(
  { settings, output, host, report }: Context,
  query: PetQuery,
  view?: View,
): Promise<Watcher> {
  const shared: WatcherOptions = {
    now: () => host.now(),
    limitMessage: (count) => limitMessage(query, count),
    describe: report.describe,
  }
  if (view === undefined) {
    const { createJsonWatcher } = await import('../../output/watch/watch.ts')
    const { fields } = await output.settings()
    return createJsonWatcher({
      ...shared,
      fields,
      print: (event) => output.json(event, 'ndjson'),
      notice: report.notice,
    })
  }
  const { createScreenWatcher } = await import('../../output/watch/screen-watcher.ts')
  const title = (await settings()).value('env')
  const watcher = createScreenWatcher({ ...shared, host, view, title })
  report.divertNotices(watcher.showNotice)
  return watcher
}
