import { Failure } from '../failure.ts'
import type { Host, Signal } from './host.ts'

/** How long a command has, after Ctrl-C, to say what became of its work before it is left behind. */
const graceMilliseconds = 150

/** SIGINT and SIGTERM as one event in the life of a run. */
export interface Interruption {
  /** Aborted at the first signal, the failure that ends the run as its reason. */
  readonly signal: AbortSignal
  /** Rejects some time after the signal, so that a command which cannot stop does not hold the run. */
  readonly deadline: Promise<never>
  /** The command ends by itself, in its own time: the deadline does not come. */
  hold(): void
  /** Leaves signals to the system while a work goes on that may keep this program from hearing them. */
  released<Value>(work: () => Promise<Value>): Promise<Value>
  stop(): void
}

export function listenForInterruption(host: Host): Interruption {
  let controller: AbortController | undefined
  // Made at first use: most runs that are over at once never ask for it, and it costs them a module of Node's.
  const aborting = () => {
    controller ??= new AbortController()
    return controller
  }
  let isHeld = false
  let giveUp: (failure: Failure) => void = () => {}
  const deadline = new Promise<never>((_, reject) => {
    giveUp = reject
  })
  // Nobody may be waiting for it any more when it comes.
  deadline.catch(() => {})

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
    hold: () => {
      isHeld = true
    },
    released: async (work) => {
      // Who ends by itself has still to say what became of its work.
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
