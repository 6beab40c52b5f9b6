import type { Client } from '../../client/client.ts'
import { Failure } from '../../failure.ts'
import { petColumns } from '../../output/view.ts'
import { command, define } from '../declare.ts'
import { int64 } from '../readers.ts'
import { findPets } from './listing.ts'

export const getPet = define(
  command('get', 'get one pet (deprecated)', {
    prints: 'object',
    actsOn: ['request', 'lists'],
    columns: petColumns,
    details:
      'The service will remove this operation on 5 December 2030. From then on, the command looks through the lists of the service, as petstore pets list does.',
    examples: `
      # get the pet with the id 1
      petstore pets get 1 --env local
    `
  })
    .aliases(['show', 'view'])
    .argument('<id>', 'id of the pet', int64),
  async (_options, context, id) => {
    const client = await context.client()
    const pet = await client.getPet(id).catch(error => {
      // The service has removed the operation.
      if (error instanceof Failure && error.status === 410) return searchLists(client, id)
      throw error
    })
    await context.output.item(pet, petColumns)
  }
)

async function searchLists(client: Client, id: bigint) {
  const { pets, notice } = await findPets(client, { id })
  const [found] = pets
  if (found !== undefined) return found
  if (notice !== undefined) throw new Failure('inconclusive', notice)
  throw new Failure('not-found', `there is no pet ${id}`)
}
