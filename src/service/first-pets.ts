import * as z from 'zod/mini'
import { Failure } from '../failure.ts'
import { parseIfJson } from '../model/json.ts'
import type { PetStatus } from '../model/pets.ts'
import { explainIssues, petSchema } from '../model/schema.ts'
import { schemas } from './routes.ts'
import type { FirstPet } from './tables.ts'

/** One category id is beyond 2^53, so that a client that rounds shows it immediately. */
const samples: readonly (readonly [name: string, categoryId: bigint, status?: PetStatus])[] = [
  ['Biscuit', 1n, 'available'],
  ['Marmalade', 2n, 'available'],
  ['Sir Waddles', 3n, 'pending'],
  ['小雪', 2n, 'available'],
  ['Pebble', 4n, 'sold'],
  ['さくら', 1n, 'pending'],
  ['Zoë', 5n, 'available'],
  ['Captain Fluff 🐇', 6n, 'available'],
  ['Methuselah', 9007199254740993n, 'sold'],
  ['Nameless Stray', 2n]
]
export const samplePets: readonly FirstPet[] = samples.map(([name, categoryId, status]) => ({
  name,
  categoryId,
  status
}))

const firstPet = z.extend(schemas.NewPet, { id: z.optional(petSchema.shape.id) })
const firstPetsSchema = z
  .array(firstPet, { error: 'is not a JSON array' })
  .check(z.refine(haveOwnIds, { error: 'has an id twice' }))

const hasId = ({ id }: FirstPet) => id !== undefined

function haveOwnIds(pets: readonly FirstPet[]): boolean {
  const withId = pets.filter(hasId)
  return new Set(withId.map(({ id }) => id)).size === withId.length
}

/** The pets in a file, a JSON array; `from` names it in errors. Ids are kept. */
export function readFirstPets(bytes: Uint8Array, from: string): readonly FirstPet[] {
  const { data, error } = firstPetsSchema.safeParse(parseIfJson(bytes))
  if (error !== undefined) throw new Failure('usage', `${from}: ${explainIssues(error, 'it')}`)
  // Those without an id get one that no other has.
  return [...data.filter(hasId), ...data.filter(pet => !hasId(pet))]
}
