import { largestRow, type Piece, tooLarge } from './raw-row.ts'

/** Puts a piece together that comes in several chunks, and gives up holding it when it becomes too large. */
export interface Collector {
  readonly isEmpty: boolean
  /** Takes a part; gives back what has to be passed on already, where the whole has become too large. */
  add(part: Uint8Array): Piece[]
  /** Takes the last part and gives back the whole; or the rest of it, where it is too large. */
  finish(last: Uint8Array, problem?: string): Piece
}

/** `place` says where the piece stands that is being put together. */
export function createCollector(place: () => Pick<Piece, 'number' | 'row' | 'line'>): Collector {
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
      return isTooLarge ? [{ ...place(), bytes: take(), problem: tooLarge, isUnfinished: true }] : []
    },
    finish(last, problem) {
      // Most come whole.
      if (length === 0 && !isTooLarge && last.length <= largestRow) return { ...place(), bytes: last, problem }
      hold(last)
      const piece = { ...place(), bytes: take(), problem: isTooLarge ? tooLarge : problem }
      isTooLarge = false
      return piece
    },
  }
}
