import { type ColorChoice, colorChoices } from '../model/color.ts'
import { type Format, formatNames } from '../output/formats.ts'
import type { KeptState } from './state.ts'

/** What can be preferred. Options, variables, `config set` and the config file are all checked by the table below. */
export interface Preferences {
  output: Format
  timeout: number
  retries: number
  color: ColorChoice
}

interface Preference<Value> {
  /** The variables that beat what is kept. */
  readonly variables: readonly string[]
  /** What a value must be, to follow the words "must be". */
  readonly expected: string
  /** The value that a text stands for; undefined where it stands for none. */
  read(text: string): Value | undefined
  /** Whether a value out of the config file is one. */
  accepts(value: unknown): value is Value
}

export const preferences: { readonly [Name in keyof Preferences]: Preference<Preferences[Name]> } = {
  output: choice(['PETSTORE_OUTPUT'], formatNames),
  // Longer than a day is a slip of the hand, and from 25 days on Node's timers wrap around.
  timeout: number(['PETSTORE_TIMEOUT'], {
    expected: 'a number of seconds from 0.001 to 86400',
    form: /^(\d+(\.\d*)?|\.\d+)$/,
    isInRange: (value) => value >= 0.001 && value <= 86_400,
  }),
  retries: number(['PETSTORE_RETRIES'], {
    expected: 'a whole number from 0 to 100',
    form: /^\d+$/,
    isInRange: (value) => Number.isInteger(value) && value >= 0 && value <= 100,
  }),
  color: choice(['NO_COLOR', 'FORCE_COLOR'], colorChoices),
}

export const preferenceNames = Object.keys(preferences) as (keyof Preferences)[]

export function setPreference<Name extends keyof Preferences>(
  state: KeptState,
  name: Name,
  value: Preferences[Name],
): KeptState {
  return { ...state, preferences: { ...state.preferences, [name]: value } }
}

/** Undefined where none is kept. */
export function unsetPreference(state: KeptState, name: keyof Preferences): KeptState | undefined {
  if (state.preferences?.[name] === undefined) return undefined
  const { [name]: _forgotten, ...rest } = state.preferences
  return { ...state, preferences: rest }
}

/** Whether a variable that switches something on does so: unless it is empty, `0` or `false`. */
export function isSwitchedOn(variable: string | undefined): boolean {
  return variable !== undefined && !['', '0', 'false'].includes(variable)
}

function choice<const Choice extends string>(
  variables: readonly string[],
  choices: readonly Choice[],
): Preference<Choice> {
  const read = (text: string) => choices.find((candidate) => candidate === text)
  return {
    variables,
    expected: `one of ${choices.join(', ')}`,
    read,
    accepts: (value): value is Choice => typeof value === 'string' && read(value) !== undefined,
  }
}

interface NumberForm {
  readonly expected: string
  readonly form: RegExp
  readonly isInRange: (value: number) => boolean
}

function number(variables: readonly string[], { expected, form, isInRange }: NumberForm): Preference<number> {
  const accepts = (value: unknown): value is number => typeof value === 'number' && isInRange(value)
  return {
    variables,
    expected,
    read(text) {
      const value = form.test(text) ? Number(text) : undefined
      return accepts(value) ? value : undefined
    },
    accepts,
  }
}
