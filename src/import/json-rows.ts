import { parseJson } from '../model/json.ts'
import {
  isSpace,
  largestRow,
  newline,
  notText,
  type ParsedRow,
  type RawRow,
  type RowParser,
  type Splitter,
  splitRows,
  tooLarge,
  wholeLineFrom,
} from './raw-row.ts'

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** Each row is parsed on its own, so that a malformed row does not affect the others. */
export function jsonRows(format: 'ndjson' | 'json'): RowParser {
  const splitter = format === 'json' ? splitElements() : splitRows(wholeLineFrom)
  return { splitter, parse: (rows) => rows.map(parseJsonRow) }
}

function parseJsonRow(raw: RawRow): ParsedRow {
  if (raw.problem !== undefined) return { raw, problem: raw.problem }
  let text: string
  try {
    text = utf8.decode(raw.bytes)
  } catch {
    return { raw, problem: notText }
  }
  try {
    const value = parseJson(text)
    return hasRepeatedKey(text, value) ? { raw, problem: 'it has the same field twice' } : { raw, value }
  } catch (error) {
    return { raw, problem: `it is not JSON: ${(error as Error).message}` }
  }
}

/**
 * JSON.parse takes the last of several fields with the same name. A pet has no nested fields, so each colon outside a
 * string belongs to one field.
 */
function hasRepeatedKey(text: string, value: unknown): boolean {
  if (typeof value !== 'object' || value === null || text.includes('{', text.indexOf('{') + 1)) return false
  const outside = text.replace(/"(?:[^"\\]|\\.)*"/g, '')
  return outside.split(':').length - 1 > Object.keys(value).length
}

const [comma, quote, backslash] = [0x2c, 0x22, 0x5c]
const [openBracket, closeBracket, openBrace, closeBrace] = [0x5b, 0x5d, 0x7b, 0x7d]

/**
 * One row per element of a JSON array, which is never held in memory as a whole. Only brackets, commas and string ends
 * are examined, so that a malformed element does not affect the others.
 */
function splitElements(): Splitter {
  let state: 'before array' | 'in array' | 'after array' | 'in trailing text' = 'before array'
  let line = 1
  let depth = 0
  let isInString = false
  let isEscaped = false
  /** Whether the current element has begun, and where. */
  let hasBegun = false
  let element = 1
  let firstLine = 1
  /** The parts of the current element from earlier chunks; undefined if it is too large. */
  let held: Uint8Array | undefined = new Uint8Array()

  /** Most elements lie within one chunk. */
  const hold = (part: Uint8Array) => {
    if (held === undefined || held.length + part.length > largestRow) held = undefined
    else held = held.length === 0 ? Buffer.from(part) : Buffer.concat([held, part])
  }
  const finish = (last: Uint8Array, problem?: string): RawRow => {
    if (!hasBegun) firstLine = line
    const row = { number: element, element, line: firstLine }
    const isWhole = held?.length === 0 && last.length <= largestRow
    if (!isWhole) hold(last)
    const bytes = isWhole ? last : held
    held = new Uint8Array()
    hasBegun = false
    element += 1
    return bytes === undefined ? { ...row, ...tooLarge } : { ...row, bytes: trimEnd(bytes), problem }
  }

  /** Processes a byte outside strings; true if it ends the element. */
  const endsElement = (byte: number): boolean => {
    if (depth === 0 && (byte === comma || byte === closeBracket)) return true
    if (byte === quote) isInString = true
    else if (byte === openBracket || byte === openBrace) depth += 1
    else if (byte === closeBracket || byte === closeBrace) depth = Math.max(0, depth - 1)
    return false
  }

  return {
    push(chunk) {
      const rows: RawRow[] = []
      let start = 0
      for (let index = 0; index < chunk.length; index += 1) {
        const byte = chunk[index] ?? 0
        if (byte === newline) line += 1
        if (state === 'in trailing text') continue
        if (isInString) {
          if (isEscaped) isEscaped = false
          else if (byte === backslash) isEscaped = true
          else if (byte === quote) isInString = false
          continue
        }
        if (isSpace(byte)) continue
        if (state === 'before array') {
          // The caller has checked that the first byte is a bracket.
          state = 'in array'
          start = index + 1
        } else if (state === 'after array') {
          state = 'in trailing text'
          hasBegun = true
          firstLine = line
          start = index
        } else {
          const isEnd = endsElement(byte)
          if (!hasBegun && !isEnd) {
            hasBegun = true
            firstLine = line
            start = index
          }
          if (!isEnd) continue
          // `[]` has no elements; `[1,]` lacks one.
          const isMissing = !hasBegun && !(byte === closeBracket && element === 1)
          if (hasBegun) rows.push(finish(chunk.subarray(start, index)))
          else if (isMissing) rows.push(finish(new Uint8Array(), 'there is no element between two commas'))
          if (byte === closeBracket) state = 'after array'
          start = index + 1
        }
      }
      if (hasBegun) hold(chunk.subarray(start))
      return rows
    },
    end() {
      if (state !== 'in array' && !hasBegun) return []
      const last = finish(new Uint8Array())
      if (state === 'in array') return [{ ...last, problem: last.problem ?? 'the array is cut off here' }]
      // This problem replaces that of a row that is too large.
      return [{ ...last, problem: 'it comes after the end of the array' }]
    },
  }
}

function trimEnd(bytes: Uint8Array): Uint8Array {
  let end = bytes.length
  while (end > 0 && isSpace(bytes[end - 1] ?? 0)) end -= 1
  return bytes.subarray(0, end)
}
