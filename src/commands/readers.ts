import { type Argument, InvalidArgumentError, Option } from '@commander-js/extra-typings'
import { Failure } from '../failure.ts'
import { int64Limits, visibleCharacter } from '../model/pets.ts'
import { type Limits, type ValueType, wholeNumber } from '../settings/value-types.ts'
import { joined } from '../text/quantities.ts'

/**
 * Reads a value by its type. The error of a reader says what to use instead. Its limits are for
 * `petstore commands`.
 */
export const readerOf = <Value>({ read, expected, limits }: ValueType<Value>) => {
  const readValue = (text: string): Value => {
    const value = read(text)
    if (value === undefined) throw new InvalidArgumentError(`use ${expected}`)
    return value
  }
  return Object.assign(readValue, { limits })
}

/** The error of a reader names what it reads, and knows the choices. */
export function explainErrors(declared: Option | Argument): void {
  const { parseArg, argChoices: known } = declared
  if (parseArg === undefined) return
  const read = (name: string, before: never) => {
    try {
      return parseArg(name, before)
    } catch (error) {
      if (!(error instanceof InvalidArgumentError)) throw error
      const advice = known ? `use ${joined(known, 'or')}` : error.message
      const problem = `invalid ${declared.name()} '${name}': ${advice}`
      // An argument names something that exists; the value of an option is saved or sent.
      const unknownName = known && { name, known, isValue: declared instanceof Option }
      throw new Failure('usage', problem, { unknownName })
    }
  }
  declared.argParser(Object.assign(read, parseArg))
}

/** The type and the limits that a reader accepts, if it states them. */
export const limitsOf = (read: object | undefined): Limits | undefined =>
  (read as { readonly limits?: Limits } | undefined)?.limits

/** Reads the name of a pet. */
export const petName = readerOf({
  expected: 'a name that is not blank',
  read: text => (visibleCharacter().test(text) ? text : undefined)
})

/** Reads an idempotency key, which is sent as a header. */
export const idempotencyKey = readerOf({
  expected: 'visible ASCII characters',
  read: text => (/^[\x21-\x7e]+$/.test(text) ? text : undefined)
})

/** Reads a text that is not empty. */
export const given = (expected: string) => readerOf({ expected, read: text => text || undefined })

/** Reads a whole number of this range. */
export const integer = (minimum: number, maximum: number) => readerOf(wholeNumber(minimum, maximum))

/** Reads an integer of the service, exactly. */
export const int64 = readerOf({
  limits: { type: 'integer', ...int64Limits },
  expected: 'a whole number',
  read: text => {
    if (!/^-?\d{1,40}$/.test(text)) return undefined
    const value = BigInt(text)
    if (value === BigInt.asIntN(64, value)) return value
    throw new InvalidArgumentError('it has more than 64 bits')
  }
})

/** For an option that can be given several times. */
export const collect = (value: string, before: readonly string[] = []): readonly string[] => [
  ...before,
  value
]
