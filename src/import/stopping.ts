import { setMaxListeners } from 'node:events'
import type { Failure } from '../failure.ts'
import type { Stopping } from './engine.ts'

/** How long requests that are under way at Ctrl-C have to come to their end; the rest of a second is for writing it down. */
const graceMilliseconds = 500

interface StoppingParts extends Stopping {
  /** Aborted where what is under way has no more time. */
  readonly cutOff: AbortSignal
  /** Nothing is under way any more. */
  done(): void
}

export function createStopping(interruption: AbortSignal): StoppingParts {
  const stopper = new AbortController()
  // Every row that waits for a slow reader listens to it; without this Node suspects a leak.
  setMaxListeners(0, stopper.signal)
  const cutter = new AbortController()
  let reason: Failure | undefined
  let timer: NodeJS.Timeout | undefined

  const stop = (failure: Failure) => {
    reason ??= failure
    stopper.abort(reason)
  }
  const interrupt = () => {
    stop(interruption.reason as Failure)
    timer = setTimeout(() => cutter.abort(interruption.reason), graceMilliseconds)
  }
  if (interruption.aborted) interrupt()
  else interruption.addEventListener('abort', interrupt, { once: true })

  return {
    signal: stopper.signal,
    untilStopped: (awaited) => settledOrAborted(awaited, stopper.signal),
    cutOff: cutter.signal,
    reason: () => reason,
    stop,
    isUnstarted: (failure) => failure === interruption.reason,
    done() {
      clearTimeout(timer)
      interruption.removeEventListener('abort', interrupt)
    },
  }
}

/** Not by `Promise.race`: a promise that is raced again and again, and never settles, keeps all that it was raced with. */
function settledOrAborted(awaited: Promise<void>, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const goOn = () => resolve()
    if (signal.aborted) return resolve()
    signal.addEventListener('abort', goOn, { once: true })
    awaited.then(resolve, reject).finally(() => signal.removeEventListener('abort', goOn))
  })
}
