import { asFailure, Failure } from '../failure.ts'
import { duration } from '../model/quantities.ts'
import type { NewPet, Pet } from '../model/schema.ts'
import type { Journal } from './journal.ts'
import type { Pace } from './pace.ts'
import type { RowResult } from './results.ts'
import type { ImportRow, SendableRow } from './rows.ts'
import type { Shutdown } from './shutdown.ts'

interface EngineOptions {
  readonly batches: AsyncGenerator<readonly ImportRow[]>
  readonly journal: Journal
  /** Sends the row once. */
  readonly send: (pet: NewPet) => Promise<Pet>
  readonly pace: Pace
  readonly concurrency: number
  /** Whether a row that earlier runs left doubtful is sent again. */
  readonly isResent: (number: number) => boolean
  readonly stopOnError?: boolean | undefined
  readonly shutdown: Shutdown
  readonly notice: (code: string, message: string) => Promise<void>
}

/** Sends the rows, several at a time, and yields their results once they are on disk. */
export async function* sendRows(options: EngineOptions): AsyncGenerator<readonly RowResult[]> {
  const { batches, concurrency, shutdown, stopOnError } = options
  const rows = each(batches)
  let finished: RowResult[] = []
  let working = concurrency
  let wakeUp = () => {}
  const work = async () => {
    try {
      while (!shutdown.signal.aborted) {
        const { value: row, done } = await rows.next()
        if (done) break
        const result = await finish(row, options)
        if (result === undefined) continue
        finished.push(result)
        if (stopOnError && ['invalid', 'rejected', 'doubtful'].includes(result.outcome))
          shutdown.begin(new Failure('partial', `row ${row.raw.number}: ${result.message}`))
        wakeUp()
      }
    } catch (error) {
      shutdown.begin(asFailure(error))
    } finally {
      working -= 1
      wakeUp()
    }
  }
  for (let index = 0; index < concurrency; index += 1) void work()
  try {
    while (working > 0 || finished.length > 0) {
      if (finished.length === 0)
        await new Promise<void>(resolve => {
          wakeUp = resolve
        })
      const results = finished
      finished = []
      if (results.length > 0) yield results
    }
  } finally {
    // The consumer may stop early.
    shutdown.begin(new Failure('interrupted', 'the import was abandoned'))
  }
}

async function* each<Item>(batches: AsyncIterable<readonly Item[]>) {
  for await (const batch of batches) yield* batch
}

const leftDoubtful = 'it was being sent when an earlier run ended, or its outcome was lost'

/** Sends a row that needs it. Undefined if the import ends before it can be sent. */
async function finish(row: ImportRow, options: EngineOptions): Promise<RowResult | undefined> {
  if ('problem' in row) return { row, outcome: 'invalid', message: row.problem }
  const { journal, isResent } = options
  const { number } = row.raw
  const state = journal.stateOf(number)
  if (state === 'added') return { row, outcome: 'skipped' }
  const wasDoubtful = state === 'sent' || state === 'doubtful'
  if (wasDoubtful && !isResent(number)) return { row, outcome: 'doubtful', message: leftDoubtful }
  return sendRow(row, wasDoubtful, options)
}

async function sendRow(
  row: SendableRow,
  wasDoubtful: boolean,
  { journal, send, pace, shutdown, notice }: EngineOptions
): Promise<RowResult | undefined> {
  const { number } = row.raw
  for (;;) {
    // Before its turn, so that writes do not make bursts of requests.
    await journal.record(number, 'sent')
    await pace.turn(shutdown.signal).catch(() => {})
    if (shutdown.signal.aborted) {
      await journal.record(number, wasDoubtful ? 'doubtful' : 'free')
      return undefined
    }
    const sentAt = performance.now()
    const end = await send(row.pet).catch(asFailure)
    if (!(end instanceof Failure)) {
      pace.succeeded()
      await journal.record(number, 'added', end.id)
      return { row, outcome: 'added', id: end.id }
    }
    const { code, status, message, isRetryable } = end
    const isUnstarted = end === shutdown.cutOff.reason
    const isDoubtful =
      ['in-doubt', 'unexpected'].includes(code) || (code === 'interrupted' && !isUnstarted)
    await journal.record(number, isDoubtful || wasDoubtful ? 'doubtful' : 'free')
    if (code === 'rejected') {
      pace.succeeded()
      return { row, outcome: 'rejected', message, status }
    }
    const decision = isDoubtful || isRetryable ? pace.failed(end, sentAt) : 'end'
    if (decision === 'end') shutdown.begin(end)
    else if (decision !== undefined) {
      const [problem] = message.split('; ', 1)
      await notice('waiting', `${problem}; continuing in ${duration(decision)}`)
    }
    if (isDoubtful) return { row, outcome: 'doubtful', message, status }
  }
}
