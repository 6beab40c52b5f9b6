import { backoff } from '../client/retry.ts'
import { Failure } from '../failure.ts'
import { pause } from '../system/promises.ts'
import { duration } from '../text/quantities.ts'
import { Pace } from './pace.ts'
import { createCommits, recordedRows, type Sending } from './recorded-rows.ts'
import { isWrong, type RowResult } from './results.ts'
import { type AddedPet, createRowRequest, type FailedAttempt } from './row-request.ts'
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
  { row, wasDoubtful, isInDoubt }: SendingRow,
  shutdown: Shutdown
): RowResult | undefined {
  if (!(error instanceof Failure)) throw error
  shutdown.begin(error)
  if (!isInDoubt && !wasDoubtful) return undefined
  return { row, outcome: 'doubtful', message: error.message }
}

/** Returns a function that sends a row until its outcome is known, or cannot become known. */
function createRowSender({ options, service, shutdown }: Sending) {
  const { retries, notice, now, keyLife } = options
  const isBatch = options.batch !== undefined
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
  /** Also if the service may have forgotten its key: this machine may have slept meanwhile. */
  const isOver = (sent: SendingRow) =>
    signal.aborted || (sent.isInDoubt && !isKeyAlive(sent, now().getTime() / 1000, keyLife))
  /** The result, or a failed attempt; undefined if the turn did not come. */
  const attempt = async (sent: SendingRow) => {
    await pace.turn()
    if (isOver(sent)) return pace.succeeded()
    const sentAt = performance.now()
    // Another machine may have sent the key of a batch.
    const reply = await request(sent, sent.isInDoubt || (isBatch && sent.key !== null))
    const result = resultOf(sent, reply)
    if ('id' in reply || result.outcome === 'rejected') {
      pace.succeeded()
      return { result }
    }
    sent.isInDoubt ||= reply.outcome.meaning.mayBeDone === true
    await reactTo(reply, sentAt)
    return { result, reply }
  }
  /** Undefined if it was not sent after all. */
  return async (sent: SendingRow): Promise<RowResult | undefined> => {
    const { row, key, wasDoubtful } = sent
    const message = 'it may have been added by an earlier attempt'
    let latest: RowResult = { row, outcome: 'doubtful', message, isSettledByKey: key !== null }
    for (let attempts = 1; ; attempts += 1) {
      const ended = await attempt(sent)
      if (ended === undefined) break
      latest = ended.result
      if (ended.reply === undefined) return latest
      if (!(await isRepeated(ended.reply, attempts))) break
    }
    return sent.isInDoubt || wasDoubtful ? latest : undefined
  }
}

/** If there is no other attempt. */
function resultOf({ row, key, isInDoubt }: SendingRow, reply: AddedPet | FailedAttempt): RowResult {
  if ('id' in reply) {
    const { id, isReplayed } = reply
    return { row, outcome: isReplayed && !isInDoubt ? 'skipped' : 'added', id }
  }
  const { outcome, message } = reply
  const { code, status } = outcome
  const isSettledByKey = key !== null
  if (code === 'rejected') return { row, outcome: 'rejected', message, status }
  return { row, outcome: 'doubtful', message, status, isSettledByKey }
}
