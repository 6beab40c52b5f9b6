import * as z from 'zod/mini'
import { Failure } from '../failure.ts'
import { exactInteger, parseExplained, stringifyJson } from './json.ts'
import { int64Limits, petStatuses, visibleCharacter } from './pets.ts'

type Issue = Readonly<{ input?: unknown }>

/** The message for a field that is missing or wrong. */
const isNot =
  (what: string) =>
  ({ input }: Issue) =>
    input === undefined ? 'is missing' : `${shown(input)} is not ${what}`

const longestShown = 40

/** A wrong value in a message. */
function shown(value: unknown): string {
  const text = typeof value === 'string' ? `'${value}'` : stringifyJson(value)
  return text.length > longestShown ? `${text.slice(0, longestShown - 1)}…` : text
}

const isTooLarge = { error: ({ input }: Issue) => `${shown(input)} has more than 64 bits` }

export const int64Schema = z
  .bigint({ error: isNot('a whole number') })
  .check(
    z.gte(int64Limits.minimum, isTooLarge),
    z.lte(int64Limits.maximum, isTooLarge),
    z.meta({ format: 'int64' })
  )

/** An integer in any notation (`7`, `7.0`, `7e0`), as a bigint. */
const integer = z.pipe(
  z.transform((value: unknown) => exactInteger(value) ?? value),
  int64Schema
)

const textSchema = z.string({ error: isNot('text') })
const object = { error: 'is not an object' }

/**
 * Half of a surrogate pair (`\ud800` in JSON) cannot be sent: UTF-8 has no bytes for it. A NUL
 * cannot be stored: some versions of SQLite's libraries cut text there.
 */
const sendableText = textSchema.check(
  z.refine(text => !/[\0\p{Cs}]/u.test(text), {
    error: 'is not Unicode text without NUL'
  })
)

const nameSchema = sendableText.check(z.regex(visibleCharacter(), { error: 'is blank' }))
const statusSchema = z.enum(petStatuses, { error: isNot('available, pending or sold') })

/** A new pet as the service accepts it; unknown fields are left out. */
export const newPetSchema = z.object(
  {
    name: nameSchema,
    categoryId: integer,
    status: z.optional(statusSchema)
  },
  object
)
export type NewPet = z.output<typeof newPetSchema>

/** A pet in a reply. Fields and statuses that a later service may add are not lost. */
export const petSchema = z.looseObject(
  {
    id: integer,
    name: textSchema,
    categoryId: integer,
    status: z.optional(textSchema)
  },
  object
)
export type Pet = z.output<typeof petSchema>

const list = { error: 'is not a list' }

/** The length comes first: zod would collect gigabytes of issues about ten million wrong items. */
export const petsSchema = z.pipe(
  z.array(z.unknown(), list).check(z.maxLength(100_000, { error: 'is too long' })),
  z.array(petSchema)
)

export const messageRequestSchema = z.object({ message: sendableText }, object)

export const messageSchema = z.looseObject(
  {
    id: textSchema,
    message: textSchema,
    status: textSchema,
    createdAt: textSchema
  },
  object
)
export type Message = z.output<typeof messageSchema>

export const serviceErrorSchema = z.looseObject(
  {
    code: textSchema,
    message: textSchema,
    status: z.int({ error: isNot('a whole number') })
  },
  object
)
export type ServiceError = z.output<typeof serviceErrorSchema>

/** The first problem, in a short sentence that names the field: `categoryId is missing`. */
export function explainIssues(error: z.core.$ZodError, subject = 'the body'): string {
  const issue = error.issues[0]
  if (issue === undefined) return `${subject} is not valid`
  const steps = issue.path.map(key => (typeof key === 'number' ? `[${key}]` : `.${String(key)}`))
  const field = steps.join('').replace(/^\./, '')
  return `${field || subject} ${issue.message}`
}

/**
 * Fields that a pet may have in a file. The output of `pets get` is accepted too: the service
 * assigns a new id.
 */
const fieldsInFiles = Object.keys(petSchema.shape)

/** A pet from a file; `from` names it in errors. */
export function readNewPet(text: string, from: string): NewPet {
  try {
    return checkNewPet(parseExplained(text))
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    throw new Failure('usage', `${from}: ${error.message}`, { cause: error })
  }
}

/** A parsed value as a pet. A field that would be lost is refused, like other problems. */
export function checkNewPet(value: unknown): NewPet {
  const { data, error } = newPetSchema.safeParse(value)
  if (error !== undefined) throw new SyntaxError(explainIssues(error, 'it'))
  const unknown = Object.keys(value as object).find(key => !fieldsInFiles.includes(key))
  if (unknown !== undefined) throw new SyntaxError(`a pet has no field '${unknown}'`)
  return data
}
