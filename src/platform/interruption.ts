import { setMaxListeners } from 'node:events'
import { Failure } from '../failure.ts'
import type { Host } from './host.ts'
import { nextTurn, once, pause, settledOrAborted } from './promises.ts'

/** How long a command may take after Ctrl-C to report the state of its work. */
const graceMilliseconds = 150

/** A turn of the event loop that takes less time has run no callback of importance. */
const quietTurnMilliseconds = 0.1

/** Limits the wait on a busy machine, where no turn may be quiet. */
const mostTurns = 20

/** SIGINT, SIGTERM and uncaught errors during a run. */
export type Interruption = ReturnType<typeof listenForInterruption>

export function listenForInterruption(host: Host) {
  // Created at first use: it loads a module of Node that most short runs do not need.
  const controller = once(() => {
    const created = new AbortController()
    // Many requests at once each wait for it.
    setMaxListeners(0, created.signal)
    return created
  })
  let giveUp: (error: unknown) => void = () => {}
  const ending = new Promise<never>((_, reject) => {
    giveUp = reject
  })
  // It may reject when the run no longer waits for it.
  ending.catch(() => {})
  const stopCatching = host.onCrash(giveUp)
  let grace: NodeJS.Timeout | undefined
  const listen = () =>
    host.onSignal(signal => {
      if (controller().signal.aborted) return
      const failure =
        signal === 'SIGINT'
          ? new Failure('interrupted', 'interrupted')
          : new Failure('interrupted', 'terminated', { exitCode: 143 })
      controller().abort(failure)
      grace = setTimeout(() => {
        if (!interruption.isHeld) giveUp(failure)
      }, graceMilliseconds)
    })
  let removeListener = listen()

  const interruption = {
    /** Aborted by the first of them. The reason is the failure that ends the run. */
    get signal() {
      return controller().signal
    },
    /**
     * Rejects some time after the signal, so that a command that cannot stop does not block the
     * run; and with an uncaught error, thrown in a callback or in a promise without a handler, so
     * that it is reported like any other, with keys masked.
     */
    ending,
    /** Set by a command if a signal is its normal end, without an error message. */
    isExpected: false,
    /** Set by a command that ends by itself: there is no deadline. */
    isHeld: false,
    /**
     * Waits for a write; after a signal only for a moment, because its reader may have stopped
     * reading.
     */
    waitFor: async (write: Promise<void>) => {
      const { signal } = controller()
      await settledOrAborted(write, signal)
      if (signal.aborted) await Promise.race([write, pause(graceMilliseconds)])
    },
    /**
     * Gives signals their default effect while work blocks the event loop and no listener would
     * run.
     */
    released: async <Value>(work: () => Promise<Value>): Promise<Value> => {
      await arrivedSignals()
      // A command that ends by itself still has to report the state of its work.
      if (!interruption.isHeld) controller().signal.throwIfAborted()
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
    /** After it, an uncaught error ends the process. */
    stopCatching
  }
  return interruption
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
