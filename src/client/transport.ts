import type { LookupFunction, Socket } from 'node:net'
import type { TLSSocket } from 'node:tls'
import { Agent, buildConnector } from 'undici'
import type { HttpProxy } from '../model/endpoint.ts'
import type { Transport } from '../model/exchange.ts'
import { createInFlight } from '../platform/in-flight.ts'
import { createNameLookup } from '../platform/name-lookup.ts'
import { isCertificateAlert, TransportFault } from './fault.ts'
import { attempt, largestReply } from './transport-attempt.ts'
import { createProxyRoutes, type Route } from './transport-proxy.ts'

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
export function createNetworkTransport({ timeoutSeconds, signal, userAgent, proxyFor }: NetworkOptions): Transport {
  const timeout = Math.min(Math.ceil(timeoutSeconds * 1000), longestTimer)
  const options = {
    maxResponseSize: largestReply,
    // One deadline of our own covers all phases; undici has one for each, accurate to half a second. Only
    // connecting keeps undici's, so that an abandoned connection does not stay until the agent is closed.
    headersTimeout: 0,
    bodyTimeout: 0,
  }
  const lookups = watchLookups(timeout)
  const direct = new Agent({ ...options, connect: createConnector(timeout, lookups) })
  const proxies = new Map<string, ReturnType<typeof createProxyRoutes>>()
  const routesBy = (proxy: HttpProxy) => {
    // Two variables may name the same proxy with different logins, and an error names the variable.
    const routes =
      proxies.get(proxy.variable) ?? createProxyRoutes(proxy, timeout, options, createConnector(timeout, lookups))
    proxies.set(proxy.variable, routes)
    return routes
  }
  // The last route is reused, and one listener serves all attempts: an import makes thousands of them a second.
  let last: { readonly url: string; readonly route: Route } | undefined
  const routeTo = (url: string): Route => {
    if (last?.url === url) return last.route
    if (!URL.canParse(url)) throw new TransportFault('unsendable', { phase: 'connecting' })
    const parsed = new URL(url)
    const proxy = proxyFor?.(url)
    const { origin, pathname, search } = parsed
    const route = proxy ? routesBy(proxy).routeTo(parsed) : { dispatcher: direct, origin, path: `${pathname}${search}` }
    last = { url, route }
    return route
  }
  const inFlight = createInFlight<() => void>()
  let hasFault = false
  const endAll = () => {
    for (const end of inFlight.items()) end()
  }
  signal?.addEventListener('abort', endAll, { once: true })

  return {
    send: async ({ url, method, headers, body = null }) => {
      const route = routeTo(url)
      const allHeaders = { 'user-agent': userAgent, ...headers, 'accept-encoding': 'identity', ...route.headers }
      const { origin, path } = route
      const request = { origin, path, method, headers: allHeaders, body }
      try {
        return await attempt({ route, request, timeout, signal, inFlight, isLookingUp: lookups.isWaiting })
      } catch (fault) {
        hasFault = true
        throw fault
      }
    },
    close: async () => {
      signal?.removeEventListener('abort', endAll)
      // Idle connections do not keep the process alive, and closing one takes a millisecond. A fault may leave others.
      if (!hasFault && inFlight.items().length === 0) return
      const error = closingError()
      await Promise.all([direct.destroy(error), ...[...proxies.values()].map(({ destroy }) => destroy(error))])
    },
  }
}

/** Node reads the stack of the error that destroys a socket, and V8 needs almost a millisecond to write it down. */
function closingError(): Error {
  const error = new Error('the transport is closed')
  error.stack = ''
  return error
}

/** A name lookup that knows whether it is waiting for an answer: undici does not say what a connection waits for. */
interface WatchedLookup {
  readonly lookUp: LookupFunction
  isWaiting(): boolean
}

function watchLookups(timeout: number): WatchedLookup {
  const lookUp = createNameLookup(timeout / 1000)
  let waiting = 0
  return {
    lookUp: (hostname, options, callback) => {
      waiting += 1
      lookUp(hostname, options, (...answer) => {
        waiting -= 1
        callback(...answer)
      })
    },
    isWaiting: () => waiting > 0,
  }
}

/** Creates the function with which undici connects to the service and to proxies. */
function createConnector(timeout: number, { lookUp }: WatchedLookup): buildConnector.connector {
  const connect = buildConnector({ timeout, lookup: lookUp })
  return (target, callback) => {
    // It returns the socket, although its type does not say so.
    const socket = connect(target, (error, connected) => {
      if (error === null) {
        // After the handshake Node emits an alert as an error and leaves the socket open. Then undici would report only
        // the end of the stream that follows.
        connected.on('error', (alert) => connected.destroy(alert))
        callback(null, connected)
      } else if (isCertificateAlert(error) && hasCipher(socket)) {
        callback(new TransportFault('client-certificate', { phase: 'connecting', cause: error }), null)
      } else callback(error, null)
    }) as unknown as Socket | TLSSocket
  }
}

/** If no cipher was agreed on, the server refused something other than the certificate. */
function hasCipher(socket: Socket | TLSSocket): boolean {
  return 'getCipher' in socket && socket.getCipher() !== undefined
}
