import type { Dispatcher } from 'undici'
import { isSuccess, type Reply } from '../model/exchange.ts'
import { uptime } from '../system/promises.ts'
import { type FaultDetails, type FaultKind, faultFrom, TransportFault } from './transport-fault.ts'

interface AttemptOptions {
  readonly timeoutSeconds: number
  readonly signal: AbortSignal
  readonly proxy: FaultDetails['proxy']
}

/**
 * One attempt at a request: it ends with a complete reply, a fault, the deadline or the signal,
 * whichever comes first. undici calls its `on` methods.
 */
export class Attempt implements Dispatcher.DispatchHandler {
  readonly reply: Promise<Reply>
  readonly #options: AttemptOptions
  readonly #end: number
  readonly #timer: NodeJS.Timeout
  readonly #chunks: Uint8Array[] = []
  #resolve: (reply: Reply) => void = () => {}
  #reject: (error: unknown) => void = () => {}
  #controller: Dispatcher.DispatchController | undefined
  #head: Pick<Reply, 'status' | 'headers'> | undefined
  #isStarted = false
  #isOver = false

  constructor(options: AttemptOptions) {
    this.#options = options
    const { timeoutSeconds, signal } = options
    this.#end = uptime() + timeoutSeconds
    this.reply = new Promise((resolve, reject) => {
      this.#resolve = resolve
      this.#reject = reject
    })
    // A reply may have arrived while the process was suspended. One more turn of the event loop
    // reads it.
    const end = () => setImmediate(this.#endByDeadline)
    this.#timer = setTimeout(end, timeoutSeconds * 1000)
    if (signal.aborted) this.#abort()
    else signal.addEventListener('abort', this.#abort)
  }

  /** Called immediately before bytes of the request may be written. */
  onRequestStart(controller: Dispatcher.DispatchController): void {
    // undici ignores deadline and signal while it connects, and so does a process that is
    // suspended.
    if (uptime() >= this.#end) this.#endByDeadline()
    this.#controller = controller
    if (this.#isOver) controller.abort(new Error('the attempt is over'))
    else this.#isStarted = true
  }

  onResponseStart(
    _: Dispatcher.DispatchController,
    status: number,
    headers: Reply['headers']
  ): void {
    if (status >= 200) this.#head = { status, headers }
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Uint8Array): void {
    this.#chunks.push(chunk)
  }

  onResponseEnd(): void {
    if (this.#head === undefined) return
    this.#finish()
    this.#resolveWith(this.#head)
  }

  onResponseError(_: Dispatcher.DispatchController, cause: Error): void {
    this.#fail(cause)
  }

  readonly #abort = () => this.#fail(this.#options.signal.reason, 'aborted')

  readonly #endByDeadline = () => this.#fail(undefined, 'timeout')

  #resolveWith(head: Pick<Reply, 'status' | 'headers'>) {
    this.#resolve({ ...head, body: Buffer.concat(this.#chunks) })
  }

  #fail(cause: unknown, kind?: FaultKind) {
    if (this.#isOver) return
    this.#finish()
    // Otherwise a body without end would keep the connection from other requests.
    this.#controller?.abort(new Error('the attempt is over'))
    const head = this.#head
    // The status of a refusal is enough, however its body ends.
    if (head !== undefined && !isSuccess(head) && kind !== 'aborted') return this.#resolveWith(head)
    const { timeoutSeconds, proxy } = this.#options
    const details = { isStarted: this.#isStarted, timeoutSeconds, proxy, cause }
    this.#reject(kind === undefined ? faultFrom(details) : new TransportFault(kind, details))
  }

  #finish() {
    this.#isOver = true
    clearTimeout(this.#timer)
    this.#options.signal.removeEventListener('abort', this.#abort)
  }
}
