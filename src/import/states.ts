import type { Entry } from './journal-lines.ts'

/** What the journal knows of each row: one byte a row, for there may be millions. */
export interface RowStates {
  readonly added: number
  readonly doubtful: number
  of(number: number): 'added' | 'doubtful' | undefined
  set(number: number, entry: Entry): void
}

const [unknown, added, doubtful] = [0, 1, 2]
/** A row that was on its way, with nothing said of it since, is in doubt. */
const codes: Readonly<Record<Entry, number>> = { intended: doubtful, added, free: unknown, doubtful }

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
