import { asFailure, Failure } from '../failure.ts'
import type { NewPet, Pet } from '../model/schema.ts'
import type { Journal } from './journal.ts'
import type { JournalEntry } from './journal-format.ts'
import type { Shutdown } from './opening.ts'
import { createOutbox, createSignal } from './outbox.ts'
import type { Pace, PaceFailure } from './pace.ts'
import type { ImportBatch, RowResult } from './results.ts'
import type { ImportRow, SendableRow } from './rows.ts'
import {
  dropAfter,
  isSettled,
  noRowsInFlight,
  notAdded,
  type RowsInFlight,
  reactionTo,
  record,
  takeSendable,
  withdraw,
} from './rows-in-flight.ts'

/** Time in milliseconds, and timers. Tests have their own. */
export interface Clock {
  now(): number
  /** Calls the function later; returns a function that cancels the call. */
  after(milliseconds: number, call: () => void): () => void
}

export const realClock: Clock = {
  now: () => performance.now(),
  after(milliseconds, call) {
    // A timer may fire a millisecond late, which at 300 requests per second is too much. An early timer is harmless,
    // because callers ask again.
    if (milliseconds >= 2) {
      const timer = setTimeout(call, milliseconds - 1)
      return () => clearTimeout(timer)
    }
    const timer = setImmediate(call)
    return () => clearImmediate(timer)
  },
}

interface EngineOptions {
  readonly rows: AsyncGenerator<readonly ImportRow[]>
  readonly journal: Pick<Journal, 'append' | 'states'>
  /** Sends the row once. */
  readonly send: (pet: NewPet) => Promise<Pet>
  readonly pace: Pace
  readonly clock: Clock
  readonly concurrency: number
  /** Whether a row that earlier runs left doubtful is sent again. */
  readonly isResent: (number: number) => boolean
  readonly stopOnError?: boolean | undefined
  /** What the number of a row counts. */
  readonly unit: string
  readonly shutdown: Shutdown
}

/**
 * Sends the rows, several at a time, and yields their results once they are on disk. Each turn of the loop writes to the
 * journal once: the rows that settled since the last turn, and the rows to announce next.
 */
export async function* sendRows(options: EngineOptions): AsyncGenerator<ImportBatch> {
  const { journal, send, pace, clock, concurrency, shutdown, isResent } = options
  const { states } = journal
  const rows = noRowsInFlight()
  const wakeUp = createSignal()
  const outbox = createOutbox(wakeUp.notify)
  const reader = readAhead(options, rows, wakeUp.notify)
  const times = { toRecord: 1, toSend: 100 }
  let isAddressRight = states.added > 0
  /** The first row that was not added, with `--stop-on-error`: every row before it is still sent. */
  let stop: { readonly number: number; readonly reason: Failure } | undefined
  let cancelTimer = () => {}

  const run = async () => {
    for (;;) {
      const isEnding = shutdown.signal.aborted
      if (isEnding || pace.capacity(clock.now()) === 0) withdraw(rows, states)
      await recordNext(isEnding ? [] : takeNext())
      sendAnnounced()
      const isAllTaken = shutdown.signal.aborted || (reader.hasEnded() && rows.waiting.length === 0)
      if (isAllTaken && isSettled(rows)) break
      await wakeUp.wait()
      // Replies that arrive together share the next write.
      await new Promise((resolve) => setImmediate(resolve))
    }
    cancelTimer()
    // A full disk often still has room for the outcomes.
    if (rows.unrecorded.length > 0) await journal.append(rows.unrecorded).catch(() => {})
    await reader.ended
    if (stop !== undefined) shutdown.begin(stop.reason)
  }

  const takeNext = (): SendableRow[] => {
    const most = rowsToAnnounce(rows, { pace, now: clock.now(), concurrency, times })
    const next: SendableRow[] = []
    const isFull = () => outbox.isFull() || shutdown.signal.aborted
    while (next.length < most) {
      const row = takeSendable(rows, { states, isResent, finish, isFull })
      if (row === undefined) break
      next.push(row)
    }
    if (rows.waiting.length === 0) reader.demand()
    return next
  }
  const finish = (result: RowResult) => {
    outbox.push(result)
    // A row that an earlier run left is no reason: otherwise no later run would get past it.
    if (result.outcome === 'invalid') stopOnError(result)
  }
  const stopOnError = (result: RowResult) => {
    const { raw } = result.row
    if (!options.stopOnError || result.outcome === 'added' || (stop !== undefined && stop.number < raw.number)) return
    stop = { number: raw.number, reason: new Failure('partial', `${options.unit} ${raw.number}: ${result.message}`) }
    dropAfter(rows, raw.number, states)
    reader.end()
  }
  const settle = (entry: JournalEntry, result?: RowResult) => {
    rows.settled.push({ entry, result })
    if (result !== undefined) stopOnError(result)
  }

  const recordNext = async (next: readonly SendableRow[]) => {
    const begun = clock.now()
    const isWriting = rows.settled.length + next.length > 0
    const { results, failure } = await record(rows, next, journal)
    if (failure !== undefined) shutdown.begin(failure)
    else if (isWriting) times.toRecord = averaged(times.toRecord, clock.now() - begun)
    for (const result of results) outbox.push(result)
  }

  const sendAnnounced = () => {
    cancelTimer()
    for (;;) {
      const now = clock.now()
      const delay = pace.delay(now, rows.sent)
      if (delay > 0) {
        if (Number.isFinite(delay)) cancelTimer = clock.after(delay, resume)
        return
      }
      if (rows.sent >= pace.capacity(now) || shutdown.signal.aborted) return
      const row = rows.announced.shift()
      if (row === undefined) return
      rows.sent += 1
      pace.sent(now, rows.sent)
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
      times.toSend = averaged(times.toSend, now - sentAt)
      isAddressRight = true
      pace.succeeded(sentAt, now)
      settle({ kind: 'added', number: row.raw.number, id }, { row, outcome: 'added', id })
    } catch (error) {
      settleFailed(row, asFailure(error), sentAt)
    }
    rows.sent -= 1
    resume()
  }

  const settleFailed = (row: SendableRow, failure: Failure, sentAt: number) => {
    const { message, status } = failure
    const reaction = reactionTo(failure, { isAddressRight, isUnstarted: shutdown.isUnstarted(failure) })
    const outcome = reaction.row
    if (outcome === 'doubtful') {
      settle({ kind: 'doubtful', number: row.raw.number }, { row, outcome, message, status })
    } else {
      settle(notAdded(row, states), outcome === 'rejected' ? { row, outcome, message, status } : undefined)
    }
    if (outcome === 'waiting' && (stop === undefined || row.raw.number < stop.number)) rows.waiting.unshift(row)
    if (reaction.endsImport) shutdown.begin(failure)
    if (reaction.pace === 'fine') pace.succeeded(sentAt, clock.now())
    else if (reaction.pace !== undefined) slowDown(reaction.pace, failure, sentAt)
  }

  const slowDown = (row: PaceFailure['row'], failure: Failure, sentAt: number) => {
    const { status } = failure
    const waitSeconds = row === 'repeated' ? failure.waitSeconds : undefined
    const isLimit = status === 429 || status === 503
    const decision = pace.failed({ row, sentAt, isLimit, waitSeconds }, clock.now())
    if (decision.kind === 'end') shutdown.begin(row === 'unknown' ? failingService(failure) : failure)
    if (decision.kind === 'pause') outbox.pause({ failure, seconds: decision.seconds })
  }

  const endEarly = () => {
    reader.end()
    resume()
  }
  shutdown.signal.addEventListener('abort', endEarly, { once: true })
  const running = run().finally(outbox.end)
  try {
    yield* outbox.batches()
  } finally {
    // The consumer may stop early. In any case, requests in flight finish here, and the journal gets their outcomes.
    if (!outbox.hasEnded()) shutdown.begin(new Failure('interrupted', 'the import was abandoned'))
    await running
  }
}

/** Reads one batch of rows at a time: the next one when no row waits. */
function readAhead(
  { rows: batches, shutdown }: Pick<EngineOptions, 'rows' | 'shutdown'>,
  rows: RowsInFlight,
  notify: () => void,
) {
  const demand = createSignal()
  let isEnding = false
  let hasEnded = false
  const mustEnd = () => isEnding || shutdown.signal.aborted
  const read = async () => {
    try {
      for await (const batch of batches) {
        if (mustEnd()) break
        rows.waiting = [...rows.waiting, ...batch]
        notify()
        while (rows.waiting.length > 0 && !mustEnd()) await demand.wait()
        if (mustEnd()) break
      }
    } catch (error) {
      shutdown.begin(asFailure(error))
    }
    hasEnded = true
    notify()
  }
  const end = () => {
    isEnding = true
    demand.notify()
  }
  return { ended: read(), hasEnded: () => hasEnded, demand: demand.notify, end }
}

interface AnnouncingOptions {
  readonly pace: Pace
  readonly now: number
  readonly concurrency: number
  /** The average times of a write and of a request, in milliseconds. */
  readonly times: { readonly toRecord: number; readonly toSend: number }
}

/** As many as can be sent during two writes, so that no request waits for the disk; after a kill, all are doubtful. */
function rowsToAnnounce(rows: RowsInFlight, { pace, now, concurrency, times }: AnnouncingOptions): number {
  const capacity = pace.capacity(now)
  const timePerRow = Math.max(times.toSend / concurrency, pace.interval)
  const ahead = capacity <= 1 ? 0 : Math.ceil((2 * times.toRecord) / timePerRow)
  const room = capacity + Math.min(ahead, concurrency) - rows.sent
  return (pace.interval > 0 ? Math.min(room, ahead + 1) : room) - rows.announced.length
}

function failingService({ message, status }: Failure): Failure {
  return new Failure('partial', `the service keeps failing: ${message}`, { status, isRetryable: true })
}

/** The average of recent values, with one more. */
const averaged = (average: number, value: number) => average + (value - average) / 16
