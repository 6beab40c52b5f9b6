import { Agent, type Dispatcher } from 'undici'
import type { Reply, Transport } from '../model/exchange.ts'
import { type HttpProxy, ProxyError } from '../model/proxy.ts'
import { growingBuffer } from './growing-buffer.ts'
import { createUnderWay, type Ending, type UnderWay } from './in-flight.ts'
import { faultKindOf } from './transport-errors.ts'
import { type FaultKind, type FaultStage, TransportFault } from './transport-fault.ts'
import { createTunnels } from './transport-proxy.ts'

const largestReply = 32 * 1024 * 1024
const longestTimer = 2 ** 31 - 1

interface NetworkOptions {
  /** For one attempt, connecting included. */
  readonly timeoutSeconds: number
  /** Ends every attempt at once; its reason becomes the cause of the fault. */
  readonly signal?: AbortSignal | undefined
  readonly userAgent: string
  /** What stands between this program and an address, if anything; what it throws passes as it is. */
  readonly proxyFor?: (url: string) => HttpProxy | undefined
}

/** Requests over the network. Rejects with a TransportFault, or with what `proxyFor` throws. */
export function createNetworkTransport({ timeoutSeconds, signal, userAgent, proxyFor }: NetworkOptions): Transport {
  const timeout = Math.min(Math.ceil(timeoutSeconds * 1000), longestTimer)
  const options = {
    maxResponseSize: largestReply,
    // One deadline of our own covers all stages; undici's are per stage and half a second coarse. Only connecting
    // keeps one, so that a connection which was given up does not hang around until the agent is closed.
    headersTimeout: 0,
    bodyTimeout: 0,
  }
  const direct = new Agent({ ...options, connect: { timeout } })
  const tunnels = new Map<string, ReturnType<typeof createTunnels>>()
  const agentFor = (proxy: HttpProxy | undefined) => {
    if (proxy === undefined) return direct
    // Two variables may name one proxy with a login each, and a fault is told with the name of its own.
    const name = [proxy.variable, proxy.origin, proxy.authorization].join(' ')
    const known = tunnels.get(name) ?? createTunnels(proxy, timeout, options)
    tunnels.set(name, known)
    return known.agent
  }
  // The last one is kept, and one listener is there for all attempts: an import makes thousands of them a second.
  let last: Route | undefined
  const routeTo = (url: string): Route => {
    if (last?.url === url) return last
    const { origin, pathname, search } = parseUrl(url)
    const proxy = proxyFor?.(url)
    last = { url, origin, path: `${pathname}${search}`, dispatcher: agentFor(proxy), proxy }
    return last
  }
  const underWay = createUnderWay()
  signal?.addEventListener('abort', underWay.endAll, { once: true })

  return {
    send: async ({ url, method, headers, body = null }) => {
      const { dispatcher, origin, path, proxy } = routeTo(url)
      const ownHeaders = { 'user-agent': userAgent, ...headers, 'accept-encoding': 'identity' }
      const request = { origin, path, method, headers: ownHeaders, body }
      return attempt({ dispatcher, request, proxy, timeout, signal, underWay })
    },
    close: async () => {
      signal?.removeEventListener('abort', underWay.endAll)
      await Promise.all([direct.destroy(), ...[...tunnels.values()].map(({ destroy }) => destroy())])
    },
  }
}

/** Where a request goes, and by what. */
interface Route {
  readonly url: string
  readonly origin: string
  readonly path: string
  readonly dispatcher: Dispatcher
  readonly proxy: HttpProxy | undefined
}

function parseUrl(url: string): URL {
  try {
    return new URL(url)
  } catch (error) {
    throw new TransportFault('unsendable', { stage: 'connecting', cause: error })
  }
}

interface Attempt {
  readonly dispatcher: Dispatcher
  readonly request: Dispatcher.DispatchOptions
  readonly proxy: HttpProxy | undefined
  readonly timeout: number
  readonly signal: AbortSignal | undefined
  /** The attempts that are not over yet. */
  readonly underWay: UnderWay
}

/** One request, once: it ends with a whole reply, a fault, the deadline or the signal, whichever is first. */
function attempt({ dispatcher, request, proxy, timeout, signal, underWay }: Attempt): Promise<Reply> {
  return new Promise((resolve, reject) => {
    let stage: FaultStage = 'connecting'
    let isOver = false
    let controller: Dispatcher.DispatchController | undefined
    let head: Pick<Reply, 'status' | 'headers'> | undefined
    const body = growingBuffer()

    // undici looks at no signal while it connects, so the promise never waits for it to agree.
    const fail = (kind: FaultKind, cause?: unknown) => {
      if (isOver) return
      finish()
      const fault = new TransportFault(kind, { stage, head, seconds: timeout / 1000, cause })
      controller?.abort(fault)
      reject(fault)
    }
    const succeed = () => {
      if (isOver || head === undefined) return
      finish()
      resolve({ ...head, body: body.bytes() })
    }
    const ending: Ending = { end: () => fail('aborted', signal?.reason), place: -1 }
    const onDeadline = () => fail('timeout', proxy && stage === 'connecting' ? new ProxyError(proxy) : undefined)
    const deadline = setTimeout(onDeadline, timeout)
    const finish = () => {
      isOver = true
      clearTimeout(deadline)
      underWay.remove(ending)
    }

    underWay.add(ending)
    if (signal?.aborted) return ending.end()

    const handler: Dispatcher.DispatchHandler = {
      // Called exactly when bytes of the request may be written next; an abort in here keeps them back.
      onRequestStart(started) {
        controller = started
        if (isOver) started.abort(new TransportFault('aborted', { stage }))
        else stage = 'waiting'
      },
      onResponseStart(_controller, status, headers) {
        if (status < 200) return
        stage = 'receiving'
        head = { status, headers }
        // Without a body it is whole by now, and what its headers say of a body is about one that does not come.
        if (request.method === 'HEAD' || status === 204 || status === 304) return succeed()
        if (isEncoded(headers['content-encoding'])) fail('encoding')
        // undici counts the bytes that come; whoever announces too many need not be listened to.
        if (Number(headers['content-length']) > largestReply) fail('too-large')
      },
      onResponseData(_controller, chunk) {
        if (!isOver) body.add(chunk)
      },
      onResponseEnd: () => succeed(),
      onResponseError(_controller, error) {
        const kind = faultKindOf(error, stage)
        // undici's own patience while connecting ends at the same time, and knows less to say.
        if (kind === 'timeout') onDeadline()
        else fail(kind, error)
      },
    }
    try {
      dispatcher.dispatch(request, handler)
    } catch (error) {
      fail('unsendable', error)
    }
  })
}

function isEncoded(contentEncoding: string | string[] | undefined): boolean {
  return (
    contentEncoding !== undefined && [contentEncoding].flat().some((encoding) => !/^\s*(identity\s*)?$/i.test(encoding))
  )
}
