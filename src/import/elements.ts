import { createCollector } from './collector.ts'
import { isSpace, newline, type Piece, type Splitter } from './raw-row.ts'

const [comma, quote, backslash] = [0x2c, 0x22, 0x5c]
const [openBracket, closeBracket, openBrace, closeBrace] = [0x5b, 0x5d, 0x7b, 0x7d]

const cutOff = 'the array is cut off here'

/**
 * One row an element of a JSON array, which is never held whole. Only brackets, commas and the ends of strings are looked at,
 * so that one malformed element does not take the others with it.
 */
export function splitElements(): Splitter {
  let place: 'before' | 'inside' | 'behind' | 'over' = 'before'
  let line = 1
  let depth = 0
  let isInString = false
  let isEscaped = false
  /** Whether the present element has begun, and where. */
  let hasBegun = false
  let number = 1
  let firstLine = 1
  const collector = createCollector(() => ({ number, row: number, line: firstLine }))

  const finish = (last: Uint8Array, problem?: string): Piece => {
    if (!hasBegun) firstLine = line
    const piece = collector.finish(last, problem)
    hasBegun = false
    number += 1
    return { ...piece, bytes: withoutSpaceAtTheEnd(piece.bytes) }
  }

  /** The element that came last may be whole: then only what should have followed it is lost. */
  const finishCutOff = (): Piece[] => {
    const isOpen = depth > 0 || isInString
    const last = finish(new Uint8Array())
    const isWhole = !isOpen && last.bytes.at(-1) === closeBrace
    return isWhole ? [last, finish(new Uint8Array(), cutOff)] : [{ ...last, problem: last.problem ?? cutOff }]
  }

  /** What a byte outside of strings ends or begins; true where the element ends with it. */
  const endsElement = (byte: number): boolean => {
    if (depth === 0 && (byte === comma || byte === closeBracket)) return true
    if (byte === quote) isInString = true
    else if (byte === openBracket || byte === openBrace) depth += 1
    else if (byte === closeBracket || byte === closeBrace) depth = Math.max(0, depth - 1)
    return false
  }

  return {
    push(chunk) {
      const pieces: Piece[] = []
      if (place === 'over') return pieces
      let start = 0
      for (let index = 0; index < chunk.length; index += 1) {
        const byte = chunk[index] ?? 0
        if (byte === newline) line += 1
        if (isInString) {
          if (isEscaped) isEscaped = false
          else if (byte === backslash) isEscaped = true
          else if (byte === quote) isInString = false
          continue
        }
        if (isSpace(byte)) continue
        if (place === 'before') {
          // Whoever chose this format has looked at the first byte: it is a bracket.
          place = 'inside'
          start = index + 1
        } else if (place === 'behind') {
          place = 'over'
          return [...pieces, finish(chunk.subarray(index), 'it stands behind the end of the array')]
        } else {
          const isEnd = endsElement(byte)
          if (!hasBegun && !isEnd) {
            hasBegun = true
            firstLine = line
            start = index
          }
          if (!isEnd) continue
          // `[]` holds nothing; `[1,]` lacks an element.
          const isLacking = !hasBegun && !(byte === closeBracket && number === 1)
          if (hasBegun) pieces.push(finish(chunk.subarray(start, index)))
          else if (isLacking) pieces.push(finish(new Uint8Array(), 'there is no element between two commas'))
          if (byte === closeBracket) place = 'behind'
          start = index + 1
        }
      }
      if (hasBegun) pieces.push(...collector.add(chunk.subarray(start)))
      return pieces
    },
    end: () => (place === 'inside' ? finishCutOff() : []),
  }
}

function withoutSpaceAtTheEnd(bytes: Uint8Array): Uint8Array {
  let end = bytes.length
  while (end > 0 && isSpace(bytes[end - 1] ?? 0)) end -= 1
  return bytes.subarray(0, end)
}
