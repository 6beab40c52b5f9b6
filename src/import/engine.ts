import { asFailure, Failure } from '../failure.ts'
import { duration } from '../model/quantities.ts'
import type { NewPet, Pet } from '../model/schema.ts'
import { nextTurn } from '../platform/promises.ts'
import type { Pace, PaceFailure } from './pace.ts'
import type { RowResult } from './results.ts'
import type { ImportRow, SendableRow } from './rows.ts'
import { type RowJournal, RowsInFlight, reactionTo } from './rows-in-flight.ts'
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
  readonly batches: AsyncGenerator<readonly ImportRow[]>
  readonly journal: RowJournal
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
  readonly notice: (code: string, message: string) => Promise<void>
}

/**
 * Sends the rows, several at a time, and yields their results once they are on disk, or the journal
 * cannot be written.
 *
 *     input ──▶ waiting ──▶ announced ──▶ in flight ──▶ settled ──▶ results
 *       readAhead    recordNext   sendAnnounced   transmit    recordNext
 *
 * A turn of the loop writes to the journal once: the rows that settled since the last turn, and the
 * rows to announce next. Meanwhile it reads the rows after them. Announced rows are sent as soon as
 * the pace allows, in the turn and between turns. A reply, a timer of the pace or the shutdown
 * begins the next turn. A row that can be sent again goes back from in flight to waiting, and so do
 * announced rows when nothing may be sent for a while.
 */
export async function* sendRows(options: EngineOptions): AsyncGenerator<readonly RowResult[]> {
  const { batches, shutdown } = options
  const sending = new Sending(options)
  shutdown.signal.addEventListener('abort', () => resume(sending), { once: true })
  let isAbandoned = true
  try {
    for (let isMore = true; isMore; ) {
      isMore = await turn(sending)
      const { finished, pause } = sending
      sending.finished = []
      sending.pause = undefined
      if (pause !== undefined) await options.notice('waiting', pause)
      if (finished.length > 0) yield finished
      if (isMore) await nextEvent(sending)
    }
    isAbandoned = false
  } finally {
    // The consumer may stop early. In any case, requests in flight finish here, and the journal
    // gets their outcomes.
    if (isAbandoned) shutdown.begin(new Failure('interrupted', 'the import was abandoned'))
    while (await turn(sending)) await nextEvent(sending)
    sending.cancelTimer()
    await sending.rows.recordRest()
    await batches.return(undefined)
    if (sending.firstFailed !== undefined) shutdown.begin(sending.firstFailed.reason)
  }
}

/** A row that ends the import, and why. */
interface FailedRow {
  readonly number: number
  readonly reason: Failure
}

/** An import while its rows are sent. */
class Sending {
  readonly options: EngineOptions
  readonly rows: RowsInFlight
  /** The input is at its end, or what is left of it is not wanted. */
  isInputOver = false
  /** With `--stop-on-error`, the first row that was not added. Those before it are still sent. */
  firstFailed: FailedRow | undefined
  /** The next batch. */
  finished: RowResult[] = []
  /** What to say about a pause that has begun. */
  pause: string | undefined
  /** How many rows are announced beyond those that can be sent now. */
  ahead = 1
  /** Some row was added, so the base URL leads to the service. */
  isAddressRight: boolean
  cancelTimer = () => {}
  /** Something has happened since the last turn began. */
  hasNews = false
  /** Ends the wait for it. */
  wakeUp = () => {}

  constructor(options: EngineOptions) {
    this.options = options
    this.rows = new RowsInFlight(options.journal)
    this.isAddressRight = options.journal.states.counts.added > 0
  }
}

/** Returns whether rows are left. */
async function turn(sending: Sending): Promise<boolean> {
  const { options, rows } = sending
  const { pace, clock, shutdown } = options
  const { signal } = shutdown
  const isPaused = pace.capacity(clock.now()) === 0
  if (signal.aborted || isPaused) rows.withdraw()
  const recording = recordNext(sending).then(() => sendAnnounced(sending))
  await Promise.all([recording, readAhead(sending)])
  const isAllTaken = sending.isInputOver && rows.waiting.length === 0
  return !(signal.aborted || isAllTaken) || !rows.isSettled()
}

async function nextEvent(sending: Sending): Promise<void> {
  if (!sending.hasNews) {
    await new Promise<void>((resolve) => {
      sending.wakeUp = resolve
    })
  }
  sending.hasNews = false
  // Replies that arrive together share the next write.
  await nextTurn()
}

/**
 * Keeps the loop awake: after a turn, it waits until something calls this. Every change that a turn
 * has to act on needs the call.
 */
function beginNextTurn(sending: Sending): void {
  sending.hasNews = true
  sending.wakeUp()
}

/** Reads enough rows for the next turn. */
async function readAhead(sending: Sending): Promise<void> {
  const { options, rows } = sending
  const { batches, concurrency, shutdown } = options
  const isEnough = () => rows.waiting.length >= 2 * concurrency
  while (!sending.isInputOver && !shutdown.signal.aborted && !isEnough()) {
    try {
      const { value, done } = await batches.next()
      // While it was read, a row may have failed that ends the import.
      if (!sending.isInputOver) rows.waiting.push(...(value ?? []))
      if (done) sending.isInputOver = true
    } catch (error) {
      shutdown.begin(asFailure(error))
    }
  }
}

async function recordNext(sending: Sending): Promise<void> {
  const { options, rows } = sending
  const { results, failure } = await rows.record(takeNext(sending))
  // During the write, a row may have failed that ends the import.
  if (sending.firstFailed !== undefined) rows.dropAfter(sending.firstFailed.number)
  adjustAhead(sending)
  if (failure !== undefined) options.shutdown.begin(failure)
  sending.finished.push(...results)
}

function takeNext(sending: Sending): SendableRow[] {
  const { options, rows } = sending
  const finish = (result: RowResult) => {
    sending.finished.push(result)
    // A row that an earlier run left is no reason: otherwise no later run would get past it.
    if (result.outcome === 'invalid') noteFailedRow(sending, result)
  }
  const next: SendableRow[] = []
  const most = options.shutdown.signal.aborted ? 0 : rowsToAnnounce(sending)
  while (next.length < most) {
    const row = rows.takeSendable(options.isResent, finish)
    if (row === undefined) break
    next.push(row)
  }
  // More are being read: the next turn announces them, even if no reply arrives until then.
  if (next.length < most && !sending.isInputOver) beginNextTurn(sending)
  return next
}

/** How long a write to the journal usually takes, at most. */
const writeMilliseconds = 2

/**
 * Some more than can be sent now, so that no request waits for the disk, but as few as possible:
 * after a kill, all are doubtful.
 */
function rowsToAnnounce({ options, rows, ahead }: Sending): number {
  const { pace, clock } = options
  const capacity = pace.capacity(clock.now())
  const free = capacity - rows.sent
  const announced = rows.announced.length
  // With one request at a time, as after a pause, its reply decides about the next.
  const mostAhead = capacity > 1 ? ahead : 0
  const isLimited = pace.interval > 0
  if (!isLimited) return free + mostAhead - announced
  // The distance between requests lets one go now, and some more during the write.
  const now = Math.min(free, 1)
  const duringWrite = Math.ceil(writeMilliseconds / pace.interval)
  return now + Math.min(mostAhead, duringWrite) - announced
}

/** After each write: more if the requests used up the announced rows meanwhile, otherwise fewer. */
function adjustAhead(sending: Sending): void {
  const { options, rows, ahead } = sending
  const { pace, clock, concurrency } = options
  const isShort = rows.sent < pace.capacity(clock.now())
  const more = Math.min(concurrency, 2 * ahead)
  const fewer = Math.max(1, ahead - 1)
  sending.ahead = isShort ? more : fewer
}

function sendAnnounced(sending: Sending): void {
  const { options, rows } = sending
  const { pace, clock, shutdown } = options
  sending.cancelTimer()
  for (;;) {
    const now = clock.now()
    const delay = pace.delay(now, rows.sent)
    if (delay > 0) {
      const later = () => resume(sending)
      if (Number.isFinite(delay)) sending.cancelTimer = clock.after(delay, later)
      return
    }
    if (rows.sent >= pace.capacity(now) || shutdown.signal.aborted) return
    const row = rows.announced.shift()
    if (row === undefined) return
    rows.sent += 1
    pace.sent(now, rows.sent)
    void transmit(sending, row, now)
  }
}

function resume(sending: Sending): void {
  sendAnnounced(sending)
  beginNextTurn(sending)
}

async function transmit(sending: Sending, row: SendableRow, sentAt: number): Promise<void> {
  const { options, rows } = sending
  const { pace, clock, send } = options
  const end = await send(row.pet).catch(asFailure)
  if (end instanceof Failure) {
    settleFailed(sending, row, end, sentAt)
  } else {
    sending.isAddressRight = true
    pace.succeeded(sentAt, clock.now())
    settle(sending, row, { row, outcome: 'added', id: end.id })
  }
  rows.sent -= 1
  resume(sending)
}

function settleFailed(sending: Sending, row: SendableRow, failure: Failure, sentAt: number): void {
  const { options, rows, firstFailed, isAddressRight } = sending
  const { pace, clock, shutdown } = options
  const { message, status } = failure
  const isUnstarted = shutdown.isUnstarted(failure)
  const reaction = reactionTo(failure, { isAddressRight, isUnstarted })
  const outcome = reaction.row
  const isOver = outcome === 'doubtful' || outcome === 'rejected'
  settle(sending, row, isOver ? { row, outcome, message, status } : undefined)
  const isWanted = firstFailed === undefined || row.raw.number < firstFailed.number
  if (outcome === 'waiting' && isWanted) rows.waiting.unshift(row)
  if (reaction.endsImport) shutdown.begin(failure)
  if (reaction.pace === 'fine') pace.succeeded(sentAt, clock.now())
  else if (reaction.pace !== undefined) slowDown(sending, reaction.pace, failure, sentAt)
}

function settle(sending: Sending, row: SendableRow, result?: RowResult): void {
  sending.rows.settle(row, result)
  if (result !== undefined) noteFailedRow(sending, result)
}

/** With `--stop-on-error`, a row that was not added ends the import. */
function noteFailedRow(sending: Sending, { row, outcome, message }: RowResult): void {
  const { options, rows, firstFailed } = sending
  const { number } = row.raw
  if (!options.stopOnError || outcome === 'added') return
  if (firstFailed !== undefined && firstFailed.number < number) return
  const reason = new Failure('partial', `${options.unit} ${number}: ${message}`)
  sending.firstFailed = { number, reason }
  sending.isInputOver = true
  rows.dropAfter(number)
}

function slowDown(
  sending: Sending,
  row: PaceFailure['row'],
  failure: Failure,
  sentAt: number,
): void {
  const { pace, clock, shutdown } = sending.options
  const isLimit = failure.status === 429 || failure.status === 503
  const waitSeconds = row === 'repeated' ? failure.waitSeconds : undefined
  const failed = { row, sentAt, isLimit, waitSeconds }
  const decision = pace.failed(failed, clock.now())
  if (decision.kind === 'pause') {
    sending.pause = `${failure.message}; continuing in ${duration(decision.seconds)}`
  } else if (decision.kind === 'end') {
    shutdown.begin(row === 'unknown' ? failingService(failure) : failure)
  }
}

function failingService({ message, status }: Failure): Failure {
  return new Failure('partial', `the service keeps failing: ${message}`, {
    status,
    isRetryable: true,
  })
}
