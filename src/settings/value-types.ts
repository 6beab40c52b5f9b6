/** What a setting accepts, whether it comes from the command line, a variable or the config file. */
export interface ValueType<Value> {
  /** What follows the words "use" and "must be". */
  readonly expected: string
  readonly choices?: readonly string[]
  /** Undefined for a text that is not a value. */
  read(text: string): Value | undefined
  /** Whether a value from the config file is one. */
  accepts(value: unknown): value is Value
}

export const anyText: ValueType<string> = {
  expected: 'text',
  read: (text) => text,
  accepts: (value) => typeof value === 'string',
}

/** Given or not given: it has no text to read. */
export const yesOrNo: ValueType<boolean> = {
  expected: 'true or false',
  read: () => undefined,
  accepts: (value) => typeof value === 'boolean',
}

export function choice<const Choice extends string>(choices: readonly Choice[]): ValueType<Choice> {
  const read = (text: string) => choices.find((candidate) => candidate === text)
  return {
    expected: oneOf(choices),
    choices,
    read,
    accepts: (value): value is Choice => typeof value === 'string' && read(value) !== undefined,
  }
}

/** `a, b or c` */
export const oneOf = (choices: readonly string[]) => listOf(choices, 'or')

/** `a, b and c` */
export const allOf = (names: readonly string[]) => listOf(names, 'and')

function listOf(names: readonly string[], lastJoint: 'and' | 'or'): string {
  return names.length < 2 ? names.join() : `${names.slice(0, -1).join(', ')} ${lastJoint} ${names.at(-1)}`
}

interface NumberRange {
  readonly minimum: number
  readonly maximum: number
}

const decimalForm = /^(\d+(\.\d*)?|\.\d+)$/

export const wholeNumber = (range: NumberRange) => number('a whole number', /^\d{1,15}$/, range, Number.isInteger)

export const seconds = (range: NumberRange) => number('a number of seconds', decimalForm, range)

export const decimal = (range: NumberRange) => number('a number', decimalForm, range)

/** `id,name` */
export const fieldNames: ValueType<readonly string[]> = {
  expected: 'field names separated by commas, each once',
  read(text) {
    const names = text.split(',').map((name) => name.trim())
    return names.includes('') || new Set(names).size < names.length ? undefined : names
  },
  accepts: (value): value is readonly string[] => Array.isArray(value),
}

function number(
  what: string,
  form: RegExp,
  { minimum, maximum }: NumberRange,
  isRight = (_value: number) => true,
): ValueType<number> {
  const accepts = (value: unknown): value is number =>
    typeof value === 'number' && value >= minimum && value <= maximum && isRight(value)
  return {
    expected: `${what} from ${minimum} to ${maximum}`,
    read(text) {
      const value = form.test(text) ? Number(text) : undefined
      return accepts(value) ? value : undefined
    },
    accepts,
  }
}
