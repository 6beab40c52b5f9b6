import * as z from 'zod/mini'
import { Failure } from '../failure.ts'
import { explainIssues, petSchema } from '../model/schema.ts'
import { parseIfJson } from '../text/json.ts'
import { schemas } from './routes.ts'
import samples from './sample-pets.txt'
import type { FirstPet } from './tables.ts'

const firstPet = z.extend(schemas.NewPet, { id: z.optional(petSchema.shape.id) })
const firstPetsSchema = z.array(firstPet, { error: 'is not a JSON array' })

/** The pets in a file, a JSON array; `from` names it in errors. Ids are kept. */
export function readFirstPets(bytes: Uint8Array, from: string): readonly FirstPet[] {
  const { data, error } = firstPetsSchema.safeParse(parseIfJson(bytes))
  if (error !== undefined) throw new Failure('usage', `${from}: ${explainIssues(error, 'it')}`)
  const isNumbered = ({ id }: FirstPet) => Number(id !== undefined)
  // Those without an id come last, and get one that no other has.
  return data.sort((one, other) => isNumbered(other) - isNumbered(one))
}

/** One category id is beyond 2^53, so that a client that rounds shows it immediately. */
export const samplePets = readFirstPets(Buffer.from(samples), 'the sample pets')
