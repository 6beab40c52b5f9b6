import { asFailure, type Failure } from '../failure.ts'
import type { Journal } from './journal.ts'
import type { JournalEntry } from './journal-format.ts'
import type { RowStates } from './journal-replay.ts'
import type { PaceFailure } from './pace.ts'
import type { RowResult } from './results.ts'
import type { ImportRow, SendableRow } from './rows.ts'

/**
 * The rows of a run that are not finished. A row goes one way: from `waiting` to `announced`, in
 * flight, `settled`, and out.
 */
export interface RowsInFlight {
  waiting: ImportRow[]
  /** The journal has recorded that these are about to be sent. */
  announced: SendableRow[]
  /** The number of requests without a reply. */
  sent: number
  settled: Settlement[]
  /** Outcomes that the journal could not take: the next write includes them. */
  unrecorded: JournalEntry[]
}

/** What became of an announced row. One without a result was not sent or has to be sent again. */
interface Settlement {
  readonly entry: JournalEntry
  readonly result: RowResult | undefined
}

export const noRowsInFlight = (): RowsInFlight => ({
  waiting: [],
  announced: [],
  sent: 0,
  settled: [],
  unrecorded: [],
})

/** Whether the outcome of every row that was taken is known and recorded. */
export function isSettled({ announced, sent, settled }: RowsInFlight): boolean {
  return announced.length + sent + settled.length === 0
}

interface TakingOptions {
  readonly states: RowStates
  /** Whether a doubtful row is sent again. */
  readonly isResent: (number: number) => boolean
  /** Receives the results of rows that need no sending. */
  readonly finish: (result: RowResult) => void
}

/** Takes the next row to send. Rows before it that need no sending are finished. */
export function takeSendable(rows: RowsInFlight, options: TakingOptions): SendableRow | undefined {
  for (let row = rows.waiting.shift(); row !== undefined; row = rows.waiting.shift()) {
    if ('problem' in row) {
      options.finish({ row, outcome: 'invalid', message: row.problem })
      continue
    }
    const known = options.states.of(row.raw.number)
    if (known === undefined || (known === 'doubtful' && options.isResent(row.raw.number)))
      return row
    options.finish(
      known === 'added'
        ? { row, outcome: 'skipped' }
        : { row, outcome: 'doubtful', message: leftDoubtful },
    )
  }
  return undefined
}

const leftDoubtful = 'it was being sent when an earlier run ended, or its outcome was lost'

/**
 * The entry for a row that this run has not added. One that was doubtful stays so: it may have been
 * added before.
 */
export function notAdded({ raw: { number } }: SendableRow, states: RowStates): JournalEntry {
  return { kind: states.of(number) === 'doubtful' ? 'doubtful' : 'free', number }
}

/**
 * Takes back rows that will not be sent soon: after a kill, the journal must not show them as
 * doubtful.
 */
export function withdraw(rows: RowsInFlight, states: RowStates): void {
  for (const row of rows.announced)
    rows.settled.push({ entry: notAdded(row, states), result: undefined })
  rows.waiting = [...rows.announced, ...rows.waiting]
  rows.announced = []
}

/**
 * Takes back all rows after this one, and forgets them: `--stop-on-error` sends only those before
 * it.
 */
export function dropAfter(rows: RowsInFlight, number: number, states: RowStates): void {
  const isBefore = ({ raw }: ImportRow) => raw.number < number
  const later = rows.announced.filter((row) => !isBefore(row))
  for (const row of later) rows.settled.push({ entry: notAdded(row, states), result: undefined })
  rows.announced = rows.announced.filter(isBefore)
  rows.waiting = rows.waiting.filter(isBefore)
}

/**
 * With one write, records the settled rows and announces the next ones. If it fails, no row is
 * announced.
 */
export async function record(
  rows: RowsInFlight,
  next: readonly SendableRow[],
  journal: Pick<Journal, 'append'>,
): Promise<{ results: RowResult[]; failure?: Failure }> {
  const batch = rows.settled
  rows.settled = []
  const results = batch.flatMap(({ result }) => result ?? [])
  if (batch.length + next.length === 0) return { results }
  rows.unrecorded.push(...batch.map(({ entry }) => entry))
  const intentions = next.map(({ raw }) => ({ kind: 'intended', number: raw.number }) as const)
  try {
    await journal.append([...rows.unrecorded, ...intentions])
  } catch (error) {
    return { results, failure: asFailure(error) }
  }
  rows.unrecorded = []
  rows.announced.push(...next)
  return { results }
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
  return isRetryable ? { row: 'waiting', pace: 'repeated' } : { row: 'free', endsImport: true }
}
