import * as z from 'zod/mini'
import { isExactNumber, parseIfJson, placeOfJsonError } from '../model/json.ts'
import { environmentNamePattern, type SavedState } from './saved-state.ts'
import { type Preferences, preferenceNames, settingTable } from './table.ts'

/**
 * The state in the text of a config file, or a description of the problem that never contains a
 * value. Numbers that only a later version knows stay exact.
 */
export function readSavedState(text: string): { state: SavedState } | { problem: string } {
  if (text.trim() === '') return { state: {} }
  const value = parseIfJson(text)
  if (value === undefined) {
    // The parser's own error quotes a part of the file, which may be part of a key.
    const place = placeOfJsonError(text)
    return { problem: place === undefined ? 'is not JSON' : `is not JSON (${place})` }
  }
  const { success, data, error } = savedStateSchema().safeParse(value)
  if (success) return { state: data }
  const [issue] = error.issues
  const field = issue?.path.map(String).join('.')
  return {
    problem: `has the wrong shape: ${field ? `'${field}'` : 'its content'} ${issue?.message}`
  }
}

/** Created at each use, because a run without a config file needs none. */
function savedStateSchema(): z.ZodMiniType<SavedState> {
  const text = z.optional(z.string('must be text'))
  return z.looseObject(
    {
      environment: text,
      preferences: z.optional(z.looseObject(preferenceShape(), 'must be an object')),
      environments: z.optional(
        z.record(
          z.string().check(z.regex(environmentNamePattern)),
          z.looseObject(
            {
              baseUrl: text,
              messagesUrl: text,
              apiKey: text,
              keyOrigins: z.optional(z.array(z.string('must be text'), 'must be a list of texts'))
            },
            'must be an object'
          ),
          {
            error: ({ code }) =>
              code === 'invalid_key' ? 'is not the name of an environment' : 'must be an object'
          }
        )
      )
    },
    'must be an object'
  )
}

function preferenceShape() {
  return Object.fromEntries(
    preferenceNames.map(name => {
      const { read, expected } = settingTable[name].type
      const isValue = (value: unknown) => typeof value !== 'object' && read(String(value)) === value
      const preference = z.custom<Preferences[typeof name]>(isValue, `must be ${expected}`)
      // The program calculates with preferences, so `30.0` may become 30.
      const asDouble = z.transform((value: unknown) =>
        isExactNumber(value) ? Number(value.toString()) : value
      )
      return [name, z.optional(z.pipe(asDouble, preference))]
    })
  )
}
