import { asFailure, type Failure } from '../failure.ts'
import type { ImportBatch, ImportPause, RowResult } from './results.ts'
import type { ImportRow } from './rows.ts'

/** Lets a loop wait until something has happened since its last turn. */
interface Signal {
  notify(): void
  wait(): Promise<void>
}

export function createSignal(): Signal {
  let hasHappened = false
  let resolve: (() => void) | undefined
  return {
    notify() {
      hasHappened = true
      resolve?.()
    },
    async wait() {
      if (!hasHappened) {
        await new Promise<void>((resolveWait) => {
          resolve = resolveWait
        })
      }
      hasHappened = false
    },
  }
}

/** Results that the consumer has not taken yet. While it is full, no rows are read. */
interface Outbox {
  push(result: RowResult): void
  pause(pause: ImportPause): void
  isFull(): boolean
  end(): void
  hasEnded(): boolean
  batches(): AsyncGenerator<ImportBatch>
}

const mostUntaken = 1000

export function createOutbox(onTaken: () => void): Outbox {
  const signal = createSignal()
  let results: RowResult[] = []
  let pause: ImportPause | undefined
  let hasEnded = false
  return {
    push(result) {
      results.push(result)
      signal.notify()
    },
    pause(begun) {
      pause = begun
      signal.notify()
    },
    isFull: () => results.length >= mostUntaken,
    end() {
      hasEnded = true
      signal.notify()
    },
    hasEnded: () => hasEnded,
    async *batches() {
      for (;;) {
        if (results.length > 0 || pause !== undefined) {
          const batch: ImportBatch = { results, pause }
          results = []
          pause = undefined
          onTaken()
          yield batch
        } else if (hasEnded) {
          return
        } else {
          await signal.wait()
        }
      }
    },
  }
}

/** The rows of all batches, one by one, without waiting. */
interface RowSource {
  /** Undefined if the next batch has not arrived, or there is none. */
  take(): ImportRow | undefined
  hasEnded(): boolean
}

export function createRowSource(
  batches: AsyncGenerator<readonly ImportRow[]>,
  { notify, onFailure }: { notify: () => void; onFailure: (failure: Failure) => void },
): RowSource {
  let batch: readonly ImportRow[] = []
  let index = 0
  let isLoading = false
  let hasEnded = false
  const load = async () => {
    try {
      const { done, value } = await batches.next()
      if (done) hasEnded = true
      batch = done ? [] : value
      index = 0
    } catch (error) {
      hasEnded = true
      onFailure(asFailure(error))
    }
    isLoading = false
    notify()
  }
  return {
    take() {
      const row = batch[index]
      if (row !== undefined) {
        index += 1
        return row
      }
      if (!hasEnded && !isLoading) {
        isLoading = true
        void load()
      }
      return undefined
    },
    hasEnded: () => hasEnded && index >= batch.length,
  }
}
