import { joined } from '../text/quantities.ts'

/** The values that a setting accepts from the command line, a variable or the config file. */
export interface ValueType<Value> {
  /** The text that follows "use" and "must be" in messages. */
  readonly expected: string
  readonly choices?: readonly string[]
  /** For numbers; both ends are included. */
  readonly limits?: Limits
  /** Undefined if the text is not a valid value. */
  read(text: string): Value | undefined
}

/** The range of a number. */
export interface Limits {
  readonly type: 'integer' | 'number'
  readonly minimum: number | bigint
  readonly maximum: number | bigint
}

/**
 * The name of an environment needs no quotes in a shell and cannot look like an option. A longer word may be an API key,
 * so it is neither accepted nor repeated in an error.
 */
export const environmentNamePattern = /^[A-Za-z0-9][A-Za-z0-9._-]{0,18}$/

export const anyText: ValueType<string> = {
  expected: 'text',
  read: text => text
}

/** Given or not given: it has no text to read. */
export const yesOrNo: ValueType<boolean> = {
  expected: 'true or false',
  read: () => undefined
}

export function choice<const Choice extends string>(choices: readonly Choice[]): ValueType<Choice> {
  return {
    expected: joined(choices, 'or'),
    choices,
    read: text => choices.find(candidate => candidate === text)
  }
}

const decimalForm = /^(\d+(\.\d*)?|\.\d+)$/

export const wholeNumber = (minimum: number, maximum: number) =>
  number('a whole number', /^\d{1,15}$/, { type: 'integer', minimum, maximum })

export const seconds = (minimum: number, maximum: number) =>
  number('a number of seconds', decimalForm, { type: 'number', minimum, maximum })

export const decimal = (minimum: number, maximum: number) =>
  number('a number', decimalForm, { type: 'number', minimum, maximum })

/** `id,name` */
export const fieldNames: ValueType<readonly string[]> = {
  expected: 'field names separated by commas',
  read(text) {
    const names = text.split(',').map(name => name.trim())
    return names.includes('') ? undefined : names
  }
}

function number(what: string, form: RegExp, limits: Limits): ValueType<number> {
  const { minimum, maximum } = limits
  return {
    limits,
    expected: `${what} from ${minimum} to ${maximum}`,
    read(text) {
      const value = form.test(text) ? Number(text) : Number.NaN
      return value >= minimum && value <= maximum ? value : undefined
    }
  }
}
