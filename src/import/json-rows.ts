import { isUtf8 } from 'node:buffer'
import { hasRepeatedKey, parseJson, repeatedKey } from '../model/json.ts'
import type { RowParser } from './format.ts'
import {
  comma,
  isSpace,
  largestRow,
  noBytes,
  notText,
  openBrace,
  openBracket,
  oversized,
  type ParsedRow,
  quote,
  type RawRow,
  type Splitter,
  splitRows,
  wholeLineFrom,
} from './raw-row.ts'

/** Each row is parsed on its own, so that a malformed row does not affect the others. */
export function jsonRows(format: 'ndjson' | 'json', firstLine: number): RowParser {
  const splitter = format === 'json' ? splitElements() : splitRows(firstLine, wholeLineFrom)
  return { ...splitter, format, parse: (rows) => rows.map(parseJsonRow) }
}

function parseJsonRow(raw: RawRow): ParsedRow {
  if (raw.problem !== undefined) return { raw, problem: raw.problem }
  if (!isUtf8(raw.bytes)) return { raw, problem: notText }
  const { buffer, byteOffset, length } = raw.bytes
  const text = Buffer.from(buffer, byteOffset, length).toString()
  try {
    const value = parseJson(text)
    return hasRepeatedKey(text, value) ? { raw, problem: repeatedKey } : { raw, value }
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    return { raw, problem: `it is not JSON: ${error.message}` }
  }
}

const backslash = 0x5c
const closeBracket = 0x5d
const closeBrace = 0x7d

/**
 * One row per element of a JSON array, which is never held in memory as a whole. Only brackets,
 * commas and string ends are examined, so that a malformed element does not affect the others.
 */
function splitElements(): Splitter {
  let state: 'before array' | 'in array' | 'after array' = 'before array'
  let depth = 0
  let isInString = false
  let isEscaped = false
  let number = 1
  /**
   * The current element as far as it has been read; empty before its first byte, undefined if it is
   * too large.
   */
  let held: Uint8Array | undefined = noBytes

  const hold = (part: Uint8Array) => {
    const isFirst = held?.length === 0
    const rest = isFirst ? trimStart(part) : part
    if (held === undefined || held.length + rest.length > largestRow) held = undefined
    else held = isFirst ? rest : Buffer.concat([held, rest])
  }
  const take = (problem?: string): RawRow => {
    const row = held === undefined ? oversized : { bytes: trimEnd(held), problem }
    held = noBytes
    number += 1
    return { number: number - 1, ...row }
  }

  /** Processes a byte of a string. */
  const endString = (byte: number) => {
    if (isEscaped) isEscaped = false
    else if (byte === backslash) isEscaped = true
    else if (byte === quote) isInString = false
  }
  /** Processes a byte outside strings; true if it ends the element. */
  const endsElement = (byte: number): boolean => {
    if (depth === 0 && (byte === comma || byte === closeBracket)) return true
    if (byte === quote) isInString = true
    else if (byte === openBracket || byte === openBrace) depth += 1
    else if (byte === closeBracket || byte === closeBrace) depth = Math.max(0, depth - 1)
    return false
  }
  const takeBefore = (end: number): RawRow[] => {
    if (end === closeBracket) state = 'after array'
    if (held?.length !== 0) return [take()]
    const isEmptyArray = end === closeBracket && number === 1
    return isEmptyArray ? [] : [take('there is no element between two commas')]
  }

  return {
    push(chunk) {
      const rows: RawRow[] = []
      let start = 0
      if (state === 'before array') {
        // The caller has checked that a bracket comes first.
        start = chunk.indexOf(openBracket) + 1
        state = start > 0 ? 'in array' : state
      }
      for (let index = start; index < chunk.length && state === 'in array'; index += 1) {
        const byte = chunk[index] ?? 0
        if (isInString) endString(byte)
        else if (endsElement(byte)) {
          hold(chunk.subarray(start, index))
          start = index + 1
          rows.push(...takeBefore(byte))
        }
      }
      hold(chunk.subarray(start))
      return rows
    },
    end() {
      const isTrailing = state === 'after array'
      if (isTrailing && held?.length === 0) return []
      const last = take()
      // The end of the array comes before any other problem.
      if (isTrailing) return [{ ...last, problem: 'it comes after the end of the array' }]
      return [{ ...last, problem: last.problem ?? 'the array is cut off here' }]
    },
  }
}

function trimStart(bytes: Uint8Array): Uint8Array {
  const start = bytes.findIndex((byte) => !isSpace(byte))
  return start === -1 ? noBytes : bytes.subarray(start)
}

function trimEnd(bytes: Uint8Array): Uint8Array {
  const last = bytes.findLastIndex((byte) => !isSpace(byte))
  return bytes.subarray(0, last + 1)
}
