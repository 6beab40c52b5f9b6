import type { Client } from '../../client/client.ts'
import { Failure } from '../../failure.ts'
import { listLimits, petByIdRemoval } from '../../model/pets.ts'
import { longDate } from '../../model/quantities.ts'
import type { Pet } from '../../model/schema.ts'
import { petColumns } from '../../output/view.ts'
import { command, define, int64 } from '../declare.ts'
import { listsOf } from './listing.ts'

export const getPet = define(
  command('get', 'get one pet (deprecated)', {
    prints: 'object',
    deprecated: { removedOn: petByIdRemoval, replacement: 'petstore pets list' },
    actsOn: ['requests', 'data'],
    fields: petColumns.names,
    details: [
      `The service will remove this operation on ${longDate(petByIdRemoval)}; use petstore pets list instead.`
    ],
    examples: `
      # get the pet with the id 1
      petstore pets get 1 --env local
      # print it as JSON
      petstore pets get 1 --env local --json
    `
  }).argument('<id>', 'id of the pet', int64),
  async (_options, context, id) => {
    const client = await context.client()
    const isOver = context.host.now() >= petByIdRemoval
    await context.report.notice('deprecated', deprecation(isOver))
    try {
      await context.output.item(await client.getPet(id), petColumns)
    } catch (error) {
      if (!isRemoved(error, isOver)) throw error
      await context.report.notice(
        'removed',
        'the service no longer returns single pets; searching its lists'
      )
      await context.output.item(await searchLists(client, id), petColumns)
    }
  }
)

const deprecation = (isOver: boolean) =>
  `pets get ${isOver ? 'was' : 'will be'} removed on ${longDate(petByIdRemoval)}; pets list replaces it`

/** 410 means that the operation is gone; after the day of removal, 404 can mean that too. */
const isRemoved = (error: unknown, isOver: boolean) =>
  error instanceof Failure && (error.status === 410 || (error.status === 404 && isOver))

/** Ends with the first list that has the pet. */
async function searchLists(client: Client, id: bigint): Promise<Pet> {
  for await (const pets of listsOf(client)) {
    const found = pets.find(pet => pet.id === id)
    if (found !== undefined) return found
  }
  const { maximum } = listLimits
  throw new Failure(
    'not-found',
    `pet ${id} is not in the lists of the service, which have at most ${maximum} pets each`
  )
}
