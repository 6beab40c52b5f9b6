import { Failure } from '../failure.ts'
import type { JournalFiles } from './journal-files.ts'
import {
  isCurrent,
  isTornEntry,
  type JournalEntry,
  type JournalHead,
  journalVersion,
  readEntry,
  readHead,
} from './journal-format.ts'

/** What the journal knows about each row: one byte per row, because there may be millions. */
export interface RowStates {
  readonly added: number
  readonly doubtful: number
  of(number: number): 'added' | 'doubtful' | undefined
  set(number: number, kind: JournalEntry['kind']): void
}

const [unknown, added, doubtful] = [0, 1, 2]
/** A row that was about to be sent, without a later entry, is doubtful. */
const codes: Readonly<Record<JournalEntry['kind'], number>> = { intended: doubtful, added, free: unknown, doubtful }

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
    set(number, kind) {
      if (number >= bytes.length) {
        const larger = new Uint8Array(Math.max(number + 1, bytes.length * 2))
        larger.set(bytes)
        bytes = larger
      }
      count(bytes[number] ?? unknown, -1)
      bytes[number] = codes[kind]
      count(codes[kind], 1)
    },
  }
}

interface ReplayOptions {
  readonly path: string
  readonly files: JournalFiles
  /** Throws if the journal belongs to another import. */
  readonly check: (head: JournalHead) => void
  readonly commands: JournalCommands
}

/** Commands for hints. */
export interface JournalCommands {
  /** Starts the import over. */
  readonly restart: string
  /** Shows which pets were added. */
  readonly look: string
}

/** What earlier runs recorded. */
interface Replay {
  readonly states: RowStates
  /** Whether nothing was recorded yet: then nothing is lost by starting over. */
  readonly isEmpty: boolean
  /** Where the next line goes: at the end of the file, or at the start of a torn line. */
  readonly end: number
}

/**
 * Reads a journal. Damage to a line that was once on disk could hide that its row was sent, so anything but a torn line at the
 * very end is an error.
 */
export async function replayJournal(file: number, { path, files, check, commands }: ReplayOptions): Promise<Replay> {
  const states = createRowStates()
  let head: JournalHead | undefined
  let line = 0
  const take = (bytes: Buffer, position: number) => {
    line += 1
    if (head === undefined) {
      head = requireHead(bytes, path, commands)
      return
    }
    if (line === 2) check(head)
    const entry = readEntry(bytes, position)
    if (entry === undefined || entry.number > (head.content?.size ?? 0)) throw damaged(path, line, commands)
    states.set(entry.number, entry.kind)
  }

  const chunk = Buffer.allocUnsafe(1024 * 1024)
  let rest = Buffer.alloc(0)
  let end = 0
  for (let length = -1; length !== 0; ) {
    length = await files.read(file, chunk, end + rest.length)
    const bytes = Buffer.concat([rest, chunk.subarray(0, length)])
    let start = 0
    for (let stop = bytes.indexOf(0x0a); stop !== -1; stop = bytes.indexOf(0x0a, start)) {
      take(bytes.subarray(start, stop), end + start)
      start = stop + 1
    }
    end += start
    rest = bytes.subarray(start)
    // No line is longer, so this one has lost its newline.
    if (rest.length > chunk.length) break
  }
  if (head === undefined) throw notAJournal(path)
  if (rest.length > 0 && !isTornEntry(rest, end)) throw damaged(path, line + 1, commands)
  return { states, isEmpty: line === 1, end }
}

function requireHead(line: Buffer, path: string, commands: JournalCommands): JournalHead {
  const head = readHead(line)
  if (head === undefined) throw notAJournal(path)
  if (head === 'damaged') throw damaged(path, 1, commands)
  if (isCurrent(head)) return head
  if (head.version > journalVersion) {
    const problem = 'was written by a newer version of petstore; it was left unchanged: update petstore'
    throw new Failure('local', `the journal ${path} ${problem}`)
  }
  throw new Failure(
    'local',
    `the journal ${path} was written by petstore 0.1, and this version cannot resume it; finish the import with that version, or check which pets were added and start over with --restart`,
    { hint: commands.look },
  )
}

export function notAJournal(path: string): Failure {
  return new Failure('usage', `${path} is not the journal of an import; it was left unchanged`)
}

function damaged(path: string, line: number, { look }: JournalCommands): Failure {
  const problem = `is damaged at line ${line}; it was left unchanged. Check which pets were added, then start over`
  return new Failure('local', `the journal ${path} ${problem} with --restart`, { hint: look })
}
