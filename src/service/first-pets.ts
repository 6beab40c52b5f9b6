import * as z from 'zod/mini'
import { Failure } from '../failure.ts'
import { parseIfJson } from '../model/json.ts'
import { explainIssues, petSchema } from '../model/schema.ts'
import { schemas } from './routes.ts'
import type { FirstPet } from './tables.ts'

/** One category id is beyond 2^53, so that a client that rounds shows it immediately. */
export const samplePets: readonly FirstPet[] = [
  { name: 'Biscuit', categoryId: 1n, status: 'available' },
  { name: 'Marmalade', categoryId: 2n, status: 'available' },
  { name: 'Sir Waddles', categoryId: 3n, status: 'pending' },
  { name: '小雪', categoryId: 2n, status: 'available' },
  { name: 'Pebble', categoryId: 4n, status: 'sold' },
  { name: 'さくら', categoryId: 1n, status: 'pending' },
  { name: 'Zoë', categoryId: 5n, status: 'available' },
  { name: 'Captain Fluff 🐇', categoryId: 6n, status: 'available' },
  { name: 'Methuselah', categoryId: 9007199254740993n, status: 'sold' },
  { name: 'Nameless Stray', categoryId: 2n }
]

const firstPetsSchema = z.array(z.extend(schemas.NewPet, { id: z.optional(petSchema.shape.id) }), {
  error: 'is not a JSON array'
})

/** The pets in a file, a JSON array; `from` names it in errors. Ids are kept. */
export function readFirstPets(bytes: Uint8Array, from: string): readonly FirstPet[] {
  const { data, error } = firstPetsSchema.safeParse(parseIfJson(bytes))
  if (error !== undefined) throw new Failure('usage', `${from}: ${explainIssues(error, 'it')}`)
  const ids = data.flatMap(({ id }) => id ?? [])
  const repeated = ids.find((id, index) => ids.indexOf(id) < index)
  if (repeated !== undefined)
    throw new Failure('usage', `${from}: two pets have the id ${repeated}`)
  return data
}
