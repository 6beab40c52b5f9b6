import { Failure } from '../failure.ts'
import { parseJson } from './json.ts'
import type { NewPet } from './pets.ts'
import { explainIssues, newPetSchema } from './schema.ts'

/** Fields that a pet may have in a file. The output of `pets get` is accepted too: the service assigns a new id. */
const fields = ['id', 'name', 'categoryId', 'status']

/** A pet from a file; `from` names it in errors. */
export function readNewPet(text: string, from: string): NewPet {
  const checked = checkNewPet(parsed(text, from))
  if ('problem' in checked) throw new Failure('usage', `${from}: ${checked.problem}`)
  return checked.pet
}

/** A parsed value as a pet, or what is wrong with it. A field that would be lost is refused. */
export function checkNewPet(value: unknown): { pet: NewPet } | { problem: string } {
  const result = newPetSchema.safeParse(value)
  if (!result.success) return { problem: explainIssues(result.error, 'it') }
  const unknown = Object.keys(value as object).find((key) => !fields.includes(key))
  if (unknown !== undefined) return { problem: `a pet has no field '${unknown}'` }
  return { pet: result.data }
}

function parsed(text: string, from: string): unknown {
  try {
    return parseJson(text)
  } catch (error) {
    throw new Failure('usage', `${from} is not JSON: ${(error as Error).message}`, { cause: error })
  }
}
