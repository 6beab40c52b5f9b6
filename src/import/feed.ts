import type { Row } from './rows.ts'

/** Hands the rows out one by one, to whoever asks, in their order. */
export interface Feed {
  /** Undefined once there are no more, or no more are wanted. */
  next(): Promise<Row | undefined> | Row | undefined
}

export function createFeed(batches: AsyncIterator<readonly Row[]>, signal: AbortSignal): Feed {
  let batch: readonly Row[] = []
  let index = 0
  let isOver = false
  let loading: Promise<void> | undefined
  // Whoever waits for a pipe that nothing comes through must not wait any longer than anybody wants to know.
  const unwanted = new Promise<void>((resolve) => {
    if (signal.aborted) resolve()
    signal.addEventListener('abort', () => resolve(), { once: true })
  })

  const load = async () => {
    const { done, value } = await batches.next()
    if (done) isOver = true
    batch = done ? [] : value
    index = 0
    loading = undefined
  }

  const next = (): Promise<Row | undefined> | Row | undefined => {
    if (signal.aborted) return undefined
    const row = batch[index]
    if (row !== undefined) {
      index += 1
      return row
    }
    if (isOver) return undefined
    loading ??= load()
    return Promise.race([loading, unwanted]).then(next)
  }
  return { next }
}
