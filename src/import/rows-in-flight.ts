import { asFailure, type Failure } from '../failure.ts'
import type { Journal } from './journal.ts'
import type { JournalEntry } from './journal-format.ts'
import type { PaceFailure } from './pace.ts'
import type { RowResult } from './results.ts'
import type { ImportRow, SendableRow } from './rows.ts'

export interface RowsInFlightOptions {
  readonly journal: Pick<Journal, 'append' | 'states'>
  /** Whether a row that earlier runs left doubtful is sent again. */
  readonly isResent: (number: number) => boolean
  readonly stopOnError?: boolean | undefined
}

/** What became of an announced row. */
interface Settlement {
  readonly entry: JournalEntry
  readonly result: RowResult | undefined
}

const leftDoubtful = 'it was being sent when an earlier run ended, or its outcome was lost'

/**
 * The rows of a run that are not finished. A row goes from `waiting` to `announced`, in flight,
 * settled, and out. `withdraw` and `waitAgain` take it back to `waiting`.
 */
export class RowsInFlight {
  waiting: ImportRow[] = []
  /** The journal has recorded that these are about to be sent. */
  announced: SendableRow[] = []
  /** The number of requests without a reply. */
  inFlight = 0
  /** With `--stop-on-error`, the first row that was not added. Those before it are still sent. */
  firstFailed: RowResult | undefined
  #settled: Settlement[] = []
  /** Outcomes that the journal could not take. */
  #unrecorded: JournalEntry[] = []
  #finished: RowResult[] = []
  readonly #options: RowsInFlightOptions

  constructor(options: RowsInFlightOptions) {
    this.#options = options
  }

  /** The results since the last call. */
  takeFinished(): readonly RowResult[] {
    const finished = this.#finished
    this.#finished = []
    return finished
  }

  /** Whether the outcome of every row that was taken is known and recorded. */
  isSettled(): boolean {
    return this.announced.length + this.inFlight + this.#settled.length === 0
  }

  /** Takes the next row to send. Rows before it that need no sending are finished. */
  takeSendable(): SendableRow | undefined {
    const { journal, isResent } = this.#options
    for (;;) {
      const row = this.waiting.shift()
      if (row === undefined) return undefined
      if ('problem' in row) {
        const result = { row, outcome: 'invalid', message: row.problem } as const
        this.#finished.push(result)
        this.#stopAt(result)
        continue
      }
      const { number } = row.raw
      const known = journal.states.of(number)
      if (known === undefined || (known === 'doubtful' && isResent(number))) return row
      // This is no reason to stop: otherwise no later run would get past the row.
      this.#finished.push(
        known === 'added'
          ? { row, outcome: 'skipped' }
          : { row, outcome: 'doubtful', message: leftDoubtful }
      )
    }
  }

  /** Without a result, the row was not sent, or has to be sent again. */
  settle(row: SendableRow, result?: RowResult): void {
    this.#settled.push({ entry: this.#entryFor(row, result), result })
    if (result !== undefined) this.#stopAt(result)
  }

  #entryFor({ raw: { number } }: SendableRow, result: RowResult | undefined): JournalEntry {
    if (result?.outcome === 'added') return { kind: 'added', number, id: result.id }
    // It may have been added before.
    const wasDoubtful = this.#options.journal.states.of(number) === 'doubtful'
    const isDoubtful = wasDoubtful || result?.outcome === 'doubtful'
    return { kind: isDoubtful ? 'doubtful' : 'free', number }
  }

  /** Settles a row that is to be sent again. */
  waitAgain(row: SendableRow): void {
    this.settle(row)
    if (this.#isWanted(row)) this.waiting.unshift(row)
  }

  /**
   * Takes back rows that will not be sent soon: after a kill, the journal must not show them as
   * doubtful.
   */
  withdraw(): void {
    for (const row of this.announced) this.settle(row)
    this.waiting = [...this.announced, ...this.waiting]
    this.announced = []
  }

  #stopAt(result: RowResult): void {
    const isReason = this.#options.stopOnError && result.outcome !== 'added'
    if (!isReason || !this.#isWanted(result.row)) return
    this.firstFailed = result
    this.#dropUnwanted()
  }

  readonly #isWanted = ({ raw }: ImportRow): boolean =>
    this.firstFailed === undefined || raw.number < this.firstFailed.row.raw.number

  #dropUnwanted(): void {
    for (const row of this.announced) if (!this.#isWanted(row)) this.settle(row)
    this.announced = this.announced.filter(this.#isWanted)
    this.waiting = this.waiting.filter(this.#isWanted)
  }

  /**
   * With one write, records the settled rows and announces the next ones. If it fails, no row is
   * announced, and the next write includes the outcomes.
   */
  async record(next: readonly SendableRow[]): Promise<Failure | undefined> {
    const batch = this.#settled
    this.#settled = []
    if (batch.length + next.length === 0) return undefined
    this.#unrecorded.push(...batch.map(({ entry }) => entry))
    const entries = [...this.#unrecorded, ...next.map(intentionOf)]
    const failure = await this.#options.journal.append(entries).then(() => undefined, asFailure)
    this.#finished.push(...batch.flatMap(({ result }) => result ?? []))
    if (failure !== undefined) return failure
    this.#unrecorded = []
    this.announced.push(...next)
    // During the write, a row may have failed that ends the import.
    this.#dropUnwanted()
    return undefined
  }

  /** A full disk often still has room for the outcomes. */
  async recordRest(): Promise<void> {
    if (this.#unrecorded.length === 0) return
    await this.#options.journal.append(this.#unrecorded).catch(() => {})
  }
}

function intentionOf({ raw }: SendableRow): JournalEntry {
  return { kind: 'intended', number: raw.number }
}

/** What a failed request means for its row and for the import. */
interface Reaction {
  /** A row that is not doubtful was certainly not added; one that waits is sent again. */
  readonly row: 'doubtful' | 'rejected' | 'free' | 'waiting'
  /** What the pace learns: `fine` if the service works. `end`: the import ends instead. */
  readonly pace: PaceFailure['outcome'] | 'fine' | 'end'
}

interface Circumstances {
  /** After one row was added, a 404, 501 or redirect does not mean that the base URL is wrong. */
  readonly isAddressRight: boolean
  /** Whether the request was cut off before it started. */
  readonly isUnstarted: boolean
}

export function reactionTo(
  { code, status, isRetryable }: Failure,
  { isAddressRight, isUnstarted }: Circumstances
): Reaction {
  if (code === 'in-doubt') return { row: 'doubtful', pace: 'doubtful' }
  const isCutOff = code === 'interrupted' && !isUnstarted
  if (code === 'unexpected' || isCutOff) return { row: 'doubtful', pace: 'end' }
  if (code === 'rejected') return { row: 'rejected', pace: 'fine' }
  if (isRetryable) return { row: 'waiting', pace: 'repeated' }
  if (isAddressRight && code === 'not-found') return { row: 'rejected', pace: 'fine' }
  const isAnswered = code === 'service' && status !== undefined
  if (isAddressRight && isAnswered) return { row: 'rejected', pace: 'rejected' }
  return { row: 'free', pace: 'end' }
}
