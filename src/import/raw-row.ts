/** The bytes of one row, unchanged. */
export interface RawRow {
  /** Identifies the row within its input: its line, or its position in a JSON array, where a line may hold many rows. */
  readonly number: number
  /** Its position in a JSON array. */
  readonly element?: number | undefined
  /** The line on which it begins; the first is 1. */
  readonly line: number
  /** Without the line break or comma that ends it. */
  readonly bytes: Uint8Array
  /** What is wrong with it, as far as that is known before its content is parsed. */
  readonly problem?: string | undefined
  /** Set if this is only the start of a row that is too large; the rest follows under the same number. */
  readonly isUnfinished?: boolean | undefined
}

/** Splits an input into raw rows, regardless of where its chunks end. */
export interface Splitter {
  push(chunk: Uint8Array): RawRow[]
  /** The input has ended. */
  end(): RawRow[]
}

/** The largest row that is held in memory. */
export const largestRow = 1024 * 1024

export const tooLarge = 'it is longer than 1 MiB'

export const newline = 0x0a

export function isBlank(bytes: Uint8Array): boolean {
  return bytes.every(isSpace)
}

/** White space as JSON defines it. */
export function isSpace(byte: number): boolean {
  return byte === 0x20 || byte === newline || byte === 0x0d || byte === 0x09
}

/** Joins the parts of a row that spans several chunks, and releases them early if the row becomes too large. */
export interface RawRowBuilder {
  readonly isEmpty: boolean
  /** Adds a part; returns what must be passed on already because the row is too large. */
  add(part: Uint8Array): RawRow[]
  /** Adds the last part and returns the whole row, or the rest of a row that is too large. */
  finish(last: Uint8Array, problem?: string): RawRow
}

/** `position` says where the current row stands. */
export function createRawRowBuilder(position: () => Pick<RawRow, 'number' | 'element' | 'line'>): RawRowBuilder {
  let parts: Uint8Array[] = []
  let length = 0
  let isTooLarge = false

  const take = () => {
    const whole = parts.length === 1 ? (parts[0] ?? new Uint8Array()) : Buffer.concat(parts)
    parts = []
    length = 0
    return whole
  }
  const hold = (part: Uint8Array) => {
    if (part.length > 0) parts.push(part)
    length += part.length
    isTooLarge ||= length > largestRow
  }

  return {
    get isEmpty() {
      return length === 0 && !isTooLarge
    },
    add(part) {
      hold(part)
      return isTooLarge ? [{ ...position(), bytes: take(), problem: tooLarge, isUnfinished: true }] : []
    },
    finish(last, problem) {
      // Most rows lie within one chunk.
      if (length === 0 && !isTooLarge && last.length <= largestRow) return { ...position(), bytes: last, problem }
      hold(last)
      const row = { ...position(), bytes: take(), problem: isTooLarge ? tooLarge : problem }
      isTooLarge = false
      return row
    },
  }
}
