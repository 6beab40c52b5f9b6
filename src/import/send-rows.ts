import { backoff } from '../client/retry.ts'
import { Failure } from '../failure.ts'
import type { Pet } from '../model/schema.ts'
import { pause } from '../system/promises.ts'
import { duration } from '../text/quantities.ts'
import { Pace } from './pace.ts'
import { createCommits, recordedRows, type Sending } from './recorded-rows.ts'
import { isWrong, type RowResult } from './results.ts'
import { createRowRequest, type FailedAttempt } from './row-request.ts'
import { isKeyAlive, rowsToSend, type SendingRow } from './rows-to-send.ts'
import type { Shutdown } from './shutdown.ts'

/** Sends the rows that need it, several at a time, and reports each once its end is on disk. */
export async function sendRows(sending: Sending): Promise<void> {
  const { shutdown, unit } = sending
  const { concurrency, stopOnError } = sending.options
  const commits = createCommits(sending)
  const recorded = recordedRows(sending, rowsToSend(sending), commits.commit)
  const send = createRowSender(sending)
  const work = async () => {
    for await (const row of recorded) {
      try {
        row.result = await send(row)
      } catch (error) {
        row.result = endUnsent(error, row, shutdown)
      }
      commits.end(row)
      const { result } = row
      if (stopOnError && result && isWrong(result)) shutdown.begin(stopped(result, unit))
    }
  }
  const workers = Array.from({ length: concurrency }, () => work().catch(shutdown.begin))
  await Promise.all(workers)
  await commits.close()
}

export function stopped({ row, message }: RowResult, unit: string): Failure {
  return new Failure('partial', `${unit} ${row.line}: ${message}`)
}

/** A problem of this machine comes before the request, and ends the import. */
function endUnsent(
  error: unknown,
  { row, key, wasDoubtful }: SendingRow,
  shutdown: Shutdown
): RowResult | undefined {
  if (!(error instanceof Failure)) throw error
  shutdown.begin(error)
  // With a key, doubt costs nothing, and a disk may have the row of a commit that failed.
  if (key === null && !wasDoubtful) return undefined
  return { row, outcome: 'doubtful', message: error.message }
}

/** Returns a function that sends a row until its outcome is known, or cannot become known. */
function createRowSender({ options, service, shutdown }: Sending) {
  const { retries, notice, now, keyLife } = options
  const { signal } = shutdown
  const request = createRowRequest(service)
  const pace = new Pace({ ...options, signal })
  const reactTo = async (failed: FailedAttempt, sentAt: number) => {
    const { outcome, message } = failed
    const { code, mayBeDone = false, repeated } = outcome.meaning
    const isAboutRow = mayBeDone || code === 'rejected'
    // Every other row would fail alike.
    if (!isAboutRow && repeated !== 'always') return shutdown.begin(failed.failure())
    const reaction = pace.failed(outcome, mayBeDone, sentAt)
    if (reaction === undefined) return
    if (reaction !== 'end')
      return notice('waiting', `${message}; continuing in ${duration(reaction)}`)
    const outage = `the service fails for every row: ${message}`
    shutdown.begin(isAboutRow ? new Failure('partial', outage) : failed.failure())
  }
  const isRepeated = async ({ outcome }: FailedAttempt, attempts: number) => {
    const isGivenUp = attempts > retries && outcome.meaning.repeated !== 'always'
    if (!outcome.isRepeated || isGivenUp) return false
    // An earlier attempt is still in progress. The loop finds whether the import ends meanwhile.
    if (outcome.status === 409)
      await pause(backoff(attempts, Math.random()) * 1000, signal).catch(() => {})
    return true
  }
  /** Undefined if it was not sent after all. */
  return async (sent: SendingRow): Promise<RowResult | undefined> => {
    const { row, wasDoubtful } = sent
    const message = 'it may have been added by an earlier attempt'
    let latest: RowResult = { row, outcome: 'doubtful', message }
    for (let attempts = 1; ; attempts += 1) {
      await pace.turn()
      // The service may have forgotten the key, and this machine may have slept meanwhile.
      const isStale = sent.isInDoubt && !isKeyAlive(sent, now().getTime() / 1000, keyLife)
      if (signal.aborted || isStale) break
      const sentAt = performance.now()
      const reply = await request(sent)
      latest = resultOf(sent, reply)
      if ('id' in reply || latest.outcome === 'rejected') {
        pace.succeeded()
        return latest
      }
      sent.isInDoubt ||= reply.outcome.code === 'in-doubt'
      await reactTo(reply, sentAt)
      if (!(await isRepeated(reply, attempts))) break
    }
    return sent.isInDoubt || wasDoubtful ? latest : undefined
  }
}

/** If there is no other attempt. */
function resultOf({ row }: SendingRow, reply: Pet | FailedAttempt): RowResult {
  if ('id' in reply) return { row, outcome: 'added', id: reply.id }
  const { outcome, message } = reply
  const { code, status } = outcome
  return { row, outcome: code === 'rejected' ? 'rejected' : 'doubtful', message, status }
}
