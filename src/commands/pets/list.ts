import { InvalidArgumentError } from '@commander-js/extra-typings'
import { listLimits, petStatuses } from '../../model/pets.ts'
import { petColumns } from '../../output/columns.ts'
import { command, define, option, wholeNumber } from '../declare.ts'
import { watchPets } from './watching.ts'

export const listPets = () =>
  define(
    command('list', 'show the animals of the store', {
      actsOn: ['environment', 'requests', 'data'],
      fields: petColumns,
      examples: [
        ['petstore pets list --env local', 'the animals of the local service'],
        ['petstore pets list --env local --status available --limit 5', 'at most five of those that can be bought'],
        ['petstore pets list --env local --watch', 'again every five seconds, until Ctrl-C'],
        [`petstore pets list --env local --jq '.[] | .name'`, 'the names alone, by jq'],
      ],
    })
      .addOption(option('--status <status>', 'leave out animals of any other status').choices(petStatuses))
      .addOption(
        option(
          '--limit <count>',
          `how many at most, up to ${listLimits.maximum}; without it the service stops at ${listLimits.unasked}`,
        ).argParser(wholeNumber(listLimits.minimum, listLimits.maximum)),
      )
      .addOption(
        option('--watch [seconds]', 'list again every so many seconds, and show what changed (5)')
          .preset('5')
          .argParser(watchSeconds),
      ),
    async ({ status, limit, watch }, context) => {
      if (watch !== undefined) return watchPets(context, { status, limit }, watch)
      const client = await context.client()
      const pets = await client.listPets({ status, limit })
      await context.output.list(pets, petColumns)
      const asked = limit ?? listLimits.unasked
      if (pets.length >= asked) await context.notice('more', moreMessage(asked))
    },
  )

function watchSeconds(text: string): number {
  const value = /^(\d{1,5}(\.\d{1,3})?|\.\d{1,3})$/.test(text) ? Number(text) : Number.NaN
  if (value >= 0.1 && value <= 86_400) return value
  throw new InvalidArgumentError('It must be a number of seconds from 0.1 to 86400.')
}

const moreMessage = (asked: number) => {
  const shown = asked === 1 ? 'showing the first pet' : `showing the first ${asked} pets`
  return asked < listLimits.maximum
    ? `${shown}; use --limit (up to ${listLimits.maximum}) for more`
    : `${shown}; the service cannot list more`
}
