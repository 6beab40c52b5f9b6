import { setMaxListeners } from 'node:events'
import { Failure } from '../failure.ts'
import type { Host, Signal } from './host.ts'
import { nextTurn, once, orAborted, pause } from './promises.ts'

/** How long a command may take after Ctrl-C to report the state of its work. */
const graceMilliseconds = 150

/** A turn of the event loop that takes less time has run no callback of importance. */
const quietTurnMilliseconds = 0.1

/** Limits the wait on a busy machine, where no turn may be quiet. */
const mostTurns = 20

/** SIGINT and SIGTERM during a run. */
export interface Interruption {
  /** Aborted by the first of them. The reason is the failure that ends the run. */
  readonly signal: AbortSignal
  /**
   * Rejects some time after the signal, so that a command that cannot stop does not block the run.
   */
  readonly deadline: Promise<never>
  /** States that a signal is the normal end of the command, without an error message. */
  expect(): void
  readonly isExpected: boolean
  /** Cancels the deadline: the command ends by itself, without a time limit. */
  hold(): void
  /**
   * Waits for a write; after a signal only for a moment, because its reader may have stopped
   * reading.
   */
  waitFor(write: Promise<void>): Promise<void>
  /**
   * Gives signals their default effect while work blocks the event loop and no listener would run.
   */
  released<Value>(work: () => Promise<Value>): Promise<Value>
  stop(): void
}

export function listenForInterruption(host: Host): Interruption {
  // Created at first use: it loads a module of Node that most short runs do not need.
  const controller = once(() => {
    const created = new AbortController()
    // Many requests at once each wait for it.
    setMaxListeners(0, created.signal)
    return created
  })
  let isHeld = false
  let isExpected = false
  const { promise: deadline, reject: giveUp } = promiseOfFailure()
  let grace: NodeJS.Timeout | undefined
  const listen = () =>
    host.onSignal((signal: Signal) => {
      if (controller().signal.aborted) return
      const failure =
        signal === 'SIGINT'
          ? new Failure('interrupted', 'interrupted')
          : new Failure('interrupted', 'terminated', { exitCode: 143 })
      controller().abort(failure)
      grace = setTimeout(() => {
        if (!isHeld) giveUp(failure)
      }, graceMilliseconds)
    })
  let removeListener = listen()

  return {
    get signal(): AbortSignal {
      return controller().signal
    },
    deadline,
    expect: () => {
      isExpected = true
    },
    get isExpected(): boolean {
      return isExpected
    },
    hold: () => {
      isHeld = true
    },
    waitFor: (write) => {
      const { signal } = controller()
      return orAborted(write, signal).catch((error: unknown) => {
        if (!signal.aborted) throw error
        return Promise.race([write, pause(graceMilliseconds)])
      })
    },
    released: async <Value>(work: () => Promise<Value>): Promise<Value> => {
      await arrivedSignals()
      // A command that ends by itself still has to report the state of its work.
      if (!isHeld) controller().signal.throwIfAborted()
      removeListener()
      try {
        return await work()
      } finally {
        removeListener = listen()
      }
    },
    stop: () => {
      removeListener()
      clearTimeout(grace)
    },
  }
}

/**
 * A signal that has arrived reaches its listener when the event loop looks for events, and is lost
 * if the listener is removed before. This waits until the loop has looked and found no other work,
 * during which another signal could arrive.
 */
async function arrivedSignals(): Promise<void> {
  // The first turn may end before the loop looks for events, the second one cannot.
  await nextTurn()
  for (let turn = 0; turn < mostTurns; turn++) {
    const start = performance.now()
    await nextTurn()
    if (performance.now() - start < quietTurnMilliseconds) return
  }
}

/** An uncaught error: thrown in a callback, or in a promise without a handler. */
export function listenForCrash(host: Host) {
  // It rejects with the error, so that this is reported like any other, with keys masked.
  const { promise: happened, reject } = promiseOfFailure()
  return { happened, stop: host.onCrash(reject) }
}

/** Marked as handled, because it may reject when the run no longer waits for it. */
function promiseOfFailure() {
  let reject: (error: unknown) => void = () => {}
  const promise = new Promise<never>((_, rejectPromise) => {
    reject = rejectPromise
  })
  promise.catch(() => {})
  return { promise, reject }
}
