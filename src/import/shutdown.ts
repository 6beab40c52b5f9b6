import { setMaxListeners } from 'node:events'
import { Failure } from '../failure.ts'
import { describeSystemError, systemFailure } from '../system/errno.ts'
import { sqliteErrorKind } from '../system/sqlite.ts'

/**
 * How long requests in flight may take after Ctrl-C; the rest of one second is for recording their
 * outcomes.
 */
const requestGraceMilliseconds = 500

/** How an import ends: first no more rows, then no more requests, and then what was opened closes. */
export class Shutdown {
  readonly #stopper = new AbortController()
  /** Aborted when no more rows are to be sent, with the reason. */
  readonly signal = this.#stopper.signal
  /** Aborted when requests in flight have to end. */
  readonly cutOff: AbortSignal
  /** What `close` does, the latest first. After an error, the end of the process does the rest. */
  readonly closers: (() => void)[] = []

  constructor(interruption: AbortSignal) {
    const cutter = new AbortController()
    const cut = () => cutter.abort(interruption.reason)
    const end = () => {
      this.begin(interruption.reason)
      setTimeout(cut, requestGraceMilliseconds).unref()
    }
    if (interruption.aborted) end()
    else interruption.addEventListener('abort', end)
    this.cutOff = cutter.signal
    // Many rows wait at once.
    setMaxListeners(0, this.signal, this.cutOff)
  }

  /** Requests in flight finish, and their outcomes are recorded. Only the first reason counts. */
  readonly begin = (error: unknown): void => this.#stopper.abort(importFailure(error))

  readonly close = (): void => {
    try {
      for (const close of this.closers.splice(0).reverse()) close()
    } catch (error) {
      this.begin(error)
    }
  }
}

/** Errors of SQLite and the system, as the failure of an import. */
export function importFailure(error: unknown): unknown {
  const problem = 'the journal cannot be read or written'
  if (sqliteErrorKind(error) === undefined) return systemFailure(error, 'local', problem)
  return new Failure('local', `${problem}: ${describeSystemError(error)}`, { cause: error })
}
