import { asFailure, Failure } from '../failure.ts'
import type { NewPet, Pet } from '../model/schema.ts'
import type { Journal } from './journal.ts'
import type { JournalEntry } from './journal-format.ts'
import type { Pace, PaceFailure } from './pace.ts'
import type { ImportBatch, ImportPause, RowResult } from './results.ts'
import type { ImportRow, SendableRow } from './rows.ts'
import {
  dropAfter,
  isSettled,
  noRowsInFlight,
  notAdded,
  reactionTo,
  record,
  takeSendable,
  withdraw,
} from './rows-in-flight.ts'
import type { Shutdown } from './shutdown.ts'

/** Time in milliseconds, and timers. Tests have their own. */
export interface Clock {
  now(): number
  /** Calls the function later; returns a function that cancels the call. */
  after(milliseconds: number, call: () => void): () => void
}

export const realClock: Clock = {
  now: () => performance.now(),
  after(milliseconds, call) {
    // A timer may fire a millisecond late, which at 300 requests per second is too much. An early
    // timer is harmless, because callers ask again.
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
 * Sends the rows, several at a time, and yields their results once they are on disk, or the journal
 * cannot be written. Each turn of the loop writes to the journal once: the rows that settled since
 * the last turn, and the rows to announce next.
 */
export async function* sendRows(options: EngineOptions): AsyncGenerator<ImportBatch> {
  const { rows: batches, journal, send, pace, clock, concurrency, shutdown, isResent } = options
  const { states } = journal
  const rows = noRowsInFlight()
  let finished: RowResult[] = []
  let pausing: ImportPause | undefined
  let hasEnded = false
  /**
   * How many rows are announced in addition to those that can be sent now: as few as keep requests
   * from waiting.
   */
  let ahead = 1
  let isAddressRight = states.counts.added > 0
  /**
   * The first row that was not added, with `--stop-on-error`: every row before it is still sent.
   */
  let stop: { readonly number: number; readonly reason: Failure } | undefined
  let cancelTimer = () => {}
  let wakeUp = () => {}
  const createEvent = () =>
    new Promise<void>((resolve) => {
      wakeUp = resolve
    })
  /** Something has happened since the last turn. */
  let event = createEvent()

  /** True as long as rows are left. */
  const turn = async (): Promise<boolean> => {
    if (shutdown.signal.aborted || pace.capacity(clock.now()) === 0) withdraw(rows, states)
    // The next rows are read while these are written.
    await Promise.all([recordNext(takeNext()).then(sendAnnounced), readAhead()])
    const isAllTaken = shutdown.signal.aborted || (hasEnded && rows.waiting.length === 0)
    return !isAllTaken || !isSettled(rows)
  }
  const nextEvent = async () => {
    await event
    event = createEvent()
    // Replies that arrive together share the next write.
    await new Promise((resolve) => setImmediate(resolve))
  }

  const takeNext = (): SendableRow[] => {
    const next: SendableRow[] = []
    const most = shutdown.signal.aborted ? 0 : rowsToAnnounce()
    while (next.length < most) {
      const row = takeSendable(rows, { states, isResent, finish })
      if (row === undefined) break
      next.push(row)
    }
    // The next turn has more.
    if (next.length < most && !hasEnded) wakeUp()
    return next
  }
  /** Reads enough rows for the next turn. */
  const readAhead = async () => {
    while (!hasEnded && !shutdown.signal.aborted && rows.waiting.length < 2 * concurrency) {
      try {
        const { value, done } = await batches.next()
        // While it was read, a row may have failed that ends the import.
        if (!hasEnded) rows.waiting.push(...(value ?? []))
        if (done) hasEnded = true
      } catch (error) {
        shutdown.begin(asFailure(error))
      }
    }
  }
  /**
   * Some more than can be sent now, so that no request waits for the disk. After a kill, all are
   * doubtful.
   */
  const rowsToAnnounce = (): number => {
    const capacity = pace.capacity(clock.now())
    const more = capacity <= 1 ? 0 : Math.ceil(Math.min(ahead, writeMilliseconds / pace.interval))
    const room = capacity + more - rows.sent
    return (pace.interval > 0 ? Math.min(room, more + 1) : room) - rows.announced.length
  }
  const finish = (result: RowResult) => {
    finished.push(result)
    // A row that an earlier run left is no reason: otherwise no later run would get past it.
    if (result.outcome === 'invalid') stopOnError(result)
  }
  const stopOnError = (result: RowResult) => {
    const { raw } = result.row
    if (
      !options.stopOnError ||
      result.outcome === 'added' ||
      (stop !== undefined && stop.number < raw.number)
    )
      return
    stop = {
      number: raw.number,
      reason: new Failure('partial', `${options.unit} ${raw.number}: ${result.message}`),
    }
    dropAfter(rows, raw.number, states)
    hasEnded = true
  }
  const settle = (entry: JournalEntry, result?: RowResult) => {
    rows.settled.push({ entry, result })
    if (result !== undefined) stopOnError(result)
  }

  const recordNext = async (next: readonly SendableRow[]) => {
    const { results, failure } = await record(rows, next, journal)
    // During the write, a row may have failed that ends the import.
    if (stop !== undefined) dropAfter(rows, stop.number, states)
    // During the write, the requests used up the rows that were announced before.
    const isShort = rows.sent < pace.capacity(clock.now())
    ahead = isShort ? Math.min(concurrency, 2 * ahead) : Math.max(1, ahead - 1)
    if (failure !== undefined) shutdown.begin(failure)
    finished.push(...results)
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
    wakeUp()
  }

  const transmit = async (row: SendableRow, sentAt: number) => {
    const end = await send(row.pet).catch(asFailure)
    if (end instanceof Failure) {
      settleFailed(row, end, sentAt)
    } else {
      isAddressRight = true
      pace.succeeded(sentAt, clock.now())
      settle(
        { kind: 'added', number: row.raw.number, id: end.id },
        { row, outcome: 'added', id: end.id },
      )
    }
    rows.sent -= 1
    resume()
  }

  const settleFailed = (row: SendableRow, failure: Failure, sentAt: number) => {
    const { message, status } = failure
    const reaction = reactionTo(failure, {
      isAddressRight,
      isUnstarted: shutdown.isUnstarted(failure),
    })
    const outcome = reaction.row
    if (outcome === 'doubtful') {
      settle({ kind: 'doubtful', number: row.raw.number }, { row, outcome, message, status })
    } else {
      settle(
        notAdded(row, states),
        outcome === 'rejected' ? { row, outcome, message, status } : undefined,
      )
    }
    if (outcome === 'waiting' && (stop === undefined || row.raw.number < stop.number))
      rows.waiting.unshift(row)
    if (reaction.endsImport) shutdown.begin(failure)
    if (reaction.pace === 'fine') pace.succeeded(sentAt, clock.now())
    else if (reaction.pace !== undefined) slowDown(reaction.pace, failure, sentAt)
  }

  const slowDown = (row: PaceFailure['row'], failure: Failure, sentAt: number) => {
    const { status } = failure
    const waitSeconds = row === 'repeated' ? failure.waitSeconds : undefined
    const isLimit = status === 429 || status === 503
    const decision = pace.failed({ row, sentAt, isLimit, waitSeconds }, clock.now())
    if (decision.kind === 'end')
      shutdown.begin(row === 'unknown' ? failingService(failure) : failure)
    if (decision.kind === 'pause') pausing = { failure, seconds: decision.seconds }
  }

  shutdown.signal.addEventListener('abort', resume, { once: true })
  let isAbandoned = true
  try {
    for (let isMore = true; isMore; ) {
      isMore = await turn()
      if (finished.length > 0 || pausing !== undefined) {
        const batch: ImportBatch = { results: finished, pause: pausing }
        finished = []
        pausing = undefined
        yield batch
      }
      if (isMore) await nextEvent()
    }
    isAbandoned = false
  } finally {
    // The consumer may stop early. In any case, requests in flight finish here, and the journal
    // gets their outcomes.
    if (isAbandoned) shutdown.begin(new Failure('interrupted', 'the import was abandoned'))
    while (await turn()) await nextEvent()
    cancelTimer()
    // A full disk often still has room for the outcomes.
    if (rows.unrecorded.length > 0) await journal.append(rows.unrecorded).catch(() => {})
    await batches.return(undefined)
    if (stop !== undefined) shutdown.begin(stop.reason)
  }
}

/** How long a write to the journal usually takes, at most. */
const writeMilliseconds = 2

function failingService({ message, status }: Failure): Failure {
  return new Failure('partial', `the service keeps failing: ${message}`, {
    status,
    isRetryable: true,
  })
}
