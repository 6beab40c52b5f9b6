import { parseJsonObject } from '../model/json.ts'
import type { RowParser } from './format.ts'
import { largestRow, oversized, type RawRow, splitRows, wholeLineFrom } from './raw-row.ts'

/** Each row is parsed on its own, so that a malformed row does not affect the others. */
export function jsonRows(format: 'ndjson' | 'json', firstLine: number): RowParser {
  const split: RowParser['split'] =
    format === 'json' ? splitElements : chunks => splitRows(chunks, firstLine, wholeLineFrom)
  return { format, split, parse: parseJsonObject }
}

const blankStart = /^[ \t\r\n]+/
const withoutBlankEnd = /^.*[^ \t\r\n]/s

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
  let held = ''
  let isTooLarge = false

  const hold = (part: string) => {
    held = `${held}${part}`.replace(blankStart, '')
    isTooLarge ||= held.length > largestRow
    if (isTooLarge) held = ''
  }
  const isEmpty = () => held === '' && !isTooLarge
  const take = (problem?: string): RawRow => {
    const text = withoutBlankEnd.exec(held)?.[0] ?? ''
    const row = isTooLarge ? oversized : { bytes: Buffer.from(text, 'latin1'), problem }
    held = ''
    isTooLarge = false
    number += 1
    return { number, ...row }
  }
  const takeElement = (): RawRow[] => {
    if (!isEmpty()) return [take()]
    const isEmptyArray = isAfterArray && number === 0
    return isEmptyArray ? [] : [take('there is no element between two commas')]
  }
  /** Processes a character; true if it ends an element. */
  const endsElement = (character: string | undefined): boolean => {
    if (isEscaped) isEscaped = false
    else if (character === '"') isInString = !isInString
    else if (isInString) isEscaped = character === '\\'
    else if (depth === 1 && (character === ',' || character === ']')) return true
    else if (character === '[' || character === '{') depth += 1
    else if (character === ']' || character === '}') depth = Math.max(1, depth - 1)
    return false
  }

  for await (const chunk of chunks) {
    // A character stands for a byte.
    const text = chunk.toString('latin1')
    const rows: RawRow[] = []
    let start = 0
    if (depth === 0) {
      // The caller has checked that the bracket of the array comes first.
      start = text.indexOf('[') + 1
      depth = 1
    }
    for (let index = start; index < text.length && !isAfterArray; index += 1) {
      if (!endsElement(text[index])) continue
      hold(text.slice(start, index))
      start = index + 1
      isAfterArray = text[index] === ']'
      rows.push(...takeElement())
    }
    hold(text.slice(start))
    yield rows
  }
  if (isAfterArray && isEmpty()) return
  const last = take()
  const cutOff = last.problem ?? 'the array is cut off here'
  // The end of the array comes before any other problem.
  yield [{ ...last, problem: isAfterArray ? 'it comes after the end of the array' : cutOff }]
}
