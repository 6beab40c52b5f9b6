import { isBlank, largestRow, newline, type Piece, type Splitter, tooLarge } from './raw-row.ts'

const [comma, quote, carriageReturn] = [0x2c, 0x22, 0x0d]

/** Where a record ends, and where the next begins; a fault where its quotes make no sense. */
interface Extent {
  readonly end: number
  readonly next: number
  readonly fault?: string
}

/**
 * One row a record of CSV, whose quoted fields may hold line breaks. Where the quotes of a record make no sense only its first
 * line is lost: a quote that is never closed must not swallow all the rows behind it.
 */
export function splitRecords(): Splitter {
  let held: Buffer = Buffer.alloc(0)
  let line = 1
  /** The rest of the present line belongs to something too large. */
  let isSkipping = false

  const cut = (isEnd: boolean): Piece[] => {
    const pieces: Piece[] = []
    let start = 0
    while (start < held.length) {
      const extent = isSkipping ? lineFrom(held, start, isEnd) : recordFrom(held, start, isEnd)
      if (extent === undefined) {
        if (held.length - start <= largestRow) break
        // Too large as it is: its first line is passed on, and with it whatever of that line is yet to come.
        const rest = lineFrom(held, start, false)
        const fault = rest === undefined ? tooLarge : 'a quote is opened on this line and not closed within 1 MiB'
        pieces.push(pieceOf(start, rest?.end ?? held.length, fault, rest === undefined))
        isSkipping = rest === undefined
        if (rest !== undefined) line += 1
        start = rest?.next ?? held.length
        continue
      }
      const { end, next, fault } = extent
      const problem = isSkipping ? tooLarge : fault
      if (problem !== undefined || !isBlank(held.subarray(start, end))) pieces.push(pieceOf(start, end, problem, false))
      isSkipping = false
      line += countLines(held, start, next)
      start = next
    }
    held = held.subarray(start)
    return pieces
  }

  const pieceOf = (start: number, end: number, problem: string | undefined, isUnfinished: boolean): Piece => ({
    number: line,
    line,
    bytes: held.subarray(start, end),
    ...(problem === undefined ? {} : { problem }),
    ...(isUnfinished ? { isUnfinished } : {}),
  })

  return {
    push(chunk) {
      held =
        held.length === 0 ? Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length) : Buffer.concat([held, chunk])
      return cut(false)
    },
    end: () => cut(true),
  }
}

/** Undefined where the record may go on in what is yet to come. */
function recordFrom(bytes: Buffer, start: number, isEnd: boolean): Extent | undefined {
  const firstLine = lineFrom(bytes, start, isEnd)
  if (firstLine === undefined && !isEnd) return undefined
  const faulty = (fault: string): Extent | undefined => firstLine && { ...firstLine, fault }

  for (let index = start; ; ) {
    if (bytes[index] !== quote) {
      // A field without quotes ends at a comma, or with the line.
      const line = lineFrom(bytes, index, isEnd)
      if (line === undefined) return undefined
      const next = bytes.indexOf(comma, index)
      if (next === -1 || next >= line.end) return line
      index = next + 1
      continue
    }
    const close = closingQuote(bytes, index + 1, isEnd)
    if (close === undefined) return isEnd ? faulty('a quote is opened on this line and never closed') : undefined
    const behind = bytes[close + 1]
    if (behind === comma) {
      index = close + 2
      continue
    }
    const line = lineFrom(bytes, close + 1, isEnd)
    if (line === undefined) return undefined
    return line.end === close + 1 ? line : faulty('its quotes are not as CSV has them')
  }
}

/** The quote that ends the field; two in a row stand for one inside of it. */
function closingQuote(bytes: Buffer, start: number, isEnd: boolean): number | undefined {
  for (let index = start; ; ) {
    const found = bytes.indexOf(quote, index)
    if (found === -1 || (found === bytes.length - 1 && !isEnd)) return undefined
    if (bytes[found + 1] !== quote) return found
    index = found + 2
  }
}

function lineFrom(bytes: Buffer, start: number, isEnd: boolean): Extent | undefined {
  const found = bytes.indexOf(newline, start)
  if (found === -1) return isEnd ? { end: bytes.length, next: bytes.length } : undefined
  return { end: found > start && bytes[found - 1] === carriageReturn ? found - 1 : found, next: found + 1 }
}

function countLines(bytes: Buffer, start: number, end: number): number {
  let count = 0
  for (
    let index = bytes.indexOf(newline, start);
    index !== -1 && index < end;
    index = bytes.indexOf(newline, index + 1)
  ) {
    count += 1
  }
  return count
}
