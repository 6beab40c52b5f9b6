import type { Stopping } from './engine.ts'
import type { Row } from './rows.ts'

/** Hands the rows out one by one, to whoever asks, in their order. */
export interface Feed {
  /** Undefined once there are no more, or no more are wanted. */
  next(): Promise<Row | undefined> | Row | undefined
}

export function createFeed(
  batches: AsyncIterator<readonly Row[]>,
  { signal, untilStopped }: Pick<Stopping, 'signal' | 'untilStopped'>,
): Feed {
  let batch: readonly Row[] = []
  let index = 0
  let isOver = false
  let loading: Promise<void> | undefined
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
    // Nobody waits for a pipe that nothing comes through once no more is wanted.
    loading ??= untilStopped(load())
    return loading.then(next)
  }
  return { next }
}
