import { hasRepeatedKey, parseJson, repeatedKey } from '../model/json.ts'
import type { RowParser } from './format.ts'
import {
  comma,
  isSpace,
  largestRow,
  noBytes,
  openBrace,
  openBracket,
  oversized,
  quote,
  type RawRow,
  splitRows,
  wholeLineFrom,
} from './raw-row.ts'

/** Each row is parsed on its own, so that a malformed row does not affect the others. */
export function jsonRows(format: 'ndjson' | 'json', firstLine: number): RowParser {
  const split: RowParser['split'] =
    format === 'json' ? splitElements : (chunks) => splitRows(chunks, firstLine, wholeLineFrom)
  return { format, split, parse: parseJsonRow }
}

function parseJsonRow(text: string): unknown {
  const value = plainValueOf(text)
  if (hasRepeatedKey(text, value)) throw new SyntaxError(repeatedKey)
  return value
}

function plainValueOf(text: string): unknown {
  try {
    return parseJson(text)
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    throw new SyntaxError(`it is not JSON: ${error.message}`)
  }
}

const backslash = 0x5c
const closeBracket = 0x5d
const closeBrace = 0x7d

/**
 * One row per element of a JSON array, which is never held in memory as a whole. Only brackets,
 * commas and string ends are examined, so that a malformed element does not affect the others.
 */
async function* splitElements(chunks: AsyncIterable<Buffer>): AsyncGenerator<RawRow[]> {
  let depth = 0
  let isInString = false
  let isEscaped = false
  let isAfterArray = false
  let number = 0
  /** The current element as far as it has been read, unless it is too large. */
  let held: Buffer = noBytes
  let isTooLarge = false

  const hold = (part: Buffer) => {
    held = trimStart(Buffer.concat([held, part]))
    isTooLarge ||= held.length > largestRow
    if (isTooLarge) held = noBytes
  }
  const isEmpty = () => held.length === 0 && !isTooLarge
  const take = (problem?: string): RawRow => {
    const row = isTooLarge ? oversized : { bytes: trimEnd(held), problem }
    held = noBytes
    isTooLarge = false
    number += 1
    return { number, ...row }
  }
  const takeElement = (): RawRow[] => {
    if (!isEmpty()) return [take()]
    const isEmptyArray = isAfterArray && number === 0
    return isEmptyArray ? [] : [take('there is no element between two commas')]
  }

  /** Processes a byte; true if it ends an element. */
  const endsElement = (byte: number | undefined): boolean => {
    if (isEscaped) isEscaped = false
    else if (byte === quote) isInString = !isInString
    else if (isInString) isEscaped = byte === backslash
    else if (depth === 1 && (byte === comma || byte === closeBracket)) return true
    else if (byte === openBracket || byte === openBrace) depth += 1
    else if (byte === closeBracket || byte === closeBrace) depth = Math.max(1, depth - 1)
    return false
  }

  for await (const chunk of chunks) {
    const rows: RawRow[] = []
    let start = 0
    if (depth === 0) {
      // The caller has checked that the bracket of the array comes first.
      start = chunk.indexOf(openBracket) + 1
      depth = 1
    }
    for (let index = start; index < chunk.length && !isAfterArray; index += 1) {
      if (!endsElement(chunk[index])) continue
      hold(chunk.subarray(start, index))
      start = index + 1
      isAfterArray = chunk[index] === closeBracket
      rows.push(...takeElement())
    }
    hold(chunk.subarray(start))
    yield rows
  }
  if (isAfterArray && isEmpty()) return
  const last = take()
  const cutOff = last.problem ?? 'the array is cut off here'
  // The end of the array comes before any other problem.
  yield [{ ...last, problem: isAfterArray ? 'it comes after the end of the array' : cutOff }]
}

function trimStart(bytes: Buffer): Buffer {
  const start = bytes.findIndex((byte) => !isSpace(byte))
  return start === -1 ? noBytes : bytes.subarray(start)
}

function trimEnd(bytes: Buffer): Buffer {
  const last = bytes.findLastIndex((byte) => !isSpace(byte))
  return bytes.subarray(0, last + 1)
}
