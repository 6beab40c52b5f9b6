import { asFailure, type Failure } from '../failure.ts'
import type { Journal } from './journal.ts'
import type { JournalEntry } from './journal-format.ts'
import type { PaceFailure } from './pace.ts'
import type { RowResult } from './results.ts'
import type { ImportRow, SendableRow } from './rows.ts'

/** What the rows need of the journal. */
export type RowJournal = Pick<Journal, 'append' | 'states'>

/** What became of an announced row. One without a result was not sent or has to be sent again. */
interface Settlement {
  readonly entry: JournalEntry
  readonly result: RowResult | undefined
}

const leftDoubtful = 'it was being sent when an earlier run ended, or its outcome was lost'

/**
 * The rows of a run that are not finished. A row goes one way: from `waiting` to `announced`, in
 * flight, settled, and out.
 */
export class RowsInFlight {
  waiting: ImportRow[] = []
  /** The journal has recorded that these are about to be sent. */
  announced: SendableRow[] = []
  /** The number of requests without a reply. */
  sent = 0
  #settled: Settlement[] = []
  /** Outcomes that the journal could not take: the next write includes them. */
  #unrecorded: JournalEntry[] = []
  readonly #journal: RowJournal

  constructor(journal: RowJournal) {
    this.#journal = journal
  }

  /** Whether the outcome of every row that was taken is known and recorded. */
  isSettled(): boolean {
    return this.announced.length + this.sent + this.#settled.length === 0
  }

  /**
   * Takes the next row to send. Rows before it that need no sending are finished; a doubtful one
   * may be resent.
   */
  takeSendable(
    isResent: (number: number) => boolean,
    finish: (result: RowResult) => void,
  ): SendableRow | undefined {
    for (;;) {
      const row = this.waiting.shift()
      if (row === undefined) return undefined
      if ('problem' in row) {
        finish({ row, outcome: 'invalid', message: row.problem })
        continue
      }
      const { number } = row.raw
      const known = this.#journal.states.of(number)
      if (known === undefined) return row
      if (known === 'doubtful' && isResent(number)) return row
      if (known === 'added') finish({ row, outcome: 'skipped' })
      else finish({ row, outcome: 'doubtful', message: leftDoubtful })
    }
  }

  settle(row: SendableRow, result?: RowResult): void {
    this.#settled.push({ entry: this.#entryFor(row, result), result })
  }

  #entryFor({ raw: { number } }: SendableRow, result: RowResult | undefined): JournalEntry {
    if (result?.outcome === 'added') return { kind: 'added', number, id: result.id }
    // It may have been added before.
    const wasDoubtful = this.#journal.states.of(number) === 'doubtful'
    const isDoubtful = wasDoubtful || result?.outcome === 'doubtful'
    return { kind: isDoubtful ? 'doubtful' : 'free', number }
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

  /**
   * Takes back all rows after this one, and forgets them: `--stop-on-error` sends only those before
   * it.
   */
  dropAfter(number: number): void {
    const isBefore = ({ raw }: ImportRow) => raw.number < number
    const dropped = this.announced.filter((row) => !isBefore(row))
    for (const row of dropped) this.settle(row)
    this.announced = this.announced.filter(isBefore)
    this.waiting = this.waiting.filter(isBefore)
  }

  /**
   * With one write, records the settled rows and announces the next ones. If it fails, no row is
   * announced.
   */
  async record(next: readonly SendableRow[]): Promise<Recording> {
    const batch = this.#settled
    this.#settled = []
    const results = batch.flatMap(({ result }) => result ?? [])
    if (batch.length + next.length === 0) return { results }
    this.#unrecorded.push(...batch.map(({ entry }) => entry))
    try {
      await this.#journal.append([...this.#unrecorded, ...next.map(intentionOf)])
    } catch (error) {
      return { results, failure: asFailure(error) }
    }
    this.#unrecorded = []
    this.announced.push(...next)
    return { results }
  }

  /** A full disk often still has room for the outcomes. */
  async recordRest(): Promise<void> {
    if (this.#unrecorded.length === 0) return
    await this.#journal.append(this.#unrecorded).catch(() => {})
  }
}

interface Recording {
  readonly results: readonly RowResult[]
  readonly failure?: Failure
}

function intentionOf({ raw }: SendableRow): JournalEntry {
  return { kind: 'intended', number: raw.number }
}

/** What a failed request means for its row and for the import. */
interface Reaction {
  /** A row that is not doubtful was certainly not added; one that waits is sent again. */
  readonly row: 'doubtful' | 'rejected' | 'free' | 'waiting'
  /** What the pace learns; `fine` if the service works. */
  readonly pace?: PaceFailure['row'] | 'fine'
  readonly endsImport?: boolean
}

interface Circumstances {
  /** After one row was added, a 404, 501 or redirect does not mean that the base URL is wrong. */
  readonly isAddressRight: boolean
  /** Whether the request was cut off before it started. */
  readonly isUnstarted: boolean
}

export function reactionTo(
  failure: Failure,
  { isAddressRight, isUnstarted }: Circumstances,
): Reaction {
  const { code, status, isRetryable } = failure
  if (code === 'in-doubt') return { row: 'doubtful', pace: 'unknown' }
  if (code === 'unexpected') return { row: 'doubtful', endsImport: true }
  if (code === 'interrupted') return { row: isUnstarted ? 'free' : 'doubtful' }
  if (code === 'rejected') return { row: 'rejected', pace: 'fine' }
  if (isAddressRight && status !== undefined && !isRetryable) {
    if (code === 'not-found') return { row: 'rejected', pace: 'fine' }
    if (code === 'service') return { row: 'rejected', pace: 'rejected' }
  }
  if (isRetryable) return { row: 'waiting', pace: 'repeated' }
  return { row: 'free', endsImport: true }
}
