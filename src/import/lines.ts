import { createCollector } from './collector.ts'
import { isBlank, newline, type Piece, type Splitter } from './raw-row.ts'

/** One row a line; blank lines are none. */
export function splitLines(): Splitter {
  let line = 1
  const collector = createCollector(() => ({ number: line, line }))

  const finish = (last: Uint8Array, pieces: Piece[]) => {
    const piece = collector.finish(last)
    if (piece.problem !== undefined || !isBlank(piece.bytes)) pieces.push(piece)
  }

  return {
    push(chunk) {
      const pieces: Piece[] = []
      let start = 0
      for (let end = chunk.indexOf(newline); end !== -1; end = chunk.indexOf(newline, start)) {
        finish(chunk.subarray(start, end), pieces)
        line += 1
        start = end + 1
      }
      pieces.push(...collector.add(chunk.subarray(start)))
      return pieces
    },
    end() {
      const pieces: Piece[] = []
      if (!collector.isEmpty) finish(new Uint8Array(), pieces)
      return pieces
    },
  }
}
