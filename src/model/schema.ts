import * as z from 'zod/mini'
import { exactInteger, stringifyJson } from '../text/json.ts'
import { int64Limits } from './pets.ts'

type Issue = Readonly<{ input?: unknown }>

/** The message for a field that is missing or wrong. */
export const isNot =
  (what: string) =>
  ({ input }: Issue) =>
    input === undefined ? 'is missing' : `${shown(input)} is not ${what}`

const longestShown = 40

/** A wrong value in a message. None is cut: the beginning of an API key would not be masked. */
function shown(value: unknown) {
  const text = typeof value === 'string' ? `'${value}'` : stringifyJson(value)
  return text.length > longestShown ? `of ${text.length} characters` : text
}

/** A number in quotes looks like one. */
const isNotWhole = ({ input }: Issue) =>
  typeof input === 'string' && /^-?\d{1,19}$/.test(input)
    ? `${shown(input)} is text and not a whole number`
    : isNot('a whole number')({ input })

const isTooLarge = { error: ({ input }: Issue) => `${shown(input)} has more than 64 bits` }

export const int64Schema = z
  .bigint({ error: isNotWhole })
  .check(
    z.gte(int64Limits.minimum, isTooLarge),
    z.lte(int64Limits.maximum, isTooLarge),
    z.meta({ format: 'int64' })
  )

/** An integer in any notation (`7`, `7.0`, `7e0`), as a bigint. */
export const integer = z.pipe(
  z.transform((value: unknown) => exactInteger(value) ?? value),
  int64Schema
)

export const textSchema = z.string({ error: isNot('text') })
export const object = { error: 'is not an object' }

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

/** The length comes first: zod would collect gigabytes of issues about ten million wrong items. */
export const petsSchema = z.pipe(
  z
    .array(z.unknown(), { error: 'is not a list' })
    .check(z.maxLength(100_000, { error: 'is too long' })),
  z.array(petSchema)
)

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

export const serviceErrorSchema = z.looseObject({
  code: textSchema,
  message: textSchema,
  status: z.int().check(z.gte(400), z.lte(599))
})

/** More problems than a pet has fields are those of a long list. */
const mostProblems = 5

/** The problems, each in a few words that name the field: `categoryId is missing`. */
export function explainIssues({ issues }: z.core.$ZodError, subject = 'the body'): string {
  const problems = issues
    .slice(0, mostProblems)
    .map(({ path, message }) => `${z.core.toDotPath(path) || subject} ${message}`)
  return problems.join('; ')
}
