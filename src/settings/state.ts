import * as z from 'zod/mini'
import { isExactNumber } from '../model/json.ts'
import { environmentNamePattern } from './environments.ts'
import { type Preferences, preferences } from './preferences.ts'

/** What is kept of one environment. The key may be sent to `keyOrigins` and nowhere else. */
export interface KeptEnvironment {
  baseUrl?: string | undefined
  messagesUrl?: string | undefined
  apiKey?: string | undefined
  keyOrigins?: string[] | undefined
}

/** Everything that is kept. What a later version has put there outlives being written by this one. */
export interface KeptState {
  /** The environment in use, where one was chosen. */
  environment?: string | undefined
  preferences?: { [Name in keyof Preferences]?: Preferences[Name] | undefined } | undefined
  environments?: Record<string, KeptEnvironment> | undefined
}

const text = z.optional(z.string('must be text'))
const preference = <Name extends keyof Preferences>(name: Name) => {
  const { accepts, expected } = preferences[name]
  return z.optional(z.pipe(z.transform(asDouble), z.custom<Preferences[Name]>(accepts, `must be ${expected}`)))
}

/** What is computed with needs no exactness: `30.0` is thirty seconds. */
function asDouble(value: unknown): unknown {
  return isExactNumber(value) ? Number(value.toString()) : value
}

const kept = z.looseObject(
  {
    environment: text,
    preferences: z.optional(
      z.looseObject(
        {
          output: preference('output'),
          timeout: preference('timeout'),
          retries: preference('retries'),
          color: preference('color'),
        },
        'must be an object',
      ),
    ),
    environments: z.optional(
      z.record(
        z.string().check(z.regex(environmentNamePattern)),
        z.looseObject(
          {
            baseUrl: text,
            messagesUrl: text,
            apiKey: text,
            keyOrigins: z.optional(z.array(z.string('must be text'), 'must be an array of texts')),
          },
          'must be an object',
        ),
        { error: ({ code }) => (code === 'invalid_key' ? "is not an environment's name" : 'must be an object') },
      ),
    ),
  },
  'must be an object',
)

/** The state that a parsed file holds, or words on what is wrong with it. The words never hold a value. */
export function checkState(value: unknown): { state: KeptState } | { problem: string } {
  const { success, data, error } = kept.safeParse(value)
  if (success) return { state: data }
  const [issue] = error.issues
  const field = issue?.path.map(String).join('.')
  return { problem: `${field ? `'${field}'` : 'what is in it'} ${issue?.message}` }
}
