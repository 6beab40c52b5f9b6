import type { Dispatcher } from 'undici'
import type { Reply } from '../model/exchange.ts'
import type { InFlight } from '../platform/in-flight.ts'
import { ReceivedBody } from '../platform/received-body.ts'
import {
  type AttemptPhase,
  type FaultKind,
  faultKindOf,
  ProxyError,
  type ReplyHead,
  TransportFault
} from './transport-fault.ts'
import type { NetworkRoute } from './transport-proxy.ts'

/** The maximum size of a reply, both as sent and decompressed. */
export const largestReply = 32 * 1024 * 1024

interface AttemptOptions {
  readonly route: NetworkRoute
  readonly request: Dispatcher.DispatchOptions
  readonly timeout: number
  readonly signal: AbortSignal | undefined
  /** Whether a name lookup has no answer yet. */
  readonly isLookingUp: () => boolean
  /** The functions that end each attempt early. */
  readonly inFlight: InFlight<() => void>
}

/**
 * One attempt at a request: it ends with a complete reply, a fault, the deadline or the signal,
 * whichever comes first.
 */
export function attempt(options: AttemptOptions): Promise<Reply> {
  return new Promise((resolve, reject) => new Attempt(options, { resolve, reject }).start())
}

interface Ending {
  resolve(reply: Reply): void
  reject(fault: TransportFault): void
}

/** Connecting, waiting for the head of the reply, receiving its body, over. */
type Phase = AttemptPhase | 'over'

/** undici calls the methods of this handler as the request proceeds. */
class Attempt implements Dispatcher.DispatchHandler {
  readonly #options: AttemptOptions
  readonly #ending: Ending
  readonly #body = new ReceivedBody()
  /** Back to the first where it is certain that the service has not got the request. */
  #phase: Phase = 'connecting'
  #deadline: NodeJS.Timeout | undefined
  #leaveInFlight = () => {}
  #controller: Dispatcher.DispatchController | undefined
  #head: ReplyHead | undefined

  constructor(options: AttemptOptions, ending: Ending) {
    this.#options = options
    this.#ending = ending
  }

  start(): void {
    const { route, request, timeout, signal, inFlight } = this.#options
    // A reply may have arrived while the process was suspended. One more turn of the event loop
    // reads it.
    this.#deadline = setTimeout(() => setImmediate(() => this.#onDeadline()), timeout)
    // undici ignores signals while it connects. So the transport calls this when the signal aborts,
    // and the connection goes on: if it succeeds, `onRequestStart` sends nothing on it. Closing the
    // transport ends it, too.
    this.#leaveInFlight = inFlight.add(() => this.#abort())
    if (signal?.aborted) {
      this.#abort()
      return
    }
    try {
      route.dispatcher.dispatch(request, this)
    } catch (cause) {
      this.#fail('unsendable', cause)
    }
  }

  /** Called immediately before bytes of the request may be written; aborting here prevents that. */
  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller
    if (this.#phase === 'over')
      controller.abort(new TransportFault('aborted', { phase: 'connecting' }))
    else this.#phase = 'waiting'
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: Reply['headers']
  ): void {
    const { route, request } = this.#options
    if (this.#phase === 'over' || status < 200) return
    if (route.isForwarded && route.proxy !== undefined && status === 407) {
      // Only the proxy itself replies with this status, and it has not sent the request on.
      this.#phase = 'connecting'
      this.#fail('proxy-login', new ProxyError(route.proxy, { status }))
      return
    }
    this.#phase = 'receiving'
    this.#head = { status, headers }
    const hasBody = request.method !== 'HEAD' && status !== 204 && status !== 304
    // Without a body the reply is complete now; its headers about a body do not apply.
    if (!hasBody) this.#succeed({ status, headers, body: new Uint8Array() })
    // undici counts only the bytes that arrive; a reply that announces too many need not be read.
    else if (Number(headers['content-length']) > largestReply) this.#fail('too-large')
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Uint8Array): void {
    if (this.#phase !== 'over') this.#body.add(chunk)
  }

  onResponseEnd(): void {
    if (this.#phase === 'over' || this.#head === undefined) return
    const { status, headers } = this.#head
    // Copying the head with a spread would take 3 % of the time of an import.
    const reply = { status, headers, body: this.#body.joined() }
    const { 'content-encoding': encoding } = headers
    if (encoding === undefined) this.#succeed(reply)
    else void this.#decompress(reply, encoding)
  }

  onResponseError(_controller: Dispatcher.DispatchController, cause: Error): void {
    if (this.#phase === 'over') return
    const kind = faultKindOf(cause, this.#phase)
    // The handshake failed at the server, so it has not read the request.
    if (kind === 'client-certificate') this.#phase = 'connecting'
    // undici's own connect timeout ends at the same time, and its error says less.
    if (kind === 'timeout') this.#onDeadline()
    else this.#fail(kind, cause)
  }

  /**
   * The attempt is not over yet: a small body may become a large one, or take long. So the deadline
   * and the signal still end it, and whatever comes out later is ignored.
   */
  async #decompress(reply: Reply, encoding: string | string[]): Promise<void> {
    try {
      const { decompressed } = await import('./decompression.ts')
      this.#succeed(await decompressed(reply, encoding, largestReply))
    } catch (error) {
      this.#fail(faultKindOf(error, 'receiving'))
    }
  }

  #onDeadline(): void {
    if (this.#phase !== 'connecting') {
      this.#fail('timeout')
      return
    }
    const { route, isLookingUp } = this.#options
    const kind = isLookingUp() ? 'lookup-timeout' : 'timeout'
    this.#fail(kind, route.proxy && new ProxyError(route.proxy))
  }

  #abort(): void {
    this.#fail('aborted', this.#options.signal?.reason)
  }

  #succeed(reply: Reply): void {
    if (this.#phase === 'over') return
    this.#finish()
    this.#ending.resolve(reply)
  }

  #fail(kind: FaultKind, cause?: unknown): void {
    const phase = this.#phase
    if (phase === 'over') return
    this.#finish()
    const seconds = this.#options.timeout / 1000
    const fault = new TransportFault(kind, { phase, head: this.#head, seconds, cause })
    this.#controller?.abort(fault)
    this.#ending.reject(fault)
  }

  #finish(): void {
    this.#phase = 'over'
    clearTimeout(this.#deadline)
    this.#leaveInFlight()
  }
}
