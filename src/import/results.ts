import type { Failure } from '../failure.ts'
import type { ImportFormat } from './format.ts'
import { noBytes } from './raw-row.ts'
import type { ImportRow, SendableRow } from './rows.ts'

export const rowOutcomes = ['added', 'skipped', 'rejected', 'invalid', 'doubtful', 'valid'] as const
/** The columns of a table of results. */
export const resultColumns = ['line', 'outcome', 'id', 'status', 'message'] as const

/** `valid` is the outcome of a row that is only checked. */
type RowOutcome = (typeof rowOutcomes)[number]

/** The outcome of a row in this run. */
export interface RowResult {
  readonly row: ImportRow
  readonly outcome: RowOutcome
  readonly id?: bigint
  /** Why it was not added. */
  readonly message?: string
  readonly status?: number | undefined
}

/** The wait before requests continue. */
export interface ImportPause {
  readonly failure: Failure
  readonly seconds: number
}

/** What an import yields: the rows that finished since the last batch, and a pause if one began. */
export interface ImportBatch {
  readonly results: readonly RowResult[]
  readonly pause?: ImportPause | undefined
}

export type Counts = Record<RowOutcome, number>

/** What a run has done. */
export interface RunFacts {
  readonly counts: Readonly<Counts>
  readonly doubtful: readonly SendableRow[]
  /** What the number of a row counts: lines or elements. */
  readonly unit: string
  /** How many rows the input has. */
  readonly rows: number
  readonly seconds: number
  /** Whether every row was processed. */
  readonly isWhole: boolean
  /** Whether it ended at a row that ends it again, because it is still in the input. */
  readonly isStopped: boolean
  /** Whether the same command finds the journal again. */
  readonly isResumable: boolean
  /** Undefined if there are no rejects, or if they are kept nowhere. */
  readonly rejectsFormat: ImportFormat | undefined
}

/** Counts the rows of a run. */
export class Tally {
  readonly counts: Counts = {
    added: 0,
    skipped: 0,
    rejected: 0,
    invalid: 0,
    doubtful: 0,
    valid: 0,
  }
  /** The number of finished rows. */
  finished = 0
  readonly #doubtful: SendableRow[] = []

  /** The rows whose outcome is unknown, without their bytes, in the order of the file. */
  doubtful(): SendableRow[] {
    return this.#doubtful.sort((one, other) => one.raw.number - other.raw.number)
  }

  add(results: readonly RowResult[]): void {
    this.finished += results.length
    for (const { row, outcome } of results) {
      this.counts[outcome] += 1
      if (outcome !== 'doubtful' || !('pet' in row)) continue
      // The bytes of a row hold the whole chunk of the file that it came in.
      const raw = { ...row.raw, bytes: noBytes }
      this.#doubtful.push({ ...row, raw })
    }
  }
}
