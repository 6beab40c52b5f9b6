import * as z from 'zod/mini'
import { Failure } from '../failure.ts'
import { parseIfJson, placeOfJsonError } from '../model/json.ts'
import { explainIssues } from '../model/schema.ts'
import { pathCommand } from '../platform/shell.ts'
import { environmentNamePattern, type SavedState } from './saved-state.ts'
import { preferenceNames, settingTable } from './table.ts'

const text = z.optional(z.string('must be text'))
const mark = z.optional(z.literal(true, 'must be true'))

const preferences = preferenceNames.map(name => {
  const { read, expected } = settingTable[name].type
  const isValid = (value: unknown) => read(String(value)) === value
  return [name, z.optional(z.custom(isValid, `must be ${expected}`))]
})

const environment = z.looseObject(
  {
    baseUrl: text,
    messagesUrl: text,
    apiKey: text,
    keyOrigins: z.optional(z.array(z.string('must be text'))),
    readOnly: mark,
    idempotent: mark
  },
  'must be an object'
)

const name = z.string().check(z.regex(environmentNamePattern))

const schema = z.looseObject(
  {
    environment: text,
    preferences: z.optional(z.looseObject(Object.fromEntries(preferences), 'must be an object')),
    environments: z.optional(z.record(name, environment, 'must be an object'))
  },
  'must be an object'
)

/** The state in the text of the config file. An error never has a part of it, which may be a key. */
export function readConfigText(path: string, content: string): SavedState {
  const json = content.replace(/^\ufeff/, '')
  const value = json.trim() === '' ? {} : parseIfJson(json)
  if (value === undefined) {
    const place = placeOfJsonError(json)
    throw unreadable(path, place ? `is not JSON (${place})` : 'is not JSON')
  }
  const { success, data, error } = schema.safeParse(value)
  if (success) return data as SavedState
  throw unreadable(path, `is not valid: ${explainIssues(error, 'its content')}`)
}

function unreadable(path: string, problem: string): Failure {
  const hint = pathCommand('mv -i', path, `${path}.old`)
  return new Failure('local', `the config file ${path} ${problem}`, { hint })
}
