import type { JournalFiles } from './journal-files.ts'
import type { JournalEntry } from './journal-format.ts'

/** What the journal knows about each row: one byte per row, because there may be millions. */
export interface RowStates {
  readonly added: number
  readonly doubtful: number
  of(number: number): 'added' | 'doubtful' | undefined
  set(number: number, entry: JournalEntry): void
}

const [unknown, added, doubtful] = [0, 1, 2]
/** A row that was about to be sent, without a later entry, is doubtful. */
const codes: Readonly<Record<JournalEntry, number>> = { intended: doubtful, added, free: unknown, doubtful }

export function createRowStates(): RowStates {
  let bytes = new Uint8Array(1024)
  const counts = [0, 0, 0]
  const count = (code: number, change: number) => {
    counts[code] = (counts[code] ?? 0) + change
  }
  return {
    get added() {
      return counts[added] ?? 0
    },
    get doubtful() {
      return counts[doubtful] ?? 0
    },
    of(number) {
      const code = bytes[number]
      if (code === added) return 'added'
      return code === doubtful ? 'doubtful' : undefined
    },
    set(number, entry) {
      if (number >= bytes.length) {
        const larger = new Uint8Array(Math.max(number + 1, bytes.length * 2))
        larger.set(bytes)
        bytes = larger
      }
      count(bytes[number] ?? unknown, -1)
      bytes[number] = codes[entry]
      count(codes[entry], 1)
    },
  }
}

interface JournalLine {
  readonly text: string
  readonly number: number
  /** The offset of the next line. */
  readonly end: number
  /** Whether a newline ends it. */
  readonly isWhole: boolean
}

export async function* readJournalLines(file: number, files: JournalFiles): AsyncGenerator<JournalLine> {
  const chunk = Buffer.alloc(1024 * 1024)
  let position = 0
  let end = 0
  let number = 0
  let rest = Buffer.alloc(0)
  for (let length = -1; length !== 0; position += length) {
    length = await files.read(file, chunk, position)
    const bytes = Buffer.concat([rest, chunk.subarray(0, length)])
    let start = 0
    for (let stop = bytes.indexOf(0x0a); stop !== -1; stop = bytes.indexOf(0x0a, start)) {
      number += 1
      end += stop + 1 - start
      yield { text: bytes.toString('utf8', start, stop), number, end, isWhole: true }
      start = stop + 1
    }
    rest = bytes.subarray(start)
  }
  if (rest.length > 0) yield { text: rest.toString('latin1'), number: number + 1, end, isWhole: false }
}
