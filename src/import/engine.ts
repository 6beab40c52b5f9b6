import { Failure, unexpectedFailure } from '../failure.ts'
import type { NewPet, Pet } from '../model/pets.ts'
import type { Journal } from './journal-opening.ts'
import { createLimiter, createMovingAverage } from './limiter.ts'
import type { Pace } from './pace.ts'
import type { ImportRow } from './rows.ts'
import type { Shutdown } from './shutdown.ts'
import type { RowOutcome, RowResult } from './tally.ts'

interface EngineOptions {
  readonly rows: AsyncGenerator<readonly ImportRow[]>
  readonly journal: Pick<Journal, 'intend' | 'settle' | 'finish' | 'states'>
  /** Sends the row once. */
  readonly send: (pet: NewPet) => Promise<Pet>
  /** Called with each row's result once that is on disk. */
  readonly report: (result: RowResult) => void
  /** Called before each row: a promise if the reader of the results is behind. */
  readonly isBehind: () => Promise<void> | undefined
  readonly pace: Pace
  readonly concurrency: number
  readonly resendDoubtful?: boolean | undefined
  readonly stopOnError?: boolean | undefined
  readonly shutdown: Shutdown
}

/** Sends the rows, several at a time, and records each step in the journal. Waits for all requests in flight. */
export async function sendRows(options: EngineOptions): Promise<void> {
  const { rows, journal, send, pace, shutdown } = options
  const queue = createRowQueue(rows, shutdown)
  const { concurrency } = options
  const inFlight = createLimiter(() => concurrency)
  // While rows are in flight, the next ones are recorded already, so that no request waits for the disk: as many as are sent
  // during two writes. No more than that, because a kill makes all of them doubtful.
  const writingTime = createMovingAverage(1)
  const sendingTime = createMovingAverage(100)
  const ahead = () => Math.ceil((2 * concurrency * writingTime.value) / sendingTime.value)
  const recorded = createLimiter(() => concurrency + Math.min(concurrency, ahead()))
  /** After one row was added, a 404, 501 or redirect does not mean that the base URL is wrong. */
  let isAddressRight = journal.states.added > 0

  const work = async () => {
    for (;;) {
      const behind = options.isBehind()
      if (behind !== undefined) await shutdown.waitFor(behind)
      const next = queue.next()
      const row = next instanceof Promise ? await next : next
      if (row === undefined) return
      if ('problem' in row) finish({ row, outcome: 'invalid', message: row.problem })
      else await take(row, row.pet)
    }
  }

  /** A result that changes the journal is reported once it is on disk. */
  const finish = (result: RowResult, entry?: 'added' | 'free' | 'doubtful') => {
    if (options.stopOnError && isError(result.outcome)) shutdown.begin(rowFailure(result))
    if (entry === undefined) return options.report(result)
    journal.settle(result.row.raw.number, entry, result.id, () => options.report(result))
  }

  /** A row that an earlier run left in doubt stays in doubt, because it may have been added then. */
  const notAdded = ({ raw }: ImportRow) => (journal.states.of(raw.number) === 'doubtful' ? 'doubtful' : 'free')

  const take = async (row: ImportRow, pet: NewPet) => {
    const known = journal.states.of(row.raw.number)
    if (known === 'added') return finish({ row, outcome: 'skipped' })
    if (known === 'doubtful' && !options.resendDoubtful) {
      // Not a reason for `--stop-on-error`: otherwise no later run would get past this row.
      return options.report({ row, outcome: 'doubtful', message: leftDoubtful })
    }
    for (let isDone = false; !isDone; ) {
      const pause = pace.wait()
      if (pause !== undefined) await pause
      if (shutdown.signal.aborted) return
      isDone = await attempt(row, pet)
    }
  }

  /** False if the row must be sent again. */
  const attempt = async (row: ImportRow, pet: NewPet): Promise<boolean> => {
    const recording = recorded.acquire()
    if (recording !== undefined) await recording
    try {
      if (shutdown.signal.aborted) return true
      const begun = performance.now()
      await journal.intend(row.raw.number)
      writingTime.add(performance.now() - begun)
      const sending = inFlight.acquire()
      if (sending !== undefined) await sending
      try {
        return await sendRecorded(row, pet)
      } finally {
        inFlight.release()
      }
    } finally {
      recorded.release()
    }
  }

  const sendRecorded = async (row: ImportRow, pet: NewPet): Promise<boolean> => {
    // A pause that began meanwhile applies to this row too.
    if (shutdown.signal.aborted || pace.wait() !== undefined) {
      journal.settle(row.raw.number, notAdded(row))
      return shutdown.signal.aborted
    }
    const sentAt = performance.now()
    try {
      const { id } = await send(pet)
      sendingTime.add(performance.now() - sentAt)
      finish({ row, outcome: 'added', id }, 'added')
      isAddressRight = true
      pace.recover()
      return true
    } catch (error) {
      return finishFailed(row, error instanceof Failure ? error : unexpectedFailure(error), sentAt)
    }
  }

  const finishFailed = (row: ImportRow, failure: Failure, sentAt: number): boolean => {
    const { code, message, status } = failure
    const isCutOff = code === 'interrupted' && !shutdown.isUnstarted(failure)
    if (code === 'in-doubt' || code === 'unexpected' || isCutOff) {
      finish({ row, outcome: 'doubtful', message, status }, 'doubtful')
      if (code === 'unexpected') shutdown.begin(failure)
      return true
    }
    if (code === 'rejected' || (isAddressRight && isAboutRow(failure))) {
      finish({ row, outcome: 'rejected', message, status }, notAdded(row))
      pace.recover()
      return true
    }
    journal.settle(row.raw.number, notAdded(row))
    if (code === 'interrupted') return true
    if (failure.isRetryable && pace.slowDown(failure, sentAt)) return false
    shutdown.begin(failure)
    return true
  }

  const workers = Array.from({ length: concurrency * 2 }, () =>
    work().catch((error: unknown) => {
      shutdown.begin(error instanceof Failure ? error : unexpectedFailure(error))
    }),
  )
  await Promise.all(workers)
  await journal.finish().catch((error: Failure) => shutdown.begin(error))
  await rows.return(undefined).catch(() => {})
}

const leftDoubtful = 'it was on its way when an earlier run ended, or its outcome was lost'

const isError = (outcome: RowOutcome) => outcome === 'rejected' || outcome === 'invalid' || outcome === 'doubtful'

/** Nothing was added, and the reason may be the content of the row. */
const isAboutRow = ({ code, status, isRetryable }: Failure) =>
  status !== undefined && !isRetryable && (code === 'not-found' || code === 'service')

function rowFailure({ row, message }: RowResult): Failure {
  return new Failure('partial', `line ${row.raw.line}: ${message}`)
}

/** Yields the rows one by one, in order, to several workers. */
interface RowQueue {
  /** Undefined if there are no more rows, or the import is ending. */
  next(): Promise<ImportRow | undefined> | ImportRow | undefined
}

function createRowQueue(
  batches: AsyncIterator<readonly ImportRow[]>,
  { signal, waitFor }: Pick<Shutdown, 'signal' | 'waitFor'>,
): RowQueue {
  let batch: readonly ImportRow[] = []
  let index = 0
  let hasEnded = false
  let loading: Promise<void> | undefined
  const load = async () => {
    const { done, value } = await batches.next()
    if (done) hasEnded = true
    batch = done ? [] : value
    index = 0
    loading = undefined
  }

  const next = (): Promise<ImportRow | undefined> | ImportRow | undefined => {
    if (signal.aborted) return undefined
    const row = batch[index]
    if (row !== undefined) {
      index += 1
      return row
    }
    if (hasEnded) return undefined
    // A pipe may never deliver another row.
    loading ??= waitFor(load())
    return loading.then(next)
  }
  return { next }
}
