import type { FileHandle } from 'node:fs/promises'
import { Failure } from '../failure.ts'
import {
  isTornEntry,
  type JournalEntry,
  type JournalHead,
  readEntry,
  readJournalHead
} from './journal-format.ts'

type RowState = 'added' | 'doubtful'

const knownStates = [undefined, 'added', 'doubtful'] as const
/** A row that was about to be sent, without a later entry, is doubtful. */
const codes = {
  free: 0,
  added: 1,
  counted: 1,
  doubtful: 2,
  intended: 2
} as const

/** What earlier runs recorded about the rows, with those that this run counts as added. */
export class RowStates {
  /** How many rows are doubtful, and how many are added or count as added. */
  readonly counts: Record<RowState, number> = { added: 0, doubtful: 0 }
  /** One byte per row, because there may be millions. */
  #bytes = new Uint8Array(1024)

  of(number: number): RowState | undefined {
    return knownStates[this.#bytes[number] ?? 0]
  }

  set(number: number, kind: JournalEntry['kind']): void {
    const before = this.of(number)
    if (before !== undefined) this.counts[before] -= 1
    if (number >= this.#bytes.length) this.#grow(number + 1)
    this.#bytes[number] = codes[kind]
    const after = this.of(number)
    if (after !== undefined) this.counts[after] += 1
  }

  #grow(least: number): void {
    const bytes = this.#bytes
    this.#bytes = new Uint8Array(Math.max(least, bytes.length * 2))
    this.#bytes.set(bytes)
  }
}

/** What a journal says. */
export type Replay = Awaited<ReturnType<typeof replayJournal>>

/** In bytes. A longer one has lost its newline. */
const longestLine = 1024 * 1024

/**
 * Reads a journal. Damage to a line that was once on disk could hide that its row was sent, so
 * anything but a torn line at the very end is an error.
 */
export async function replayJournal(file: FileHandle, path: string) {
  const states = new RowStates()
  let head: JournalHead | undefined
  let line = 0
  const take = (bytes: Buffer, position: number) => {
    line += 1
    if (head === undefined) {
      head = requireHead(bytes, path)
      return
    }
    const entry = readEntry(bytes, position)
    const { size } = head.content
    // No input has more rows than bytes.
    if (entry === undefined || entry.number > size) throw damaged(path, line)
    states.set(entry.number, entry.kind)
  }

  let rest: Buffer = Buffer.alloc(0)
  let end = 0
  for await (const chunk of file.createReadStream({ start: 0, autoClose: false })) {
    const bytes = Buffer.concat([rest, chunk])
    let start = 0
    for (;;) {
      const stop = bytes.indexOf('\n', start)
      if (stop === -1) break
      take(bytes.subarray(start, stop), end + start)
      start = stop + 1
    }
    end += start
    rest = bytes.subarray(start)
    if (rest.length > longestLine) break
  }
  if (head === undefined) throw notAJournal(path)
  const isSound = rest.length === 0 || isTornEntry(rest, end)
  if (!isSound) throw damaged(path, line + 1)
  return {
    head,
    states,
    /** Whether nothing was recorded yet: then nothing is lost by starting over. */
    isEmpty: line === 1,
    /** The position of the next line: the end of the file, or the start of a torn line. */
    end
  }
}

function requireHead(line: Buffer, path: string): JournalHead {
  const head = readJournalHead(line)
  if (head === undefined) throw notAJournal(path)
  if (head === 'damaged') throw damaged(path, 1)
  if (head !== 'of another version') return head
  const remedy =
    'finish the import with that version, or check which pets were added and start over with --restart'
  const problem = `the journal ${path} was written by another version of petstore`
  throw new Failure('local', `${problem}: ${remedy}`)
}

export function notAJournal(path: string): Failure {
  return new Failure('usage', `${path} is not the journal of an import; it was left unchanged`)
}

function damaged(path: string, line: number): Failure {
  const problem = `is damaged at line ${line}; it was left unchanged. Check which pets were added, then start over`
  return new Failure('local', `the journal ${path} ${problem} with --restart`)
}
