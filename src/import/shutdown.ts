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
  /** Aborted when no more rows are to be sent, with the Failure that is the reason. */
  readonly signal: AbortSignal
  /** Aborted when requests in flight have to end. */
  readonly cutOff: AbortSignal

  constructor(interruption: AbortSignal) {
    const cutter = new AbortController()
    const cut = () => cutter.abort(interruption.reason)
    interruption.addEventListener('abort', () => setTimeout(cut, requestGraceMilliseconds).unref())
    this.signal = AbortSignal.any([interruption, this.#stopper.signal])
    this.cutOff = cutter.signal
    // Many rows wait at once.
    setMaxListeners(0, this.signal, this.cutOff)
  }

  /** Only the first reason counts. */
  readonly begin = (reason: Failure): void => this.#stopper.abort(reason)
}
