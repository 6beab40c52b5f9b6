import { Failure } from '../failure.ts'
import type { Host, Signal } from './host.ts'

/** How long a command may take after Ctrl-C to report what became of its work. */
const graceMilliseconds = 150

/** SIGINT and SIGTERM during a run. */
export interface Interruption {
  /** Aborted by the first of them. The reason is the failure that ends the run. */
  readonly signal: AbortSignal
  /** Rejects some time after the signal, so that a command that cannot stop does not block the run. */
  readonly deadline: Promise<never>
  /** States that Ctrl-C is how the command ends, which needs no error message. */
  expect(): void
  readonly isExpected: boolean
  /** Cancels the deadline: the command ends by itself, in its own time. */
  hold(): void
  /** Gives signals their default effect while work blocks the event loop and no listener would run. */
  released<Value>(work: () => Promise<Value>): Promise<Value>
  stop(): void
}

export function listenForInterruption(host: Host): Interruption {
  let controller: AbortController | undefined
  // Created at first use: it loads a module of Node that most short runs do not need.
  const aborting = () => {
    controller ??= new AbortController()
    return controller
  }
  let isHeld = false
  let isExpected = false
  const { promise: deadline, reject: giveUp } = promiseOfFailure()
  let grace: NodeJS.Timeout | undefined
  const listen = () =>
    host.onSignal((signal: Signal) => {
      if (aborting().signal.aborted) return
      const failure = new Failure('interrupted', signal === 'SIGINT' ? 'interrupted' : 'terminated', { signal })
      aborting().abort(failure)
      grace = setTimeout(() => {
        if (!isHeld) giveUp(failure)
      }, graceMilliseconds)
    })
  let removeListener = listen()

  return {
    get signal() {
      return aborting().signal
    },
    deadline,
    expect: () => {
      isExpected = true
    },
    get isExpected() {
      return isExpected
    },
    hold: () => {
      isHeld = true
    },
    released: async (work) => {
      // A signal that has arrived reaches its listener when the event loop turns. Without the listener it would be lost.
      await new Promise((resolve) => setImmediate(resolve))
      // A command that ends by itself still has to report what became of its work.
      if (!isHeld) aborting().signal.throwIfAborted()
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

/** An error that no code caught: thrown in a callback, or in a promise without a handler. */
interface Crash {
  /** Rejects with the error, so that it is reported like any other, with keys masked. */
  readonly happened: Promise<never>
  stop(): void
}

export function listenForCrash(host: Host): Crash {
  const { promise: happened, reject } = promiseOfFailure()
  return { happened, stop: host.onCrash(reject) }
}

/** It may reject when the run no longer waits for it, so that is no unhandled rejection. */
function promiseOfFailure() {
  let reject: (error: unknown) => void = () => {}
  const promise = new Promise<never>((_, rejectPromise) => {
    reject = rejectPromise
  })
  promise.catch(() => {})
  return { promise, reject }
}
