import * as z from 'zod/mini'
import { parseIfJson } from '../model/json.ts'
import { explainIssues } from '../model/schema.ts'
import { environmentNamePattern, type SavedState } from './saved-state.ts'
import { preferenceNames, settingTable } from './table.ts'

const text = z.optional(z.string('must be text'))
const mark = z.optional(z.literal(true, 'must be true'))
const preferences = preferenceNames.map(name => {
  const { read, expected } = settingTable[name].type
  return [name, z.optional(z.custom(value => read(String(value)) === value, `must be ${expected}`))]
})
const schema = z.looseObject({
  environment: text,
  preferences: z.optional(z.looseObject(Object.fromEntries(preferences))),
  environments: z.optional(
    z.record(
      z.string().check(z.regex(environmentNamePattern)),
      z.looseObject({
        baseUrl: text,
        messagesUrl: text,
        apiKey: text,
        keyOrigins: z.optional(z.array(z.string('must be text'))),
        readOnly: mark,
        idempotent: mark
      })
    )
  )
})

/** The state in the text of a config file, or a problem, which never contains a value. */
export function readSavedState(text: string): { state: SavedState } | { problem: string } {
  const value = text.trim() === '' ? {} : parseIfJson(text)
  if (value === undefined) return { problem: 'is not JSON' }
  const { success, data, error } = schema.safeParse(value)
  return success ? { state: data as SavedState } : { problem: explainIssues(error, 'its content') }
}
