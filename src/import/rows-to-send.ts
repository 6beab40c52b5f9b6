import { hash, randomUUID } from 'node:crypto'
import type { Journal, RecordedRow, RowState } from './journal.ts'
import { areIn } from './line-ranges.ts'
import type { ImportOptions } from './options.ts'
import { isProblem, type RowResult } from './results.ts'
import type { Row, RowBatches } from './row.ts'

/** A row on its way. */
export interface SendingRow extends RecordedRow {
  readonly row: Row
  readonly body: string
  /** An earlier run left it in doubt. */
  readonly wasDoubtful: boolean
  /** An attempt with its key may have been carried out. */
  isInDoubt: boolean
}

export interface SelectionOptions extends ImportOptions {
  readonly batches: RowBatches
  /** Undefined if the rows are only checked. */
  readonly journal?: Journal | undefined
  /** How long the service knows an idempotency key, in seconds; 0 if it knows none. */
  readonly keyLife: number
  /** Takes the results of rows that have ended. */
  readonly report: (results: readonly RowResult[]) => Promise<void>
}

export const hashOf = (body: string) => hash('sha256', body, 'base64url').slice(0, 22)

/** The rows that need sending, in order. Stops at the first problem if that was asked for. */
export async function* rowsToSend(options: SelectionOptions): AsyncGenerator<SendingRow[]> {
  const { batches, journal, stopOnError, report } = options
  for await (const rows of batches) {
    const known = journal?.statesOf(rows)
    const settled: RowResult[] = []
    const next: SendingRow[] = []
    const isStopped = rows.some(row => {
      const decided = decide(row, known?.get(row.line), options)
      if ('body' in decided) next.push(decided)
      else settled.push(decided)
      return stopOnError && settled.some(isProblem)
    })
    if (settled.length > 0) await report(settled)
    yield next
    if (isStopped) return
  }
}

/** The result of a row that is not sent, or the row on its way. */
function decide(
  row: Row,
  known: RowState | undefined,
  { journal, resend = [], keyLife, now }: SelectionOptions
): RowResult | SendingRow {
  const { body, problem: message } = row
  if (body === undefined) return { row, outcome: 'invalid', message }
  if (journal === undefined) return { row, outcome: 'valid' }
  if (known?.isAdded === 1n) return { row, outcome: 'skipped' }
  const seconds = Math.floor(now().getTime() / 1000)
  const isKeyKnown = known !== undefined && seconds - Number(known.at) < keyLife
  const key = isKeyKnown ? known.key : null
  if (known !== undefined && key === null && !areIn(resend, row.line))
    return { row, outcome: 'doubtful', message: leftDoubtful, isLeft: true }
  return {
    row,
    body,
    wasDoubtful: known !== undefined,
    isInDoubt: key !== null,
    seq: known?.seq,
    hash: hashOf(body),
    key: keyLife > 0 ? (key ?? randomUUID()) : null,
    // A service counts from the first attempt with the key.
    at: key === null || known === undefined ? seconds : known.at
  }
}

const leftDoubtful = 'it was being sent when an earlier run ended, or its outcome was lost'
