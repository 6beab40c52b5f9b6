import type { Context } from '../../context.ts'
import { Failure } from '../../failure.ts'
import { listLimits, type PetQuery, petStatuses } from '../../model/pets.ts'
import { petColumns } from '../../output/columns.ts'
import { formats } from '../../output/formats.ts'
import type { Watcher, WatcherOptions } from '../../output/watch/watch.ts'
import { seconds } from '../../settings/value-types.ts'
import { command, define, option, readerOf, wholeNumber } from '../declare.ts'

export const listPets = () =>
  define(
    command('list', 'list pets', {
      prints: { shape: 'array', schema: 'pet' },
      actsOn: ['environment', 'requests', 'data'],
      fields: petColumns,
      examples: [
        ['petstore pets list --env local', 'list the pets of the local service'],
        ['petstore pets list --env local --status available --limit 5', 'list up to five available pets'],
        ['petstore pets list --env local --watch', 'list again every five seconds until Ctrl-C'],
        [`petstore pets list --env local --jq '.[].name'`, 'print only the names'],
      ],
    })
      .alias('ls')
      .addOption(option('--status <status>', 'only pets with this status').choices(petStatuses))
      .option(
        '--limit <count>',
        `maximum number of pets (1 to ${listLimits.maximum}; the service sends ${listLimits.default} by default)`,
        wholeNumber(listLimits.minimum, listLimits.maximum),
      )
      .addOption(
        option('--watch [seconds]', 'list again every few seconds and show what changed (default: 5)')
          .preset('5')
          .argParser(readerOf(seconds({ minimum: 0.1, maximum: 86_400 }))),
      ),
    async ({ status, limit, watch }, context) => {
      const requested = limit ?? listLimits.default
      const limitMessage = (count: number) => (count < requested ? undefined : moreMessage(requested))
      if (watch !== undefined) return watchPets(context, { status, limit }, watch, limitMessage)
      const client = await context.client()
      const pets = await client.listPets({ status, limit })
      await context.output.list(pets, petColumns, {
        ifEmpty: status === undefined ? 'no pets' : `no pets with status '${status}'`,
      })
      const message = limitMessage(pets.length)
      if (message !== undefined) await context.report.notice('more', message)
    },
  )

const moreMessage = (requested: number) => {
  const shown = requested === 1 ? 'showing the first pet' : `showing the first ${requested} pets`
  return requested < listLimits.maximum
    ? `${shown}; use --limit (up to ${listLimits.maximum}) for more`
    : `${shown}; the service cannot list more`
}

/** `pets list --watch`: a table that is redrawn in a terminal, events as JSON elsewhere. */
async function watchPets(
  context: Context,
  query: PetQuery,
  interval: number,
  limitMessage: WatcherOptions['limitMessage'],
): Promise<void> {
  const settings = await context.settings()
  const output = settings.resolve('output')
  const environment = settings.resolve('env')
  const isDrawn = context.host.terminal.stdout && formats[output.value].isForPeople
  if (output.origin.kind === 'flag' && !isDrawn && !formats[output.value].isJson) {
    throw new Failure('usage', `--watch prints a table in a terminal and JSON elsewhere, not ${output.value}`, {
      hint: context.retyped({ '--output': undefined, '--json': true }),
    })
  }
  context.interruption.expect()
  const client = await context.client()
  const { watch } = await import('../../output/watch/watch.ts')
  await watch({
    list: () => client.listPets(query),
    watcher: await watcherFor(context, environment.value, limitMessage),
    seconds: interval,
    signal: context.interruption.signal,
  })
}

async function watcherFor(
  { output, host, report }: Context,
  environment: string,
  limitMessage: WatcherOptions['limitMessage'],
): Promise<Watcher> {
  const shared = { now: () => host.now(), limitMessage, describe: report.describe }
  const table = await output.liveTable(petColumns)
  if (table === undefined) {
    const { createJsonWatcher } = await import('../../output/watch/watch.ts')
    return createJsonWatcher({ ...shared, print: output.event, notice: report.notice })
  }
  const { createScreenWatcher } = await import('../../output/watch/screen-watcher.ts')
  const watcher = createScreenWatcher({ ...shared, table, title: environment })
  report.divertNotices(watcher.showNotice)
  return watcher
}
