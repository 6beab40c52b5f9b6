import { asFailure, Failure } from '../failure.ts'
import { duration } from '../model/quantities.ts'
import type { RowEnd } from './journal.ts'
import { Pace } from './pace.ts'
import { isProblem, type RowResult } from './results.ts'
import { createRowRequest, type FailedRow, type RowService } from './row-request.ts'
import { rowsToSend, type SelectionOptions, type SendingRow } from './rows-to-send.ts'
import type { Shutdown } from './shutdown.ts'
import { type EndedRow, unsent, Window } from './window.ts'

interface SendOptions extends SelectionOptions {
  readonly service: RowService
  readonly concurrency: number
  readonly retries: number
  readonly unit: string
  readonly shutdown: Shutdown
  readonly notice: (code: string, message: string) => Promise<void>
}

/** Sends the rows that need it, several at a time, and reports each once its end is on disk. */
export async function sendRows(options: SendOptions): Promise<void> {
  const { journal, concurrency, shutdown, report } = options
  const { signal } = shutdown
  const fail = (error: unknown) => shutdown.begin(asFailure(error))
  const source = rowsToSend(options)
  const size = 2 * concurrency
  const window = new Window({ journal, size, source, signal, report, fail })
  const send = createRowSender(options)
  const work = async () => {
    for (let row = await window.next(); row !== undefined; row = await window.next()) {
      const ended = await send(row)
      if (options.stopOnError && ended.result !== undefined && isProblem(ended.result))
        shutdown.begin(stopped(ended.result, options.unit))
      window.end(ended)
    }
  }
  await Promise.all(Array.from({ length: concurrency }, () => work().catch(fail)))
  await window.close().catch(fail)
  const lost = window.unrecorded.flatMap(({ result }) => result ?? [])
  const message = 'its outcome could not be recorded'
  if (lost.length > 0) await report(lost.map(({ row }) => ({ row, outcome: 'doubtful', message })))
}

export function stopped({ row, message }: RowResult, unit: string): Failure {
  return new Failure('partial', `${unit} ${row.line}: ${message}`)
}

/** Returns a function that sends a row until its outcome is known, or cannot become known. */
function createRowSender(options: SendOptions) {
  const { shutdown, retries, notice } = options
  const { signal } = shutdown
  const request = createRowRequest(options.service)
  const pace = new Pace({ ...options, signal })
  /** Whether the row may be sent again. */
  const react = async (failed: FailedRow, sentAt: number): Promise<void> => {
    const { status, waitSeconds, message } = failed
    const isLimit = status === 429 || status === 503
    const reaction = pace.failed({ isLimit, waitSeconds, sentAt })
    if (reaction === 'end') return shutdown.begin(endOf(failed))
    if (reaction === undefined) return
    const pauseText = duration(reaction.pauseSeconds)
    await notice('waiting', `${message}; continuing in ${pauseText}`)
  }
  return async (row: SendingRow): Promise<EndedRow> => {
    let { isInDoubt } = row
    let attempts = 0
    for (;;) {
      await pace.turn()
      if (signal.aborted) return isInDoubt ? doubtful(row) : unsent(row)
      const sentAt = performance.now()
      attempts += 1
      const reply = await request({ body: row.row.body, key: row.key, isInDoubt })
      if ('id' in reply) {
        pace.succeeded()
        return added(row, reply.id)
      }
      const { verdict, ownVerdict } = reply
      if (verdict.code === 'rejected') {
        pace.succeeded()
        return rejected(row, reply)
      }
      isInDoubt ||= verdict.code === 'in-doubt'
      const isAboutRow = ownVerdict.code === 'in-doubt' || ownVerdict.code === 'rejected'
      if (isAboutRow || ownVerdict.repetition === 'automatic') await react(reply, sentAt)
      else shutdown.begin(reply.failure())
      const isRepeated = verdict.repetition === 'automatic' && !signal.aborted
      const isGivenUp = ownVerdict.code === 'in-doubt' && attempts > retries
      if (isRepeated && !isGivenUp) continue
      if (ownVerdict.code === 'in-doubt') return doubtful(row, reply)
      return isInDoubt ? doubtful(row) : unsent(row)
    }
  }
}

/** An outage, seen from its last row. */
function endOf({ ownVerdict, message, failure }: FailedRow): Failure {
  if (ownVerdict.code !== 'in-doubt') return failure()
  return new Failure('partial', `the service fails for every row: ${message}`)
}

function endedRow(row: SendingRow, state: RowEnd['state'], result: RowResult, pet?: bigint) {
  return { end: { row, state, pet }, result }
}

function added(row: SendingRow, id: bigint): EndedRow {
  return endedRow(row, 'added', { row: row.row, outcome: 'added', id }, id)
}

function rejected(row: SendingRow, { message, status }: FailedRow): EndedRow {
  return endedRow(row, 'free', { row: row.row, outcome: 'rejected', message, status })
}

const leftInDoubt = 'it may have been added by an earlier attempt'

function doubtful(row: SendingRow, failed?: FailedRow): EndedRow {
  const { message = leftInDoubt, status } = failed ?? {}
  return endedRow(row, 'doubtful', { row: row.row, outcome: 'doubtful', message, status })
}
