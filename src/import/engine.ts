import { Failure } from '../failure.ts'
import type { NewPet, Pet } from '../model/pets.ts'
import { createFeed } from './feed.ts'
import type { OpenJournal } from './journal-opening.ts'
import type { Pace } from './pace.ts'
import type { Row } from './rows.ts'
import { createMean, createSlots } from './slots.ts'

export const outcomes = ['added', 'skipped', 'rejected', 'invalid', 'doubtful'] as const
export type Outcome = (typeof outcomes)[number]

/** How a row ended in this run. */
export interface RowEnd {
  readonly row: Row
  readonly outcome: Outcome
  readonly id?: bigint
  /** Why it was not added. */
  readonly message?: string
  readonly status?: number | undefined
}

interface EngineOptions {
  readonly rows: AsyncGenerator<readonly Row[]>
  readonly journal: Pick<OpenJournal, 'intend' | 'settle' | 'finish' | 'states'>
  /** Sends the row once. Every request is cut off when its signal is aborted. */
  readonly send: (pet: NewPet) => Promise<Pet>
  /** Told of each row once its end is on disk. */
  readonly report: (end: RowEnd) => void
  /** Asked before each row: a promise where whoever reads the report is behind. */
  readonly isBehind: () => Promise<void> | undefined
  readonly pace: Pace
  readonly concurrency: number
  readonly resendDoubtful?: boolean | undefined
  readonly stopOnError?: boolean | undefined
  readonly stopping: Stopping
}

/** The end of an import before its rows are at an end. */
export interface Stopping {
  /** Aborted when no more rows are wanted. */
  readonly signal: AbortSignal
  /** Waits for it, but no longer than rows are wanted. */
  untilStopped(awaited: Promise<void>): Promise<void>
  /** Why; the first reason counts. */
  readonly reason: () => Failure | undefined
  stop(reason: Failure): void
  /** What a request that was cut off gives as its reason, where it had not started. */
  isUnstarted(failure: Failure): boolean
}

/** Sends row after row, several at a time, and writes down what is done before and after. What is under way is waited for. */
export async function sendRows(options: EngineOptions): Promise<void> {
  const { rows, journal, send, pace, stopping } = options
  const feed = createFeed(rows, stopping)
  const { concurrency } = options
  const underWay = createSlots(() => concurrency)
  // While rows are under way, the next are written down already, so that no request waits for the disk: as many as are sent
  // while the disk is visited twice. No more, for a kill leaves all of them in doubt.
  const writingTime = createMean(1)
  const sendingTime = createMean(100)
  const ahead = () => Math.ceil((2 * concurrency * writingTime.value) / sendingTime.value)
  const written = createSlots(() => concurrency + Math.min(concurrency, ahead()))
  /** Once an animal was added there, it is no wrong address that answers with 404, 501 or a redirect. */
  let isAddressRight = journal.states.added > 0

  const work = async () => {
    for (;;) {
      const behind = options.isBehind()
      if (behind !== undefined) await stopping.untilStopped(behind)
      const coming = feed.next()
      const row = coming instanceof Promise ? await coming : coming
      if (row === undefined) return
      if ('problem' in row) end({ row, outcome: 'invalid', message: row.problem })
      else await take(row, row.pet)
    }
  }

  /** An end that changes what the journal knows is told of once it is on disk. */
  const end = (rowEnd: RowEnd, entry?: 'added' | 'free' | 'doubtful') => {
    if (options.stopOnError && isError(rowEnd.outcome)) stopping.stop(stopped(rowEnd))
    if (entry === undefined) return options.report(rowEnd)
    journal.settle(rowEnd.row.piece.number, entry, rowEnd.id, () => options.report(rowEnd))
  }

  const take = async (row: Row, pet: NewPet) => {
    const known = journal.states.of(row.piece.number)
    if (known === 'added') return end({ row, outcome: 'skipped' })
    if (known === 'doubtful' && !options.resendDoubtful) {
      // It stops nothing, or `--stop-on-error` would never come past it.
      return options.report({ row, outcome: 'doubtful', message: leftInDoubt })
    }
    for (let isDone = false; !isDone; ) {
      const pause = pace.turn()
      if (pause !== undefined) await pause
      if (stopping.signal.aborted) return
      isDone = await attempt(row, pet)
    }
  }

  /** False where the row is to be sent again. */
  const attempt = async (row: Row, pet: NewPet): Promise<boolean> => {
    const room = written.take()
    if (room !== undefined) await room
    try {
      if (stopping.signal.aborted) return true
      const begun = performance.now()
      await journal.intend(row.piece.number)
      writingTime.add(performance.now() - begun)
      const place = underWay.take()
      if (place !== undefined) await place
      try {
        return await sendIntended(row, pet)
      } finally {
        underWay.giveBack()
      }
    } finally {
      written.giveBack()
    }
  }

  const sendIntended = async (row: Row, pet: NewPet): Promise<boolean> => {
    // A pause that began meanwhile is for this row too.
    if (stopping.signal.aborted || pace.turn() !== undefined) {
      journal.settle(row.piece.number, 'free')
      return stopping.signal.aborted
    }
    const sentAt = performance.now()
    try {
      const { id } = await send(pet)
      sendingTime.add(performance.now() - sentAt)
      end({ row, outcome: 'added', id }, 'added')
      isAddressRight = true
      pace.goOn()
      return true
    } catch (error) {
      return endFailed(row, error instanceof Failure ? error : unexpected(error), sentAt)
    }
  }

  const endFailed = (row: Row, failure: Failure, sentAt: number): boolean => {
    const { code, message, status } = failure
    const isCutOff = code === 'interrupted' && !stopping.isUnstarted(failure)
    if (code === 'in-doubt' || code === 'unexpected' || isCutOff) {
      end({ row, outcome: 'doubtful', message, status }, 'doubtful')
      if (code === 'unexpected') stopping.stop(failure)
      return true
    }
    if (code === 'rejected' || (isAddressRight && isOfOneRow(failure))) {
      end({ row, outcome: 'rejected', message, status }, 'free')
      pace.goOn()
      return true
    }
    journal.settle(row.piece.number, 'free')
    if (code === 'interrupted') return true
    if (failure.isRetryable && pace.slowDown(failure, sentAt)) return false
    stopping.stop(failure)
    return true
  }

  const workers = Array.from({ length: concurrency * 2 }, () =>
    work().catch((error: unknown) => {
      stopping.stop(error instanceof Failure ? error : unexpected(error))
    }),
  )
  await Promise.all(workers)
  await journal.finish().catch((error: Failure) => stopping.stop(error))
  await rows.return(undefined).catch(() => {})
}

const leftInDoubt = 'it was on its way when an earlier run ended, or its outcome was lost'

const isError = (outcome: Outcome) => outcome === 'rejected' || outcome === 'invalid' || outcome === 'doubtful'

/** A refusal that may well be about what is in the row, and nothing was added by it. */
const isOfOneRow = ({ code, status, isRetryable }: Failure) =>
  status !== undefined && !isRetryable && (code === 'not-found' || code === 'service')

function stopped({ row, message }: RowEnd): Failure {
  return new Failure('partial', `line ${row.piece.line}: ${message}`)
}

function unexpected(cause: unknown): Failure {
  return new Failure(
    'unexpected',
    `this is a fault of petstore: ${cause instanceof Error ? cause.message : cause}; please report it, with its version`,
    {
      hint: 'petstore --version',
      cause,
    },
  )
}
