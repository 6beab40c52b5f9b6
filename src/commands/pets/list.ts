import type { Client } from '../../client/client.ts'
import { Failure } from '../../failure.ts'
import { listLimits, petStatuses } from '../../model/pets.ts'
import { petColumns } from '../../output/view.ts'
import { seconds } from '../../settings/value-types.ts'
import { command, define, option } from '../declare.ts'
import { collect, int64, integer, readerOf } from '../readers.ts'
import { findPets, ifEmpty, limitOfLists, noticeLimit } from './listing.ts'

const defaultInterval = 5
const secondsOfDay = readerOf(seconds(0.1, 86_400))

export const listPets = define(
  command('list', 'list pets', {
    prints: 'array',
    actsOn: ['request', 'lists'],
    columns: petColumns,
    details:
      'The service lists at most 100 pets, and knows only --status. petstore looks for --name and --category-id in its lists: 100 pets, and 100 of each status.',
    examples: `
      # list the pets of the local service
      petstore pets list --env local
      # find pets
      petstore pets list --env local --name Rex --category-id 2
      # count pets; a list that may lack some ends with 11
      petstore pets list --env local --complete --jq length
      # sort pets by name
      petstore pets list --env local --jq 'sort_by(.name)'
      # wait for at most a minute until a pet is sold
      petstore pets list --env local --until 'any(.[]; .status == "sold")' --wait 60
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
    .option('--complete', 'end with 11, and print nothing, if the list may lack pets')
    .addOption(
      option(
        '--watch [seconds]',
        `list again every few seconds (default: ${defaultInterval}) and show what changed; --jq reads the events`
      )
        .preset(String(defaultInterval))
        .argParser(secondsOfDay)
        .conflicts('dryRun')
    )
    .option(
      '--until <expression>',
      'list again until this jq expression is true, then print the list'
    )
    .option('--wait <seconds>', 'with --until: end with 11 after this time', secondsOfDay),
  async ({ watch, until, wait, complete, ...selection }, context) => {
    const { name, categoryId, limit = listLimits.maximum } = selection
    if (wait !== undefined && until === undefined)
      throw new Failure('usage', '--wait is the longest time for --until, which is missing')
    const isCut = limit < listLimits.maximum && name === undefined && categoryId === undefined
    if (complete && isCut)
      throw new Failure('usage', `a list of --limit ${limit} may lack pets: leave out --complete`)

    const find = async (client: Client) => {
      const found = await findPets(client, selection)
      if (complete && found.notice !== undefined)
        throw new Failure('inconclusive', `the list may lack pets: ${limitOfLists}`)
      return found
    }
    const interval = watch ?? defaultInterval
    if (until !== undefined) {
      const { waitForPets } = await import('./list-again.ts')
      return waitForPets(context, find, { until, interval, wait })
    }
    if (watch !== undefined) {
      const { watchPets } = await import('./list-again.ts')
      return watchPets(context, find, interval)
    }
    const { pets, notice } = await find(await context.client())
    await context.output.list(pets, petColumns, ifEmpty(notice))
    await noticeLimit(context, notice)
  }
)
