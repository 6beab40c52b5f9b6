import * as z from 'zod/mini'
import { Failure } from '../failure.ts'
import { parseExplained } from '../text/json.ts'
import { petStatuses, visibleCharacter } from './pets.ts'
import { explainIssues, integer, isNot, object, petSchema, textSchema } from './schema.ts'

/**
 * Half of a surrogate pair (`\ud800` in JSON) cannot be sent: UTF-8 has no bytes for it. A NUL
 * cannot be stored: some versions of SQLite's libraries cut text there.
 */
const sendableText = textSchema.check(
  z.refine(text => !/[\0\p{Cs}]/u.test(text), {
    error: isNot('Unicode text without NUL')
  })
)

/** A new pet as the service accepts it; unknown fields are left out. */
export const newPetSchema = z.object(
  {
    name: sendableText.check(z.regex(visibleCharacter(), { error: 'is blank' })),
    categoryId: integer,
    status: z.optional(z.enum(petStatuses, { error: isNot('available, pending or sold') }))
  },
  object
)
export type NewPet = z.output<typeof newPetSchema>

export const messageRequestSchema = z.object({ message: sendableText }, object)

/** A pet from a file; `from` names it in errors. */
export function readNewPet(text: string, from: string): NewPet {
  try {
    const pet = checkNewPet(parseExplained(text))
    if (typeof pet !== 'string') return pet
    throw new SyntaxError(pet)
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    throw new Failure('usage', `${from}: ${error.message}`, { cause: error })
  }
}

/**
 * A parsed value as a pet, or all that is wrong with it, in words: an error for each of a million
 * rows would take longer than all else. A field that would be lost is a problem, unless that was
 * asked for. The output of `pets get` is accepted: the service assigns a new id.
 */
export function checkNewPet(value: unknown, ignoreUnknown = false): NewPet | string {
  const { data, error } = newPetSchema.safeParse(value)
  const isObject = !error?.issues.some(({ path }) => path.length === 0)
  const fields = isObject && !ignoreUnknown ? Object.keys(value as object) : []
  const unknown = fields.filter(field => !Object.hasOwn(petSchema.shape, field))
  if (data !== undefined && unknown.length === 0) return data
  const problems = unknown.map(field => `a pet has no field '${field}'`)
  if (error !== undefined) problems.unshift(explainIssues(error, 'it'))
  return problems.join('; ')
}
