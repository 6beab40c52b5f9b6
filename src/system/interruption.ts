import { setMaxListeners } from 'node:events'
import { Failure } from '../failure.ts'
import type { Host, Signal } from './host.ts'
import { once, pause, settledOrAborted } from './promises.ts'

/** How long a command may take after Ctrl-C to report the state of its work. */
const graceMilliseconds = 150

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
  const interruptBy = (signal: Signal) => {
    if (controller().signal.aborted) return
    const failure =
      signal === 'SIGTERM'
        ? new Failure('interrupted', 'terminated', { exitCode: 143 })
        : new Failure('interrupted', 'interrupted')
    controller().abort(failure)
    grace = setTimeout(() => {
      if (!interruption.isHeld) giveUp(failure)
    }, graceMilliseconds)
  }
  const listen = () => host.onSignal(interruptBy)
  let removeListener = listen()

  const interruption = {
    /** Aborted by the first of them. The reason is the failure that ends the run. */
    get signal() {
      return controller().signal
    },
    /** Where a prompt reads the terminal, Ctrl-C is only a key. */
    interrupt: () => interruptBy('SIGINT'),
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
    /** Leaves signals to the system while the work blocks this program, so that Ctrl-C ends it. */
    withoutListening: <Value>(work: () => Value): Value => {
      removeListener()
      try {
        return work()
      } finally {
        removeListener = listen()
      }
    },
    /** After it, signals and uncaught errors end the process. */
    stop: () => {
      removeListener()
      stopCatching()
      clearTimeout(grace)
    }
  }
  return interruption
}
