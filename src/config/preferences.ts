export const outputFormats = ['table', 'json', 'ndjson', 'csv', 'tsv'] as const
export type OutputFormat = (typeof outputFormats)[number]

export const colorChoices = ['auto', 'always', 'never'] as const
export type ColorChoice = (typeof colorChoices)[number]

/** What can be preferred. Options, variables, `config set` and the config file are all checked by the table below. */
export interface Preferences {
  output: OutputFormat
  timeout: number
  retries: number
  color: ColorChoice
}

interface Preference<Value> {
  /** What a value must be, to follow the words "must be". */
  readonly expected: string
  /** The value that a text stands for; undefined where it stands for none. */
  read(text: string): Value | undefined
  /** Whether a value out of the config file is one. */
  accepts(value: unknown): value is Value
}

export const preferences: { readonly [Name in keyof Preferences]: Preference<Preferences[Name]> } = {
  output: choice(outputFormats),
  // Longer than a day is a slip of the hand, and from 25 days on Node's timers wrap around.
  timeout: number(/^(\d+(\.\d*)?|\.\d+)$/, 'a number of seconds from 0.001 to 86400', (value) => {
    return value >= 0.001 && value <= 86_400
  }),
  retries: number(/^\d+$/, 'a whole number from 0 to 100', (value) => {
    return Number.isInteger(value) && value >= 0 && value <= 100
  }),
  color: choice(colorChoices),
}

export const preferenceNames = Object.keys(preferences) as (keyof Preferences)[]

function choice<const Choice extends string>(choices: readonly Choice[]): Preference<Choice> {
  const read = (text: string) => choices.find((candidate) => candidate === text)
  return {
    expected: `one of ${choices.join(', ')}`,
    read,
    accepts: (value): value is Choice => typeof value === 'string' && read(value) !== undefined,
  }
}

function number(form: RegExp, expected: string, isInRange: (value: number) => boolean): Preference<number> {
  const accepts = (value: unknown): value is number => typeof value === 'number' && isInRange(value)
  return {
    expected,
    read(text) {
      const value = form.test(text) ? Number(text) : undefined
      return accepts(value) ? value : undefined
    },
    accepts,
  }
}
