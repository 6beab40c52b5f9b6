import { Failure } from '../failure.ts'
import { duration } from '../model/quantities.ts'
import type { Journal } from './journal.ts'
import { Pace } from './pace.ts'
import { isProblem, type RowResult } from './results.ts'
import { createRowRequest, type FailedRow, type RowReply, type RowService } from './row-request.ts'
import { rowsToSend, type SelectionOptions, type SendingRow } from './rows-to-send.ts'
import type { Shutdown } from './shutdown.ts'
import { type EndedRow, unsent, Window } from './window.ts'

interface SendOptions extends SelectionOptions {
  readonly journal: Journal
  readonly service: RowService
  readonly concurrency: number
  readonly retries: number
  readonly unit: string
  readonly shutdown: Shutdown
  /** Ends the import because of an error. */
  readonly stop: (error: unknown) => void
  readonly notice: (code: string, message: string) => Promise<void>
}

/** Sends the rows that need it, several at a time, and reports each once its end is on disk. */
export async function sendRows(options: SendOptions): Promise<void> {
  const { journal, concurrency, shutdown, report, stop: fail } = options
  const { signal } = shutdown
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
  const slowDown = async (failed: FailedRow, sentAt: number) => {
    const { status, waitSeconds, message, ownVerdict } = failed
    const isLimit = status === 429 || status === 503
    const isInDoubt = ownVerdict.code === 'in-doubt'
    const reaction = pace.failed({ isLimit, isInDoubt, waitSeconds, sentAt })
    if (reaction === 'end') return shutdown.begin(outage(failed))
    if (reaction === undefined) return
    await notice('waiting', `${message}; continuing in ${duration(reaction.pauseSeconds)}`)
  }
  const isRepeated = ({ verdict, ownVerdict }: FailedRow, attempts: number) => {
    const isGivenUp = ownVerdict.code === 'in-doubt' && attempts > retries
    return verdict.repetition === 'automatic' && !isGivenUp && !signal.aborted
  }
  return async (row: SendingRow): Promise<EndedRow> => {
    let { isInDoubt } = row
    for (let attempts = 1; ; attempts += 1) {
      await pace.turn()
      if (signal.aborted) return isInDoubt ? doubtful(row) : unsent(row)
      const sentAt = performance.now()
      const reply = await request({ body: row.row.body, key: row.key, isInDoubt })
      const ended = endOf(row, reply)
      if (ended !== undefined) {
        pace.succeeded(sentAt)
        return ended
      }
      const failed = reply as FailedRow
      isInDoubt ||= failed.verdict.code === 'in-doubt'
      if (endsImport(failed)) shutdown.begin(failed.failure())
      else await slowDown(failed, sentAt)
      if (isRepeated(failed, attempts)) continue
      return isInDoubt ? doubtful(row, failed) : unsent(row)
    }
  }
}

/** Whether every other row would fail alike. */
function endsImport({ ownVerdict: { code, repetition } }: FailedRow): boolean {
  return code !== 'in-doubt' && code !== 'rejected' && repetition !== 'automatic'
}

/** An outage, seen from its last row. */
function outage({ ownVerdict, message, failure }: FailedRow): Failure {
  if (ownVerdict.code !== 'in-doubt' && ownVerdict.code !== 'rejected') return failure()
  return new Failure('partial', `the service fails for every row: ${message}`)
}

/** Undefined if it is not settled. */
function endOf(sent: SendingRow, reply: RowReply): EndedRow | undefined {
  const { row } = sent
  if ('id' in reply) {
    const { id } = reply
    return { row: sent, state: 'added', result: { row, outcome: 'added', id } }
  }
  const { message, status, verdict } = reply
  if (verdict.code !== 'rejected') return undefined
  return {
    row: sent,
    state: 'free',
    result: { row, outcome: 'rejected', message, status }
  }
}

const leftInDoubt = 'it may have been added by an earlier attempt'

function doubtful(sent: SendingRow, failed?: FailedRow): EndedRow {
  const { message = leftInDoubt, status } = failed ?? {}
  return {
    row: sent,
    state: 'sent',
    result: { row: sent.row, outcome: 'doubtful', message, status }
  }
}
