import { listLimits, petStatuses } from '../../api/model.ts'
import type { Context } from '../../context.ts'
import { petColumns } from '../../output/columns.ts'
import { command, option, wholeNumber } from '../declare.ts'

export const listPets = (context: Context) =>
  command('list', 'list animals', {
    actsOn: ['environment', 'requests', 'data'],
    fields: petColumns,
    examples: [
      ['petstore pets list --env local', 'the animals of the local service'],
      ['petstore pets list --env local --status available --limit 5', 'at most five of those that can be bought'],
      [`petstore pets list --env local --jq '.[] | .name'`, 'the names alone, by jq'],
    ],
  })
    .addOption(option('--status <status>', 'only animals in this state').choices(petStatuses))
    .addOption(
      option('--limit <count>', `at most this many, 1 to 100 (the service's default: 20)`).argParser(
        wholeNumber(listLimits.minimum, listLimits.maximum),
      ),
    )
    .action(async ({ status, limit }) => {
      const client = await context.client()
      const pets = await client.listPets({ status, limit })
      await context.output.list(pets, petColumns)
      const asked = limit ?? listLimits.unasked
      if (pets.length >= asked) await context.notice('more', moreMessage(asked))
    })

const moreMessage = (asked: number) => {
  const came = asked === 1 ? '1 animal was asked for and came' : `${asked} animals were asked for and came`
  return asked < listLimits.maximum
    ? `${came}: there may be more (--limit goes up to ${listLimits.maximum})`
    : `${came}: there may be more, which the service has no way to list`
}
