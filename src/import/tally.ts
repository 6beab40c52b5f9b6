import type { Failure } from '../failure.ts'
import type { ImportFormat } from './format.ts'
import type { Input } from './input.ts'
import { openRejects } from './rejects.ts'
import { type ImportRow, readRows } from './rows.ts'

export const rowOutcomes = ['added', 'skipped', 'rejected', 'invalid', 'doubtful'] as const
export type RowOutcome = (typeof rowOutcomes)[number]

/** What became of a row in this run. */
export interface RowResult {
  readonly row: ImportRow
  readonly outcome: RowOutcome
  readonly id?: bigint
  /** Why it was not added. */
  readonly message?: string
  readonly status?: number | undefined
}

/** The number of rows with each outcome; `valid` counts rows that were only checked. */
export type Counts = Record<RowOutcome | 'valid', number>

/** Counts the rows of a run, and writes the rejected and invalid ones to their file. */
export interface Tally {
  readonly counts: Readonly<Counts>
  /** The number of finished rows. */
  readonly finished: number
  /** The part of the input that they cover, from 0 to 1; undefined if its size is unknown. */
  readonly share: number | undefined
  /** Whether the input can be read only once. */
  readonly isPipe: boolean
  rows(signal: AbortSignal): AsyncGenerator<readonly ImportRow[]>
  record(result: RowResult): void
  /** Counts a valid row that is not sent. */
  recordValid(row: ImportRow): void
  close(): void
}

interface TallyOptions {
  readonly input: Input
  readonly format: ImportFormat | undefined
  /** The file for rejected and invalid rows. */
  readonly rejects?: string | undefined
  readonly report: (result: RowResult) => void
  /** Called if that file cannot be written. */
  readonly onFailure: (failure: Failure) => void
}

export function openTally({ input, format, report, ...options }: TallyOptions): Tally {
  const counts: Counts = { added: 0, skipped: 0, rejected: 0, invalid: 0, doubtful: 0, valid: 0 }
  const { rejects: path, onFailure } = options
  const rejects = path === undefined ? undefined : openRejects({ path, onFailure })
  const size = input.identity?.size
  let finished = 0
  let bytes = 0
  const count = ({ raw }: ImportRow, outcome: keyof Counts) => {
    bytes += raw.bytes.length + 1
    finished += 1
    counts[outcome] += 1
  }

  return {
    counts,
    get finished() {
      return finished
    },
    get share() {
      return size === undefined || size === 0 ? undefined : Math.min(1, bytes / size)
    },
    isPipe: size === undefined,
    rows: (signal) =>
      readRows(input.chunks(signal), {
        name: input.name,
        format,
        onFormat: (found) => rejects?.setFormat(found),
        onHeader: (header) => rejects?.setHeader(header),
      }),
    record(result) {
      const { row, outcome } = result
      if (outcome === 'rejected' || outcome === 'invalid') rejects?.add(row.raw)
      // Of a row that arrives in several parts, the last part counts.
      if (row.raw.isUnfinished) return
      count(row, outcome)
      report(result)
    },
    recordValid: (row) => count(row, 'valid'),
    close: () => rejects?.close(),
  }
}
