import { Agent, type Dispatcher } from 'undici'
import { isSuccess, type Reply, type Transport } from '../model/exchange.ts'
import type { Host } from '../system/host.ts'
import { lookupLocalhost } from '../system/loopback.ts'
import { uptime } from '../system/promises.ts'
import { largestJson } from '../text/json.ts'
import { proxyFor } from './proxies.ts'
import { type FaultKind, faultFrom, TransportFault } from './transport-fault.ts'

/**
 * Requests to URLs below one. Rejects with a fault. Nothing is closed: an idle connection keeps no
 * process alive, and a run that ends does not wait for another one.
 */
export async function createNetworkTransport(
  base: string,
  options: {
    /** The limit for one attempt, including connecting. */
    readonly timeoutSeconds: number
    /** Ends every attempt at once; its reason becomes the cause of the fault. */
    readonly signal: AbortSignal
    readonly userAgent: string
    /** The variables that name proxies. */
    readonly env: Host['env']
    readonly connections?: number | undefined
  }
): Promise<Transport> {
  const { timeoutSeconds, signal, userAgent, env, connections } = options
  const target = new URL(base)
  const { origin, hostname } = target
  const proxy = proxyFor(target, env)
  // One deadline of our own covers all phases. Of undici's, one for each phase, only that for
  // connecting remains: it ends a connection that no request waits for any more.
  const limits = {
    connections: connections ?? null,
    headersTimeout: 0,
    bodyTimeout: 0,
    connect: {
      timeout: timeoutSeconds * 1000,
      ...(hostname === 'localhost' && { lookup: lookupLocalhost })
    },
    maxResponseSize: largestJson
  }
  const agent: Dispatcher =
    proxy === undefined
      ? new Agent(limits)
      : (await import('./proxy-agent.ts')).createProxyAgent(proxy, limits)
  return {
    send: ({ url, method, headers: given, body = null }) => {
      const headers = { 'user-agent': userAgent, ...given, 'accept-encoding': 'identity' }
      const path = url.slice(origin.length)
      const dispatch = (handler: Dispatcher.DispatchHandler) =>
        agent.dispatch({ origin, path, method, headers, body }, handler)
      return attempt(dispatch, { timeoutSeconds, signal, proxy })
    }
  }
}

/**
 * One attempt at a request: it ends with a complete reply, a fault, the deadline or the signal,
 * whichever comes first.
 */
function attempt(
  dispatch: (handler: Dispatcher.DispatchHandler) => void,
  limits: { timeoutSeconds: number; signal: AbortSignal; proxy: ReturnType<typeof proxyFor> }
) {
  const { timeoutSeconds, signal, proxy } = limits
  const end = uptime() + timeoutSeconds
  const chunks: Uint8Array[] = []
  let controller: Dispatcher.DispatchController | undefined
  let head: Omit<Reply, 'body'> | undefined
  let isStarted = false
  let isOver = false
  return new Promise<Reply>((resolve, reject) => {
    const finish = () => {
      isOver = true
      clearTimeout(timer)
      signal.removeEventListener('abort', abort)
    }
    const fail = (cause: unknown, kind?: FaultKind) => {
      if (isOver) return
      finish()
      // Otherwise a body without end would keep the connection from other requests.
      controller?.abort(new Error('the attempt is over'))
      // The status of a refusal is enough, however its body ends.
      if (head !== undefined && !isSuccess(head) && kind !== 'aborted')
        return resolve({ ...head, body: Buffer.concat(chunks) })
      const details = { isStarted, timeoutSeconds, proxy, cause }
      reject(kind === undefined ? faultFrom(details) : new TransportFault(kind, details))
    }
    const abort = () => fail(signal.reason, 'aborted')
    const endByDeadline = () => fail(undefined, 'timeout')
    // A reply may have arrived while the process was suspended. One more turn of the event loop
    // reads it.
    const timer = setTimeout(() => setImmediate(endByDeadline), timeoutSeconds * 1000)
    if (signal.aborted) abort()
    else signal.addEventListener('abort', abort)
    dispatch({
      // Immediately before bytes of the request may be written.
      onRequestStart: started => {
        // undici ignores deadline and signal while it connects, and so does a process that is
        // suspended.
        if (uptime() >= end) endByDeadline()
        controller = started
        if (isOver) started.abort(new Error('the attempt is over'))
        else isStarted = true
      },
      onResponseStart: (_, status, headers) => {
        if (status >= 200) head = { status, headers }
      },
      onResponseData: (_, chunk) => void chunks.push(chunk),
      onResponseEnd: () => {
        if (head === undefined) return
        finish()
        resolve({ ...head, body: Buffer.concat(chunks) })
      },
      onResponseError: (_, cause) => fail(cause)
    })
  })
}
