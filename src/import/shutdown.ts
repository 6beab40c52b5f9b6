import { setMaxListeners } from 'node:events'
import type { Failure } from '../failure.ts'

/**
 * How long requests in flight may take after Ctrl-C; the rest of one second is for recording their
 * outcomes.
 */
const requestGraceMilliseconds = 500

/** The early end of an import. */
export class Shutdown {
  readonly #stopper = new AbortController()
  readonly #cutter = new AbortController()
  /** Aborted when no more rows are to be sent, with the Failure that is the reason. */
  readonly signal = this.#stopper.signal
  /** Aborted when requests in flight have to end. */
  readonly cutOff = this.#cutter.signal

  constructor(interruption: AbortSignal) {
    // Many rows wait at once.
    setMaxListeners(0, this.signal, this.cutOff)
    const interrupt = () => {
      const { reason } = interruption
      this.begin(reason)
      setTimeout(() => this.#cutter.abort(reason), requestGraceMilliseconds).unref()
    }
    if (interruption.aborted) interrupt()
    else interruption.addEventListener('abort', interrupt, { once: true })
  }

  /** Only the first reason counts. */
  readonly begin = (reason: Failure): void => this.#stopper.abort(reason)
}
