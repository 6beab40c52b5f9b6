import { Agent, type Dispatcher } from 'undici'
import type { HttpProxy } from '../model/endpoint.ts'
import type { Transport } from '../model/exchange.ts'
import { TransportFault } from './fault.ts'
import { attempt, createInFlight } from './transport-attempt.ts'
import { largestReply } from './transport-body.ts'
import { createConnector, ignoreInformationalReplies } from './transport-connect.ts'
import { createTunnels } from './transport-proxy.ts'

const longestTimer = 2 ** 31 - 1

interface NetworkOptions {
  /** For one attempt, connecting included. */
  readonly timeoutSeconds: number
  /** Ends every attempt at once; its reason becomes the cause of the fault. */
  readonly signal?: AbortSignal | undefined
  readonly userAgent: string
  /** The proxy for an address, if any; what it throws passes as it is. */
  readonly proxyFor?: (url: string) => HttpProxy | undefined
}

/** Requests over the network. Rejects with a TransportFault, or with what `proxyFor` throws. */
export function createNetworkTransport({ timeoutSeconds, signal, userAgent, proxyFor }: NetworkOptions): Transport {
  const timeout = Math.min(Math.ceil(timeoutSeconds * 1000), longestTimer)
  const options = {
    maxResponseSize: largestReply,
    // One deadline of our own covers all stages; undici's are per stage and half a second coarse. Only connecting
    // keeps one, so that a connection which was given up does not stay until the agent is closed.
    headersTimeout: 0,
    bodyTimeout: 0,
  }
  const stopIgnoring = ignoreInformationalReplies()
  const direct = new Agent({ ...options, connect: createConnector(timeout) })
  const tunnels = new Map<string, ReturnType<typeof createTunnels>>()
  const agentFor = (proxy: HttpProxy | undefined) => {
    if (proxy === undefined) return direct
    // Two variables may name one proxy with different logins, and a fault names its own variable.
    const name = [proxy.variable, proxy.origin, proxy.authorization].join(' ')
    const known = tunnels.get(name) ?? createTunnels(proxy, timeout, options)
    tunnels.set(name, known)
    return known.agent
  }
  // The last route is reused, and one listener serves all attempts: an import makes thousands of them a second.
  let last: Route | undefined
  const routeTo = (url: string): Route => {
    if (last?.url === url) return last
    const { origin, pathname, search } = parseUrl(url)
    const proxy = proxyFor?.(url)
    last = { url, origin, path: `${pathname}${search}`, dispatcher: agentFor(proxy), proxy }
    return last
  }
  const inFlight = createInFlight()
  signal?.addEventListener('abort', inFlight.endAll, { once: true })

  return {
    send: async ({ url, method, headers, body = null }) => {
      const { dispatcher, origin, path, proxy } = routeTo(url)
      const ownHeaders = { 'user-agent': userAgent, ...headers, 'accept-encoding': 'identity' }
      const request = { origin, path, method, headers: ownHeaders, body }
      return attempt({ dispatcher, request, proxy, timeout, signal, inFlight })
    },
    close: async () => {
      signal?.removeEventListener('abort', inFlight.endAll)
      stopIgnoring()
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
