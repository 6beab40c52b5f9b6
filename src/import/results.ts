import type { Row } from './row.ts'

export const rowOutcomes = ['added', 'skipped', 'rejected', 'invalid', 'doubtful', 'valid'] as const
/** The columns of a table of results. */
export const resultColumns = ['line', 'outcome', 'id', 'status', 'message'] as const

/** `valid` is the outcome of a row that is only checked. */
type RowOutcome = (typeof rowOutcomes)[number]

/** The outcome of a row in this run. */
export interface RowResult {
  readonly row: Row
  readonly outcome: RowOutcome
  readonly id?: bigint
  /** Why it was not added. */
  readonly message?: string | undefined
  readonly status?: number | undefined
  /** It stays in doubt until a person decides, also where the service honors keys. */
  readonly isLeft?: true
}

export const isProblem = ({ outcome }: RowResult) =>
  outcome === 'rejected' || outcome === 'invalid' || outcome === 'doubtful'

export type Counts = Record<RowOutcome, number>

/** So many pets in doubt can be looked for by their names. */
export const mostNames = 50

/** Counts the rows of a run. Of rows in doubt it keeps the lines, and a few names. */
export class Tally {
  readonly counts = Object.fromEntries(rowOutcomes.map(outcome => [outcome, 0])) as Counts
  readonly doubtfulLines: number[] = []
  readonly doubtfulNames = new Set<string>()
  isAnyLeft = false
  /** The number of finished rows. */
  finished = 0
  firstProblem: RowResult | undefined

  add(results: readonly RowResult[]): void {
    this.finished += results.length
    this.firstProblem ??= results.find(isProblem)
    for (const { row, outcome, isLeft = false } of results) {
      this.counts[outcome] += 1
      if (outcome !== 'doubtful') continue
      this.doubtfulLines.push(row.line)
      this.isAnyLeft ||= isLeft
      if (this.doubtfulNames.size <= mostNames)
        this.doubtfulNames.add(JSON.parse(row.body ?? '').name)
    }
  }
}
