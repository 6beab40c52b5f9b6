import { asFailure, Failure } from '../failure.ts'
import type { NewPet, Pet } from '../model/schema.ts'
import type { Journal } from './journal.ts'
import type { JournalEntry } from './journal-format.ts'
import { createOutbox, createSignal } from './outbox.ts'
import type { Pace, PaceFailure } from './pace.ts'
import type { ImportBatch, RowResult } from './results.ts'
import type { ImportRow, SendableRow } from './rows.ts'
import type { Shutdown } from './shutdown.ts'

/** Time in milliseconds, and timers. Tests have their own. */
export interface Clock {
  now(): number
  /** Calls the function later; returns a function that cancels the call. */
  after(milliseconds: number, call: () => void): () => void
}

interface EngineOptions {
  readonly rows: AsyncGenerator<readonly ImportRow[]>
  readonly journal: Pick<Journal, 'append' | 'states'>
  /** Sends the row once. */
  readonly send: (pet: NewPet) => Promise<Pet>
  readonly pace: Pace
  readonly clock: Clock
  readonly concurrency: number
  readonly resendDoubtful?: boolean | undefined
  readonly stopOnError?: boolean | undefined
  readonly shutdown: Shutdown
}

/**
 * Sends the rows, several at a time, and yields their results once they are on disk. A row goes one way: from `waiting`
 * to `announced` (the journal has recorded that it is about to be sent), in flight, `settled`, and out. Each turn of
 * the loop writes to the journal once: the rows that settled since the last turn, and the rows to announce next.
 */
export async function* sendRows(options: EngineOptions): AsyncGenerator<ImportBatch> {
  const { rows, journal, send, pace, clock, concurrency, shutdown } = options
  const wakeUp = createSignal()
  const outbox = createOutbox(wakeUp.notify)
  /** No row waits: the next ones can be read. */
  const demand = createSignal()
  let isReading = true
  let recordingTime = 1
  let sendingTime = 100
  let waiting: ImportRow[] = []
  let announced: SendableRow[] = []
  let inFlight = 0
  /** What became of announced rows. One without a result was not sent or has to be sent again. */
  let settled: { readonly entry: JournalEntry; readonly result: RowResult | undefined }[] = []
  let unrecorded: JournalEntry[] = []
  /** After one row was added, a 404, 501 or redirect does not mean that the base URL is wrong. */
  let isAddressRight = journal.states.added > 0
  let cancelTimer = () => {}

  const read = async () => {
    try {
      for await (const batch of rows) {
        waiting = [...waiting, ...batch]
        wakeUp.notify()
        while (waiting.length > 0 && !shutdown.signal.aborted) await demand.wait()
        if (shutdown.signal.aborted) break
      }
    } catch (error) {
      shutdown.begin(asFailure(error))
    }
    isReading = false
    wakeUp.notify()
  }

  const run = async () => {
    const reading = read()
    for (;;) {
      if (shutdown.signal.aborted || pace.capacity(clock.now()) === 0) withdraw()
      await record(shutdown.signal.aborted ? [] : rowsToAnnounce())
      sendAnnounced()
      if (isFinished()) break
      await wakeUp.wait()
      // Replies that arrive together share the next write.
      await new Promise((resolve) => setImmediate(resolve))
    }
    cancelTimer()
    // A full disk often still has room for the outcomes.
    if (unrecorded.length > 0) await journal.append(unrecorded).catch(() => {})
    await reading
  }

  const isFinished = () => {
    const isAllTaken = shutdown.signal.aborted || (!isReading && waiting.length === 0)
    return isAllTaken && announced.length + inFlight + settled.length === 0
  }

  /**
   * As many as can be sent during two writes, so that no request waits for the disk; after a kill, all are doubtful.
   */
  const rowsToAnnounce = (): SendableRow[] => {
    const capacity = pace.capacity(clock.now())
    const timePerRow = Math.max(sendingTime / concurrency, pace.interval)
    const ahead = capacity <= 1 ? 0 : Math.ceil((2 * recordingTime) / timePerRow)
    const room = capacity + Math.min(ahead, concurrency) - inFlight
    const most = (pace.interval > 0 ? Math.min(room, ahead + 1) : room) - announced.length
    const next: SendableRow[] = []
    while (next.length < most && !outbox.isFull()) {
      const row = takeSendable()
      if (row === undefined) break
      next.push(row)
    }
    return next
  }

  /** The next row to send. Rows before it that need no sending are finished. */
  const takeSendable = (): SendableRow | undefined => {
    while (!outbox.isFull()) {
      const row = waiting.shift()
      if (waiting.length === 0) demand.notify()
      if (row === undefined) return undefined
      if ('problem' in row) {
        const result: RowResult = { row, outcome: 'invalid', message: row.problem }
        outbox.push(result)
        stopOnError(result)
        if (shutdown.signal.aborted) return undefined
        continue
      }
      const known = journal.states.of(row.raw.number)
      if (known === undefined || (known === 'doubtful' && options.resendDoubtful)) return row
      // Not a reason for `--stop-on-error`: otherwise no later run would get past this row.
      outbox.push(known === 'added' ? { row, outcome: 'skipped' } : { row, outcome: 'doubtful', message: leftDoubtful })
    }
    return undefined
  }

  const stopOnError = (result: RowResult) => {
    if (!options.stopOnError || result.outcome === 'added') return
    shutdown.begin(new Failure('partial', `line ${result.row.raw.line}: ${result.message}`))
  }

  /** A row that was doubtful before stays doubtful, because it may have been added then. */
  const notAdded = ({ raw: { number } }: SendableRow): JournalEntry => {
    return { kind: journal.states.of(number) === 'doubtful' ? 'doubtful' : 'free', number }
  }

  const settle = (entry: JournalEntry, result?: RowResult) => {
    settled.push({ entry, result })
    if (result !== undefined) stopOnError(result)
  }

  /** Takes back rows that will not be sent soon: after a kill, the journal must not show them as doubtful. */
  const withdraw = () => {
    for (const row of announced) settle(notAdded(row))
    waiting = [...announced, ...waiting]
    announced = []
  }

  const record = async (next: readonly SendableRow[]) => {
    const batch = settled
    settled = []
    const outcomes = [...unrecorded, ...batch.map(({ entry }) => entry)]
    if (batch.length + next.length > 0) {
      const begun = clock.now()
      try {
        await journal.append([
          ...outcomes,
          ...next.map(({ raw }) => ({ kind: 'intended', number: raw.number }) as const),
        ])
        unrecorded = []
        announced.push(...next)
        recordingTime = averaged(recordingTime, clock.now() - begun)
      } catch (error) {
        // Rows that could not be announced are not sent.
        unrecorded = outcomes
        shutdown.begin(asFailure(error))
      }
    }
    for (const { result } of batch) if (result !== undefined) outbox.push(result)
  }

  const sendAnnounced = () => {
    cancelTimer()
    for (;;) {
      const now = clock.now()
      const delay = pace.delay(now, inFlight)
      if (delay > 0) {
        if (Number.isFinite(delay)) cancelTimer = clock.after(delay, resume)
        return
      }
      if (inFlight >= pace.capacity(now) || shutdown.signal.aborted) return
      const row = announced.shift()
      if (row === undefined) return
      inFlight += 1
      pace.sent(now, inFlight)
      void transmit(row, now)
    }
  }
  const resume = () => {
    sendAnnounced()
    wakeUp.notify()
  }

  const transmit = async (row: SendableRow, sentAt: number) => {
    try {
      const { id } = await send(row.pet)
      const now = clock.now()
      sendingTime = averaged(sendingTime, now - sentAt)
      isAddressRight = true
      pace.succeeded(sentAt, now)
      settle({ kind: 'added', number: row.raw.number, id }, { row, outcome: 'added', id })
    } catch (error) {
      settleFailed(row, asFailure(error), sentAt)
    }
    inFlight -= 1
    resume()
  }

  const settleFailed = (row: SendableRow, failure: Failure, sentAt: number) => {
    const { code, message, status } = failure
    const isCutOff = code === 'interrupted' && !shutdown.isUnstarted(failure)
    if (code === 'in-doubt' || code === 'unexpected' || isCutOff) {
      settle({ kind: 'doubtful', number: row.raw.number }, { row, outcome: 'doubtful', message, status })
      if (code === 'unexpected') shutdown.begin(failure)
      if (code === 'in-doubt') slowDown('unknown', failure, sentAt)
      return
    }
    const isAboutRow = code === 'rejected' || (isAddressRight && mayBeAboutRow(failure))
    settle(notAdded(row), isAboutRow ? { row, outcome: 'rejected', message, status } : undefined)
    if (code === 'interrupted') return
    if (isAboutRow) {
      if (code === 'service') slowDown('rejected', failure, sentAt)
      else pace.succeeded(sentAt, clock.now())
    } else if (failure.isRetryable) {
      waiting.unshift(row)
      slowDown('repeated', failure, sentAt)
    } else {
      shutdown.begin(failure)
    }
  }

  const slowDown = (row: PaceFailure['row'], failure: Failure, sentAt: number) => {
    const { status } = failure
    const waitSeconds = row === 'repeated' ? failure.waitSeconds : undefined
    const isLimit = status === 429 || status === 503
    const decision = pace.failed({ row, sentAt, isLimit, waitSeconds }, clock.now())
    if (decision.kind === 'end') shutdown.begin(row === 'unknown' ? failingService(failure) : failure)
    if (decision.kind === 'pause') outbox.pause({ failure, seconds: decision.seconds })
  }

  const stop = () => {
    demand.notify()
    resume()
  }
  shutdown.signal.addEventListener('abort', stop, { once: true })
  const running = run().finally(outbox.end)
  try {
    yield* outbox.batches()
  } finally {
    // The consumer may stop early. In any case, requests in flight finish here, and the journal gets their outcomes.
    if (!outbox.hasEnded()) shutdown.begin(new Failure('interrupted', 'the import was abandoned'))
    await running
  }
}

const leftDoubtful = 'it was being sent when an earlier run ended, or its outcome was lost'

/** Nothing was added, possibly because of the content of the row. */
const mayBeAboutRow = ({ code, status, isRetryable }: Failure) =>
  status !== undefined && !isRetryable && (code === 'not-found' || code === 'service')

function failingService({ message, status }: Failure): Failure {
  return new Failure('partial', `the service keeps failing: ${message}`, { status, isRetryable: true })
}

/** The average of recent values, with one more. */
const averaged = (average: number, value: number) => average + (value - average) / 16
