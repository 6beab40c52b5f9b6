import type { ImportBatch, ImportPause, RowResult } from './results.ts'

/** Lets a loop wait until something has happened since its last turn. */
export function createSignal() {
  let hasHappened = false
  let resolve = () => {}
  return {
    notify() {
      hasHappened = true
      resolve()
    },
    async wait(): Promise<void> {
      const happening = new Promise<void>((resolveWait) => {
        resolve = resolveWait
      })
      if (!hasHappened) await happening
      hasHappened = false
    },
  }
}

const mostUntaken = 1000

/** Results that the consumer has not taken yet. While it is full, no rows are read. */
export function createOutbox(onTaken: () => void) {
  const signal = createSignal()
  let results: RowResult[] = []
  let pause: ImportPause | undefined
  let hasEnded = false
  return {
    push(result: RowResult) {
      results.push(result)
      signal.notify()
    },
    pause(begun: ImportPause) {
      pause = begun
      signal.notify()
    },
    isFull: () => results.length >= mostUntaken,
    end() {
      hasEnded = true
      signal.notify()
    },
    hasEnded: () => hasEnded,
    async *batches(): AsyncGenerator<ImportBatch> {
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
