import { type Dispatcher, EnvHttpProxyAgent, interceptors, request } from 'undici'
import type { Reply, Transport } from '../model/exchange.ts'
import { errorCode } from '../platform/errno.ts'
import { kindOf, TransportFault } from './transport-fault.ts'

/** The maximum size of a reply, both as sent and decompressed. */
const largestReply = 32 * 1024 * 1024

interface NetworkOptions {
  /** The limit for one attempt, including connecting. */
  readonly timeoutSeconds: number
  /** Ends every attempt at once; its reason becomes the cause of the fault. */
  readonly signal: AbortSignal
  readonly userAgent: string
}

/** Requests over the network, through the proxies of the environment. Rejects with a fault. */
export function createNetworkTransport(options: NetworkOptions): Transport {
  const { timeoutSeconds, signal, userAgent } = options
  const timeout = Math.min(timeoutSeconds * 1000, 2 ** 31 - 1)
  const proxies = new EnvHttpProxyAgent({
    maxResponseSize: largestReply,
    headersTimeout: 0,
    bodyTimeout: 0,
    connect: { timeout }
  })
  const dispatcher = proxies.compose(interceptors.decompress())
  return {
    send: async ({ url, method, headers, body = null }) => {
      let isStarted = false
      const deadline = AbortSignal.timeout(timeout)
      // Called immediately before bytes of the request may be written.
      const observed = dispatcher.compose(dispatch => (target, handler) => {
        const start = handler.onRequestStart?.bind(handler)
        handler.onRequestStart = (...given) => {
          isStarted = true
          start?.(...given)
        }
        return dispatch(target, handler)
      })
      let head: Omit<Reply, 'body'> | undefined
      try {
        const reply = await request(url, {
          dispatcher: observed,
          method: method as Dispatcher.HttpMethod,
          headers: { 'user-agent': userAgent, ...headers },
          body,
          signal: AbortSignal.any([signal, deadline])
        })
        head = { status: reply.statusCode, headers: reply.headers }
        return { ...head, body: new Uint8Array(await reply.body.arrayBuffer()) }
      } catch (cause) {
        const kind = signal.aborted
          ? 'aborted'
          : deadline.aborted
            ? 'timeout'
            : kindOf(cause, isStarted)
        throw new TransportFault(kind, {
          isStarted,
          head,
          seconds: timeoutSeconds,
          cause: signal.aborted ? signal.reason : cause,
          detail: errorCode(cause)
        })
      }
    },
    close: () => dispatcher.destroy()
  }
}
