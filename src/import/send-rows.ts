import { Failure } from '../failure.ts'
import { duration } from '../model/quantities.ts'
import type { Journal } from './journal.ts'
import { Pace } from './pace.ts'
import { createRecorder } from './recorded-rows.ts'
import { isProblem, type RowResult } from './results.ts'
import { createRowRequest, type FailedRow, type RowService } from './row-request.ts'
import { rowsToSend, type SelectionOptions, type SendingRow } from './rows-to-send.ts'
import type { Shutdown } from './shutdown.ts'

interface SendOptions extends SelectionOptions {
  readonly journal: Journal
  readonly service: RowService
  readonly concurrency: number
  readonly retries: number
  readonly unit: string
  readonly shutdown: Shutdown
  readonly notice: (code: string, message: string) => Promise<void>
}

/** Why a row was not added. */
type Reason = Pick<RowResult, 'message' | 'status'>

/** Sends the rows that need it, several at a time, and reports each once its end is on disk. */
export async function sendRows(options: SendOptions): Promise<void> {
  const { concurrency, shutdown, stopOnError } = options
  const rows = rowsToSend(options)
  const recorder = createRecorder({ ...options, rows })
  const recorded = recorder.recorded()
  const send = createRowSender(options)
  const work = async () => {
    for await (const row of recorded) {
      const result = await send(row)
      recorder.end(row, result)
      if (stopOnError && result !== undefined && isProblem(result))
        shutdown.begin(stopped(result, options.unit))
    }
  }
  const workers = Array.from({ length: concurrency }, () => work().catch(shutdown.begin))
  await Promise.all(workers)
  await recorder.close()
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
  const reactTo = async (failed: FailedRow, sentAt: number) => {
    if (endsImport(failed)) return shutdown.begin(failed.failure())
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
    return verdict.repetition === 'automatic' && !isGivenUp
  }
  /** Undefined if it was not sent after all. */
  return async (sent: SendingRow): Promise<RowResult | undefined> => {
    const { row, key, wasDoubtful } = sent
    let { isInDoubt } = sent
    let reason: Reason = { message: 'it may have been added by an earlier attempt' }
    let isOver = false
    for (let attempts = 1; !isOver; attempts += 1) {
      await pace.turn()
      if (signal.aborted) break
      const sentAt = performance.now()
      const reply = await request({ body: row.body, key, isInDoubt })
      if ('id' in reply) {
        pace.succeeded()
        return { row, outcome: 'added', id: reply.id }
      }
      if (reply.verdict.code === 'rejected') {
        pace.succeeded()
        return { row, outcome: 'rejected', ...reasonOf(reply) }
      }
      await reactTo(reply, sentAt)
      isInDoubt ||= reply.verdict.code === 'in-doubt'
      reason = reasonOf(reply)
      isOver = !isRepeated(reply, attempts)
    }
    return isInDoubt || wasDoubtful ? { row, outcome: 'doubtful', ...reason } : undefined
  }
}

const reasonOf = ({ message, status }: FailedRow): Reason => ({ message, status })

/** Whether every other row would fail alike. */
function endsImport(failed: FailedRow): boolean {
  return !isAboutRow(failed) && failed.ownVerdict.repetition !== 'automatic'
}

function isAboutRow({ ownVerdict }: FailedRow): boolean {
  const { code } = ownVerdict
  return code === 'in-doubt' || code === 'rejected'
}

/** An outage, seen from its last row. */
function outage(failed: FailedRow): Failure {
  if (!isAboutRow(failed)) return failed.failure()
  return new Failure('partial', `the service fails for every row: ${failed.message}`)
}
