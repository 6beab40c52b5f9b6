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

export type Counts = Record<RowOutcome, number>

/** Counts the rows of a run. */
export class Tally {
  readonly counts = Object.fromEntries(rowOutcomes.map(outcome => [outcome, 0])) as Counts
  /** The number of finished rows. */
  finished = 0
  readonly #doubtful: SendableRow[] = []

  /** The rows whose outcome is unknown, without their bytes, in the order of the file. */
  get doubtful(): readonly SendableRow[] {
    return this.#doubtful.sort((one, other) => one.raw.number - other.raw.number)
  }

  add(results: readonly RowResult[]): void {
    this.finished += results.length
    for (const { row, outcome } of results) {
      this.counts[outcome] += 1
      if (outcome !== 'doubtful' || !('pet' in row)) continue
      // Their texts are not needed any more, and there may be many.
      const raw = { ...row.raw, text: '' }
      this.#doubtful.push({ ...row, raw })
    }
  }
}
