import * as z from 'zod/mini'
import { Failure } from '../failure.ts'
import { parseIfJson, placeOfJsonError } from '../text/json.ts'
import { pathCommand } from '../text/shell.ts'
import { type Preferences, preferenceNames, settingTable } from './table.ts'
import { environmentNamePattern } from './value-types.ts'

/**
 * Everything in the config file. Fields that a later version has added survive a change by this
 * version.
 */
export type SavedState = z.output<ReturnType<typeof makeSchema>>

/** Made where there is a file to check: that takes longer than to read it. */
function makeSchema() {
  const text = z.optional(z.string())
  // A name that could not have been typed could run a command where a hint is pasted.
  const environmentName = z.string().check(z.regex(environmentNamePattern))
  const mark = z.optional(z.literal(true))
  const preferences = preferenceNames.map(name => {
    const { read } = settingTable[name].type
    const isValid = (value: unknown) => typeof value !== 'object' && read(String(value)) === value
    return [name, z.optional(z.custom(isValid))]
  })
  const checkedPreferences = Object.fromEntries(preferences) as {
    [Name in keyof Preferences]: z.ZodMiniOptional<z.ZodMiniType<Preferences[Name]>>
  }
  const environment = z.looseObject({
    baseUrl: text,
    messagesUrl: text,
    apiKey: text,
    /** Where the API key may be sent. */
    keyOrigins: z.optional(z.array(z.string())),
    /** No request that changes something is sent. */
    readOnly: mark,
    /** The services at the saved URLs honor the header `Idempotency-Key`. */
    idempotent: mark
  })
  return z.looseObject({
    /** The default environment, if one was chosen. */
    environment: z.optional(environmentName),
    preferences: z.optional(z.looseObject(checkedPreferences)),
    environments: z.optional(z.record(environmentName, environment))
  })
}

/** The state in the text of the config file. An error never has a value, which may be a key. */
export function readConfigText(path: string, content: string): SavedState {
  // Some editors put a byte order mark in front.
  const value = parseIfJson(content.replace(/^\ufeff/, ''))
  if (value === undefined)
    throw unreadable(path, `is not JSON (${placeOfJsonError(content) ?? 'too deep'})`)
  const { success, data, error } = makeSchema().safeParse(value)
  if (success) return data
  const [issue] = error.issues
  if (issue?.code === 'invalid_key') throw unreadable(path, 'has a wrong name of an environment')
  const place = issue?.path.join('.')
  throw unreadable(path, place ? `has a wrong value at ${place}` : 'must be a JSON object')
}

function unreadable(path: string, problem: string) {
  const hint = pathCommand('mv -i', path, `${path}.old`)
  return new Failure('local', `the config file ${path} ${problem}`, { hint })
}
