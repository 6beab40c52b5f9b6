import type { Failure } from '../failure.ts'
import type { Outcome, RowEnd } from './engine.ts'
import type { ImportFormat } from './format.ts'
import type { Input } from './input.ts'
import { openRejects } from './rejects.ts'
import { type Row, readRows } from './rows.ts'

/** How many rows of a run ended in which way; `valid` is for rows that were only looked at. */
export type Counts = Record<Outcome | 'valid', number>

/** The account of one run: its rows, how they ended so far, and the file for those that were refused. */
export interface Book {
  readonly counts: Readonly<Counts>
  /** How many rows have ended. */
  readonly ended: number
  /** How much of the input they take, from 0 to 1; undefined where its size is not known. */
  readonly share: number | undefined
  /** Whether the input is gone once it was read. */
  readonly isOfPipe: boolean
  rows(signal: AbortSignal): AsyncGenerator<readonly Row[]>
  enter(end: RowEnd): void
  /** For a row that is as it should be, and is not sent. */
  pass(row: Row): void
  close(): void
}

interface BookOptions {
  readonly input: Input
  readonly format: ImportFormat | undefined
  /** Where rows go that were refused, and the files that it must not be. */
  readonly rejects?: string | undefined
  readonly otherFiles: readonly string[]
  readonly report: (end: RowEnd) => void
  /** Told where the refused rows can't be kept. */
  readonly onFault: (fault: Failure) => void
}

export function openBook({ input, format, report, ...options }: BookOptions): Book {
  const counts: Counts = { added: 0, skipped: 0, rejected: 0, invalid: 0, doubtful: 0, valid: 0 }
  const { rejects: path, otherFiles, onFault } = options
  const rejects = path === undefined ? undefined : openRejects({ path, otherFiles, onFault })
  const size = input.identity?.size
  let ended = 0
  let bytes = 0
  const count = ({ piece }: Row, outcome: keyof Counts) => {
    bytes += piece.bytes.length + 1
    ended += 1
    counts[outcome] += 1
  }

  return {
    counts,
    get ended() {
      return ended
    },
    get share() {
      return size === undefined || size === 0 ? undefined : Math.min(1, bytes / size)
    },
    isOfPipe: size === undefined,
    rows: (signal) =>
      readRows(input.chunks(signal), {
        name: input.name,
        format,
        onFormat: (found) => rejects?.setFormat(found),
        onHeader: (header) => rejects?.setHeader(header),
      }),
    enter(end) {
      const { row, outcome } = end
      if (outcome === 'rejected' || outcome === 'invalid') rejects?.add(row.piece)
      // Of a row that comes in several pieces the last one counts.
      if (row.piece.isUnfinished) return
      count(row, outcome)
      report(end)
    },
    pass: (row) => count(row, 'valid'),
    close: () => rejects?.close(),
  }
}
