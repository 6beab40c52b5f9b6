import { hash, randomUUID } from 'node:crypto'
import type { Journal, RecordedRow, StateRow } from './journal.ts'
import { areIn, type LineRange } from './line-ranges.ts'
import { isProblem, type RowResult } from './results.ts'
import type { ImportRow, SendableRow } from './row.ts'

/** A row on its way. */
export interface SendingRow extends RecordedRow {
  readonly row: SendableRow
  /** An attempt of an earlier run may have been carried out. */
  readonly wasDoubtful: boolean
  /** It may, and this one has the same key. */
  readonly isInDoubt: boolean
}

export interface SelectionOptions {
  readonly batches: AsyncIterable<readonly ImportRow[]>
  /** Undefined if the rows are only checked. */
  readonly journal: Journal | undefined
  /** The lines in doubt that are sent again. */
  readonly resend?: readonly LineRange[] | undefined
  /** How long the service knows an idempotency key, in seconds; 0 if it knows none. */
  readonly keyLife: number
  readonly now: () => Date
  readonly stopOnError?: boolean | undefined
  /** Takes the results of the rows that are not sent. */
  readonly report: (results: readonly RowResult[]) => Promise<void>
}

const leftDoubtful = 'it was being sent when an earlier run ended, or its outcome was lost'

export const hashOf = (body: string) => hash('sha256', body, 'base64url').slice(0, 22)

/** The rows that need sending, in order. Stops at the first problem if that was asked for. */
export async function* rowsToSend(options: SelectionOptions): AsyncGenerator<SendingRow[]> {
  const { batches, journal, stopOnError = false, report } = options
  for await (const rows of batches) {
    const known = journal?.knownBetween(linesOf(rows))
    const settled: RowResult[] = []
    const next: SendingRow[] = []
    let isStopped = false
    for (const row of rows) {
      const decided = decide(row, known?.get(row.line), options)
      if ('outcome' in decided) settled.push(decided)
      else next.push(decided)
      isStopped = stopOnError && settled.some(isProblem)
      if (isStopped) break
    }
    if (settled.length > 0) await report(settled)
    yield next
    if (isStopped) return
  }
}

const linesOf = (rows: readonly ImportRow[]): LineRange => ({
  first: rows[0]?.line ?? 0,
  last: rows.at(-1)?.line ?? 0
})

/** The result of a row that is not sent, or the row on its way. */
function decide(
  row: ImportRow,
  known: StateRow | undefined,
  options: SelectionOptions
): RowResult | SendingRow {
  if ('problem' in row) return { row, outcome: 'invalid', message: row.problem }
  if (options.journal === undefined) return { row, outcome: 'valid' }
  if (known === undefined) return sendingRow(row, undefined, undefined, options)
  if (known.state === 'added') return { row, outcome: 'skipped' }
  const { keyLife, resend = [] } = options
  const isKeyKnown = secondsAt(options) - Number(known.at) < keyLife
  const key = isKeyKnown ? (known.key ?? undefined) : undefined
  if (key === undefined && !areIn(resend, row.line))
    return { row, outcome: 'doubtful', message: leftDoubtful }
  return sendingRow(row, known, key, options)
}

function sendingRow(
  row: SendableRow,
  known: StateRow | undefined,
  key: string | undefined,
  options: SelectionOptions
): SendingRow {
  const isRepeated = known !== undefined && key !== undefined
  const hasKey = options.keyLife > 0
  return {
    row,
    seq: known && Number(known.seq),
    hash: hashOf(row.body),
    key: hasKey ? (key ?? randomUUID()) : undefined,
    // A service counts from the first attempt with the key.
    at: isRepeated ? Number(known.at) : secondsAt(options),
    wasDoubtful: known !== undefined,
    isInDoubt: isRepeated
  }
}

const secondsAt = ({ now }: SelectionOptions) => Math.floor(now().getTime() / 1000)
