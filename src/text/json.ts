import { isUtf8 } from 'node:buffer'
import { isLosslessNumber, LosslessNumber, parse, stringify } from 'lossless-json'
import { escapeActive } from './visible.ts'

/**
 * Whether a parsed value is a number whose text a double would change: `1.0`, `1e3`, `-0`, `1e400`.
 * It keeps the text and is written as that text again.
 */
export const isExactNumber = isLosslessNumber

/**
 * More than any reply of the service has: 100 names of 10,000 characters, each twelve bytes as
 * escapes. Larger ones could fill the memory: `[{},{},…]` needs 20 times its size.
 */
export const largestJson = 16 * 1024 * 1024

/** The maximum nesting of arrays and objects, so that other code can walk a value recursively. */
const deepestNesting = 1000

/**
 * The maximum digits of an integer that is converted: the time for longer ones grows with the
 * square of their length.
 */
const mostDigits = 1000

/**
 * Whether the text may contain a number that JSON.parse would change. That takes sixteen digits, a
 * fraction, an exponent or a minus zero; a number begins the text or follows one of a few
 * characters. A match inside a string only costs time.
 */
const mayHoldInexactNumber = /\d{16}|(?:^|[\s,:[])-?(?:0|[1-9]\d*)[.eE]|(?:^|[\s,:[])-0/

/**
 * Two cheap tests, the cheaper one first: most text is ASCII, and most other text has only letters
 * and emoji.
 */
const mayBeUnsafe = (text: string) =>
  /[^\0-~]/.test(text) && /[\u007f-\u009f\p{Cf}\p{Zl}\p{Zp}]/u.test(text)

/**
 * Reads JSON without losing a digit: a number is a `number` if that keeps its text, a `bigint` for
 * integers beyond 2^53, else a `LosslessNumber`. Otherwise like JSON.parse; throws SyntaxError.
 */
export function parseJson(text: string): unknown {
  // This comes first, because JSON.parse needs a gigabyte and many seconds for millions of
  // brackets.
  refuseDeepNesting(text)
  // This also checks the syntax, so there is one grammar and one set of messages.
  const value: unknown = JSON.parse(text)
  if (!mayHoldInexactNumber.test(text)) return value
  return parse(text, undefined, { parseNumber, onDuplicateKey: ({ newValue }) => newValue })
}

/** Reads JSON; the SyntaxError says what is wrong in a sentence. */
export function parseExplained(text: string): unknown {
  try {
    return parseJson(text)
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    throw new SyntaxError(`it is not JSON: ${error.message}`)
  }
}

const utf8 = new TextDecoder()

/** The value of a text or bytes; undefined, which no JSON means, if they are not JSON in UTF-8. */
export function parseIfJson(source: string | Uint8Array): unknown {
  const isText = typeof source === 'string'
  if (!isText && !isUtf8(source)) return undefined
  try {
    return parseJson(isText ? source : utf8.decode(source))
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

/** Where a text is not JSON: `line 3`; undefined if that cannot be told. */
export function placeOfJsonError(text: string): string | undefined {
  try {
    parse(text)
  } catch (error) {
    // Only lossless-json names the position in every error, on every Node.
    const [, position] = /at position (\d+)$/.exec((error as Error).message) ?? []
    if (position === undefined) return undefined
    const lines = text.slice(0, Number(position)).split('\n')
    return `line ${lines.length}`
  }
  return undefined
}

export interface WritingOptions {
  readonly indent?: number | undefined
  readonly int64AsStrings?: boolean | undefined
}

/**
 * Writes the result of `parseJson`, digit for digit; characters that act on a terminal become
 * `\uXXXX`.
 */
export function stringifyJson(
  value: unknown,
  { indent, int64AsStrings = false }: WritingOptions = {}
): string {
  const replacer = int64AsStrings
    ? (_key: string, item: unknown) => largeIntegerAsString(item)
    : undefined
  const text = stringify(value, replacer, indent)
  if (text === undefined) throw new TypeError('the value cannot be written as JSON')
  // The line breaks are those between the values, because JSON escapes the others.
  return mayBeUnsafe(text) ? escapeActive(text, { '\n': '\n' }) : text
}

/**
 * The integer that a parsed number stands for, however it was written (`1.0`, `1e3`, `-0`); else
 * undefined.
 */
export function exactInteger(value: unknown): bigint | undefined {
  if (typeof value === 'bigint') return value
  if (typeof value === 'number') return Number.isSafeInteger(value) ? BigInt(value) : undefined
  return isExactNumber(value) ? integerFromText(value.toString()) : undefined
}

function parseNumber(text: string) {
  const number = Number(text)
  const isSafe = Math.abs(number) <= Number.MAX_SAFE_INTEGER
  if (isSafe && String(number) === text) return number
  const isInteger = text !== '-0' && /^-?\d+$/.test(text)
  return isInteger && text.length <= mostDigits ? BigInt(text) : new LosslessNumber(text)
}

function integerFromText(text: string) {
  const [, whole, fraction = '', exponent = '0'] =
    /^(-?\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(text) ?? []
  if (whole === undefined || text.length > mostDigits) return undefined
  const digits = BigInt(`${whole}${fraction}`)
  if (digits === 0n) return 0n

  const power = Number(exponent) - fraction.length
  if (Math.abs(power) > mostDigits) return undefined
  const scale = 10n ** BigInt(Math.abs(power))
  if (power >= 0) return digits * scale
  return digits % scale === 0n ? digits / scale : undefined
}

function largeIntegerAsString(value: unknown) {
  const integer = typeof value === 'number' ? undefined : exactInteger(value)
  if (integer === undefined) return value
  const isSafe = integer >= Number.MIN_SAFE_INTEGER && integer <= Number.MAX_SAFE_INTEGER
  return isSafe ? value : String(integer)
}

const depthChanges: Readonly<Record<string, number>> = { '[': 1, '{': 1, ']': -1, '}': -1 }

/**
 * JSON.parse itself accepts any depth, but lossless-json and other code would run out of stack. The
 * text need not be valid.
 */
function refuseDeepNesting(text: string) {
  if (text.length <= deepestNesting) return
  const withoutEscapes = text.replace(/\\./gs, '')
  const withoutStrings = withoutEscapes.replace(/"[^"]*"?/g, '')
  let depth = 0
  for (const character of withoutStrings) {
    depth += depthChanges[character] ?? 0
    if (depth > deepestNesting)
      throw new SyntaxError(`JSON nested more than ${deepestNesting} deep`)
  }
}
