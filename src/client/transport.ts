import type { LookupFunction, Socket } from 'node:net'
import type { TLSSocket } from 'node:tls'
import { Agent, buildConnector } from 'undici'
import type { HttpProxy } from '../model/endpoint.ts'
import type { Transport } from '../model/exchange.ts'
import { InFlight } from '../platform/in-flight.ts'
import { createNameLookup } from '../platform/name-lookup.ts'
import { attempt, largestReply } from './transport-attempt.ts'
import { isCertificateAlert, TransportFault } from './transport-fault.ts'
import { createProxyRoutes, type NetworkRoute } from './transport-proxy.ts'

const longestTimer = 2 ** 31 - 1

interface NetworkOptions {
  /** The limit for one attempt, including connecting. */
  readonly timeoutSeconds: number
  /** Ends every attempt at once; its reason becomes the cause of the fault. */
  readonly signal?: AbortSignal | undefined
  readonly userAgent: string
  /** The proxy for a URL, if any. Its errors are passed on unchanged. */
  readonly proxyFor?: (url: string) => HttpProxy | undefined
}

/** Requests over the network. Rejects with a TransportFault, or with what `proxyFor` throws. */
export function createNetworkTransport({
  timeoutSeconds,
  signal,
  userAgent,
  proxyFor
}: NetworkOptions): Transport {
  const timeout = Math.min(Math.ceil(timeoutSeconds * 1000), longestTimer)
  const options = {
    maxResponseSize: largestReply,
    // One deadline of our own covers all phases; undici has one for each, accurate to half a
    // second. Only connecting keeps undici's, so that an abandoned connection does not stay until
    // the agent is closed.
    headersTimeout: 0,
    bodyTimeout: 0
  }
  // undici does not say whether a connection waits for a name.
  let lookupsInProgress = 0
  const lookUp = createNameLookup(timeout / 1000)
  const connect = createConnector(timeout, (hostname, lookupOptions, callback) => {
    lookupsInProgress += 1
    lookUp(hostname, lookupOptions, (...answer) => {
      lookupsInProgress -= 1
      callback(...answer)
    })
  })
  const direct = new Agent({ ...options, connect })
  const proxies = new Map<string, ReturnType<typeof createProxyRoutes>>()
  const routeTo = (url: string): NetworkRoute => {
    if (!URL.canParse(url)) throw new TransportFault('unsendable', { phase: 'connecting' })
    const parsed = new URL(url)
    const { origin, pathname, search } = parsed
    const proxy = proxyFor?.(url)
    if (proxy === undefined) return { dispatcher: direct, origin, path: `${pathname}${search}` }
    // Two variables may name the same proxy with different logins, and an error names the variable.
    const routes =
      proxies.get(proxy.variable) ?? createProxyRoutes(proxy, timeout, options, connect)
    proxies.set(proxy.variable, routes)
    return routes.routeTo(parsed)
  }
  // One listener serves all attempts: an import makes thousands of them a second.
  const inFlight = new InFlight<() => void>()
  const endAll = () => {
    for (const end of inFlight.items()) end()
  }
  signal?.addEventListener('abort', endAll, { once: true })
  let unanswered = 0
  let latest: { readonly url: string; readonly route: NetworkRoute } | undefined

  return {
    send: async ({ url, method, headers, body = null }) => {
      // An import sends thousands of requests a second to one URL.
      if (latest?.url !== url) latest = { url, route: routeTo(url) }
      const { route } = latest
      const allHeaders = {
        'user-agent': userAgent,
        ...headers,
        'accept-encoding': 'identity',
        ...route.headers
      }
      const { origin, path } = route
      const request = { origin, path, method, headers: allHeaders, body }
      unanswered += 1
      const isLookingUp = () => lookupsInProgress > 0
      const reply = await attempt({ route, request, timeout, signal, inFlight, isLookingUp })
      unanswered -= 1
      return reply
    },
    close: async () => {
      signal?.removeEventListener('abort', endAll)
      // Idle connections do not keep the process alive, and closing one takes a millisecond. A
      // fault may leave others.
      const opened = [direct, ...proxies.values()]
      if (unanswered > 0) await Promise.all(opened.map(each => each.destroy()))
    }
  }
}

/** Creates the function with which undici connects to the service and to proxies. */
function createConnector(timeout: number, lookup: LookupFunction): buildConnector.connector {
  const connect = buildConnector({ timeout, lookup })
  return (target, callback) => {
    // It returns the socket, although its type does not say so.
    const socket = connect(target, (error, connected) => {
      if (error === null) {
        // After the handshake Node emits an alert as an error and leaves the socket open. Then
        // undici would report only the end of the stream that follows.
        connected.on('error', alert => connected.destroy(alert))
        callback(null, connected)
      } else if (isCertificateAlert(error) && hasCipher(socket)) {
        callback(
          new TransportFault('client-certificate', { phase: 'connecting', cause: error }),
          null
        )
      } else callback(error, null)
    }) as unknown as Socket | TLSSocket
  }
}

/** If no cipher was agreed on, the server refused something other than the certificate. */
function hasCipher(socket: Socket | TLSSocket): boolean {
  return 'getCipher' in socket && socket.getCipher() !== undefined
}
