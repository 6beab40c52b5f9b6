import type { Row } from './row.ts'

/**
 * What is known of a row after a run. `skipped` stands for a pet that was added before. `known`,
 * `changed` and `doubtful` are held: what may be a double is not sent by itself. `valid` would be
 * sent, if this were no check.
 */
export const rowOutcomes = [
  'added',
  'skipped',
  'known',
  'changed',
  'doubtful',
  'rejected',
  'invalid',
  'valid'
] as const
type RowOutcome = (typeof rowOutcomes)[number]

/** The columns of a table of results. */
export const resultColumns = ['line', 'outcome', 'id', 'status', 'message'] as const

/** The outcome of a row in this run. */
export interface RowResult {
  readonly row: Row
  readonly outcome: RowOutcome
  /** Of the pet, as far as it is known. */
  readonly id?: bigint | undefined
  /** Why it was not added. */
  readonly message?: string | undefined
  readonly status?: number | undefined
  /** The next run settles it with its idempotency key. */
  readonly isSettledByKey?: boolean
}

export const heldOutcomes = ['known', 'changed', 'doubtful'] as const
export const isHeld = ({ outcome }: RowResult) => heldOutcomes.some(held => held === outcome)

/** A person has to correct it. */
export const isWrong = ({ outcome }: RowResult) => outcome === 'rejected' || outcome === 'invalid'

export type Counts = Record<RowOutcome, number>

/** So many pets in doubt can be looked for by their names. */
export const mostNames = 50

/** Counts the rows of a run. Of held rows it keeps the lines, and of those in doubt a few names. */
export class Tally {
  readonly counts = Object.fromEntries(rowOutcomes.map(outcome => [outcome, 0])) as Counts
  readonly lines = { known: [], changed: [], doubtful: [] } as Record<
    (typeof heldOutcomes)[number],
    number[]
  >
  readonly doubtfulNames = new Set<string>()
  /** Whether a 503 left a row in doubt: many limiters send it. */
  isLimited = false
  /** Whether keys settle all rows in doubt. */
  isSettledByKeys = true
  /** The number of finished rows. */
  finished = 0
  firstProblem: RowResult | undefined

  add(results: readonly RowResult[]): void {
    this.finished += results.length
    this.firstProblem ??= results.find(isWrong)
    for (const { row, outcome, status, isSettledByKey = false } of results) {
      this.counts[outcome] += 1
      if (outcome in this.lines) this.lines[outcome as 'known'].push(row.line)
      if (outcome !== 'doubtful') continue
      this.isLimited ||= status === 503
      this.isSettledByKeys &&= isSettledByKey
      if (this.doubtfulNames.size <= mostNames)
        this.doubtfulNames.add(JSON.parse(row.body ?? '').name)
    }
  }
}
