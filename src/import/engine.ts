import { asFailure, Failure } from '../failure.ts'
import { duration } from '../model/quantities.ts'
import type { NewPet, Pet } from '../model/schema.ts'
import { nextTurn } from '../platform/promises.ts'
import type { Pace, PaceFailure } from './pace.ts'
import type { RowResult } from './results.ts'
import type { ImportRow, SendableRow } from './rows.ts'
import { RowsInFlight, type RowsInFlightOptions, reactionTo } from './rows-in-flight.ts'
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
  }
}

interface EngineOptions extends RowsInFlightOptions {
  readonly batches: AsyncGenerator<readonly ImportRow[]>
  /** Sends the row once. */
  readonly send: (pet: NewPet) => Promise<Pet>
  readonly pace: Pace
  readonly clock: Clock
  readonly concurrency: number
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
 * A turn of the loop writes to the journal once, in `recordNext`: the rows that settled since the
 * last turn, and the rows to announce next. Meanwhile it reads the rows after them. Announced rows
 * are sent as soon as the pace allows, in the turn and between turns. A reply, a timer of the pace,
 * rows still to be read or the shutdown begin the next turn. A row that can be sent again goes back
 * from in flight to waiting, and so do announced rows when nothing may be sent for a while.
 */
export async function* sendRows(options: EngineOptions): AsyncGenerator<readonly RowResult[]> {
  const { batches, shutdown, unit } = options
  const sending = new Sending(options)
  const { rows } = sending
  shutdown.signal.addEventListener('abort', sending.resume, { once: true })
  let isAbandoned = true
  try {
    for (let isMore = true; isMore; ) {
      isMore = await sending.turn()
      const results = rows.takeFinished()
      if (results.length > 0) yield results
      if (isMore) await sending.nextEvent()
    }
    isAbandoned = false
  } finally {
    // The consumer may stop early. In any case, requests in flight finish here, and the journal
    // gets their outcomes.
    if (isAbandoned) shutdown.begin(new Failure('interrupted', 'the import was abandoned'))
    while (await sending.turn()) await sending.nextEvent()
    sending.cancelTimer()
    await rows.recordRest()
    await batches.return(undefined)
    if (rows.firstFailed !== undefined) {
      const { row, message } = rows.firstFailed
      shutdown.begin(new Failure('partial', `${unit} ${row.raw.number}: ${message}`))
    }
  }
}

/** How long a write to the journal usually takes, at most. */
const writeMilliseconds = 2

/** An import while its rows are sent. */
class Sending {
  readonly rows: RowsInFlight
  cancelTimer = () => {}
  readonly #options: EngineOptions
  /** What to say about a pause that has begun. */
  #pauseNotice: string | undefined
  #isInputOver = false
  /** How many rows are announced beyond those that can be sent now. */
  #ahead = 1
  /** Some row was added, so the base URL leads to the service. */
  #isAddressRight: boolean
  /** Something has happened since the last turn began. */
  #hasNews = false
  /** Ends the wait for it. */
  #wakeUp = () => {}

  constructor(options: EngineOptions) {
    this.#options = options
    this.rows = new RowsInFlight(options)
    this.#isAddressRight = options.journal.states.counts.added > 0
  }

  /** Returns whether rows are left. */
  async turn(): Promise<boolean> {
    const { rows } = this
    const { notice, shutdown } = this.#options
    const { signal } = shutdown
    if (signal.aborted || this.#capacity() === 0) rows.withdraw()
    const recording = this.#recordNext().then(this.#sendAnnounced)
    await Promise.all([recording, this.#readAhead()])
    const isLastSent = rows.waiting.length + rows.announced.length === 0 && this.#isReadingOver()
    const isSendingOver = signal.aborted || isLastSent
    const pauseNotice = this.#pauseNotice
    this.#pauseNotice = undefined
    // Without rows to send, nothing continues after the pause.
    if (pauseNotice !== undefined && !isSendingOver) await notice('waiting', pauseNotice)
    return !isSendingOver || !rows.isSettled()
  }

  async nextEvent(): Promise<void> {
    if (!this.#hasNews) {
      await new Promise<void>(resolve => {
        this.#wakeUp = resolve
      })
    }
    this.#hasNews = false
    // Replies that arrive together share the next write.
    await nextTurn()
  }

  /** Sends what may be sent, and begins the next turn. */
  readonly resume = (): void => {
    this.#sendAnnounced()
    this.#beginNextTurn()
  }

  /**
   * Keeps the loop awake: after a turn, it waits until something calls this. Every change that a
   * turn has to act on needs the call.
   */
  #beginNextTurn(): void {
    this.#hasNews = true
    this.#wakeUp()
  }

  #capacity(): number {
    const { pace, clock } = this.#options
    return pace.capacity(clock.now())
  }

  /** The input is at its end, or what is left of it is not wanted. */
  #isReadingOver(): boolean {
    return this.#isInputOver || this.rows.firstFailed !== undefined
  }

  /** Reads enough rows for the next turn. */
  async #readAhead(): Promise<void> {
    const { batches, concurrency, shutdown } = this.#options
    const { rows } = this
    const isEnough = () => rows.waiting.length >= 2 * concurrency
    while (!this.#isReadingOver() && !shutdown.signal.aborted && !isEnough()) {
      try {
        const { value, done } = await batches.next()
        this.#isInputOver = done === true
        // While it was read, a row may have failed that ends the import.
        if (!this.#isReadingOver()) rows.waiting.push(...(value ?? []))
      } catch (error) {
        shutdown.begin(asFailure(error))
      }
    }
  }

  async #recordNext(): Promise<void> {
    const failure = await this.rows.record(this.#takeNext())
    this.#adjustAhead()
    if (failure !== undefined) this.#options.shutdown.begin(failure)
  }

  #takeNext(): SendableRow[] {
    const next: SendableRow[] = []
    const most = this.#options.shutdown.signal.aborted ? 0 : this.#rowsToAnnounce()
    while (next.length < most) {
      const row = this.rows.takeSendable()
      if (row === undefined) break
      next.push(row)
    }
    // More are being read: the next turn announces them, even if no reply arrives until then.
    if (next.length < most && !this.#isReadingOver()) this.#beginNextTurn()
    return next
  }

  /**
   * Some more than can be sent now, so that no request waits for the disk, but as few as possible:
   * after a kill, all are doubtful.
   */
  #rowsToAnnounce(): number {
    const { interval } = this.#options.pace
    const capacity = this.#capacity()
    const free = capacity - this.rows.inFlight
    const announced = this.rows.announced.length
    // With one request at a time, as after a pause, its reply decides about the next.
    const mostAhead = capacity > 1 ? this.#ahead : 0
    if (interval === 0) return free + mostAhead - announced
    // The distance between requests lets one go now, and some more during the write.
    const immediate = Math.min(free, 1)
    const duringWrite = Math.ceil(writeMilliseconds / interval)
    return immediate + Math.min(mostAhead, duringWrite) - announced
  }

  /** After each write: more if the requests used up the announced rows meanwhile, otherwise fewer. */
  #adjustAhead(): void {
    const isShort = this.rows.inFlight < this.#capacity()
    const more = Math.min(this.#options.concurrency, 2 * this.#ahead)
    const fewer = Math.max(1, this.#ahead - 1)
    this.#ahead = isShort ? more : fewer
  }

  readonly #sendAnnounced = (): void => {
    const { pace, clock, shutdown } = this.#options
    const { rows } = this
    // No timer may be set after the end of the import.
    while (!shutdown.signal.aborted) {
      const now = clock.now()
      const delay = pace.delay(now, rows.inFlight)
      if (delay > 0) {
        if (!Number.isFinite(delay)) return
        // Only now, because at the end of a pause, its timer begins the turn that announces rows again.
        this.cancelTimer()
        this.cancelTimer = clock.after(delay, this.resume)
        return
      }
      if (rows.inFlight >= pace.capacity(now)) return
      const row = rows.announced.shift()
      if (row === undefined) return
      rows.inFlight += 1
      pace.sent(now, rows.inFlight)
      void this.#transmit(row, now)
    }
  }

  async #transmit(row: SendableRow, sentAt: number): Promise<void> {
    const { pace, clock, send } = this.#options
    const end = await send(row.pet).catch(asFailure)
    if (end instanceof Failure) {
      this.#settleFailed(row, end, sentAt)
    } else {
      this.#isAddressRight = true
      pace.succeeded(sentAt, clock.now())
      this.rows.settle(row, { row, outcome: 'added', id: end.id })
    }
    this.rows.inFlight -= 1
    this.resume()
  }

  #settleFailed(row: SendableRow, failure: Failure, sentAt: number): void {
    const { pace, clock, shutdown } = this.#options
    const { message, status } = failure
    // For a request that was cut off before it started, the client throws the reason itself.
    const isUnstarted = failure === shutdown.cutOff.reason
    const reaction = reactionTo(failure, { isAddressRight: this.#isAddressRight, isUnstarted })
    const outcome = reaction.row
    const isFinal = outcome === 'doubtful' || outcome === 'rejected'
    // A free row is not sent again in this run.
    if (outcome === 'waiting') this.rows.waitAgain(row)
    else this.rows.settle(row, isFinal ? { row, outcome, message, status } : undefined)
    if (reaction.pace === 'end') shutdown.begin(failure)
    else if (reaction.pace === 'fine') pace.succeeded(sentAt, clock.now())
    else this.#slowDown(reaction.pace, failure, sentAt)
  }

  #slowDown(outcome: PaceFailure['outcome'], failure: Failure, sentAt: number): void {
    const { pace, clock, shutdown } = this.#options
    const { message, status } = failure
    const isLimit = status === 429 || status === 503
    const waitSeconds = outcome === 'repeated' ? failure.waitSeconds : undefined
    const decision = pace.failed({ outcome, sentAt, isLimit, waitSeconds }, clock.now())
    if (decision === 'end') {
      shutdown.begin(outcome === 'doubtful' ? failingService(failure) : failure)
    } else if (decision !== undefined) {
      // The rest of the message is about a single pet.
      const [problem] = message.split('; ', 1)
      this.#pauseNotice = `${problem}; continuing in ${duration(decision)}`
    }
  }
}

function failingService({ message, status }: Failure): Failure {
  return new Failure('partial', `the service keeps failing: ${message}`, {
    status,
    isRetryable: true
  })
}
