import { type buildConnector, type Dispatcher, Pool, ProxyAgent } from 'undici'
import { errorCode } from '../system/errno.ts'
import type { HttpProxy } from './proxies.ts'

/** As in curl, https uses a tunnel, and requests for plain http go to the proxy itself. */
export function createProxyAgent({ url }: HttpProxy, options: object): Dispatcher {
  return new ProxyAgent({
    ...options,
    uri: url,
    proxyTunnel: false,
    clientFactory: openEntrance
  })
}

/** The connections on which a proxy is asked for tunnels. */
function openEntrance(origin: URL, options: object): Pool {
  const { connect: open } = options as { connect: buildConnector.connector }
  const pool = new Pool(origin, {
    // Without a name, the certificate must be for the host of the proxy. undici names it also if it
    // is an address, which Node 26 refuses.
    connect: (target, callback) => open({ ...target, servername: '' }, callback)
  })
  const ask = pool.connect.bind(pool)
  const askOnce = (target: Dispatcher.ConnectOptions) => ask(target).catch(asReset)
  return Object.assign(pool, { connect: askOnce })
}

/**
 * If a proxy closes such a connection, undici 7 takes that for the end of an idle one and asks
 * again without end (nodejs/undici#3897). With another code the request has failed.
 */
function asReset(cause: Error): never {
  if (errorCode(cause) !== 'UND_ERR_SOCKET') throw cause
  throw Object.assign(new Error(cause.message, { cause }), { code: 'ECONNRESET' })
}
