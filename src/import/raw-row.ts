import { isUtf8 } from 'node:buffer'

/** The bytes of one row, unchanged. */
export interface RawRow {
  /**
   * Identifies the row within its input, from 1: the line on which it begins, or its position in a
   * JSON array, where a line may hold many rows.
   */
  readonly number: number
  /** Without the line break or comma that ends it; empty if the row is too large. */
  readonly bytes: Buffer
  /** The problem with it, if one is known before its content is parsed. */
  readonly problem?: string | undefined
}

/** The row as text. Throws a SyntaxError, whose message is the problem, if it cannot be read. */
export function rowText({ bytes, problem }: RawRow): string {
  if (problem !== undefined) throw new SyntaxError(problem)
  if (!isUtf8(bytes)) throw new SyntaxError('it is not UTF-8 text')
  return bytes.toString()
}

/** The maximum size of a row that is held in memory. */
export const largestRow = 1024 * 1024

export const noBytes = Buffer.alloc(0)
export const oversized = { bytes: noBytes, problem: 'it is longer than 1 MiB' }

/** Where a row ends and the next one begins. */
interface RowBounds {
  readonly end: number
  readonly next: number
  readonly problem?: string
}

/**
 * Finds the end of what begins at `start`; undefined if it may continue in the next chunk. In the
 * text, a character stands for a byte.
 */
export type FindEnd = (text: string, start: number, isEnd: boolean) => RowBounds | undefined

export const wholeLineFrom: FindEnd = (text, start, isEnd) => {
  const found = text.indexOf('\n', start)
  if (found !== -1) return { end: found, next: found + 1 }
  return isEnd ? wholeBounds(text) : undefined
}

function wholeBounds({ length }: string): RowBounds {
  return { end: length, next: length }
}

/**
 * Rows that each begin on a new line; blank lines are not rows. `lineFrom` finds where a row that
 * is too large ends.
 */
export async function* splitRows(
  chunks: AsyncIterable<Buffer>,
  firstLine: number,
  rowFrom: FindEnd,
  lineFrom = rowFrom
): AsyncGenerator<RawRow[]> {
  let held = ''
  let line = firstLine
  /** The rest of the current line belongs to a row that is too large. */
  let isSkipping = false

  const rowAt = (start: number, { end, problem }: RowBounds): RawRow | undefined => {
    if (end - start > largestRow) return { number: line, ...oversized }
    const text = held.slice(start, end)
    const isRow = problem !== undefined || /[^ \t\r\n]/.test(text)
    return isRow ? { number: line, bytes: Buffer.from(text, 'latin1'), problem } : undefined
  }
  const cut = (isEnd: boolean): RawRow[] => {
    const rows: RawRow[] = []
    let start = 0
    while (start < held.length) {
      const findEnd = isSkipping ? lineFrom : rowFrom
      const found = findEnd(held, start, isEnd)
      const isTooLong = held.length - start > largestRow
      // The rest of the row is awaited.
      if (found === undefined && !isSkipping && !isTooLong) break
      const bounds = found ?? wholeBounds(held)
      const row = isSkipping ? undefined : rowAt(start, bounds)
      if (row !== undefined) rows.push(row)
      isSkipping = found === undefined
      line += countLines(held.slice(start, bounds.next))
      start = bounds.next
    }
    held = held.slice(start)
    return rows
  }

  for await (const chunk of chunks) {
    held += chunk.toString('latin1')
    yield cut(false)
  }
  yield cut(true)
}

export const countLines = (text: string): number => text.split('\n').length - 1
