import type { Socket } from 'node:net'
import { Agent, type buildConnector, type Dispatcher, Pool } from 'undici'
import type { HttpProxy } from '../model/endpoint.ts'
import { isSuccess } from '../model/exchange.ts'
import { ProxyError } from './transport-fault.ts'

/** Where and how a request is dispatched. */
export interface NetworkRoute {
  readonly dispatcher: Dispatcher
  readonly origin: string
  readonly path: string
  /** Headers for the proxy, in addition to those of the request. */
  readonly headers?: Readonly<Record<string, string>>
  readonly proxy?: HttpProxy
  /**
   * Whether the proxy reads and answers the request itself, instead of only tunneling the
   * connection.
   */
  readonly isForwarded?: boolean
}

/**
 * As in curl, https uses a tunnel that the proxy opens for CONNECT, and requests for plain http go
 * to the proxy itself, with the full URL. undici's own ProxyAgent reports a refusal only in the
 * text of its message, and has no deadline for the proxy.
 */
export function createProxyRoutes(
  proxy: HttpProxy,
  timeout: number,
  options: Agent.Options,
  connect: buildConnector.connector
) {
  const connectToProxy: buildConnector.connector = (target, callback) => {
    // The certificate must be the proxy's. undici takes the name in it from the Host header, which
    // names the service.
    connect({ ...target, servername: '' }, (error, socket) => {
      if (error === null) callback(null, socket)
      else callback(new ProxyError(proxy, { cause: error }), null)
    })
  }
  const forwarder = new Pool(proxy.origin, { ...options, connect: connectToProxy })
  const entrance = new Pool(proxy.origin, { connect: connectToProxy, headersTimeout: timeout })
  const tunnels = new Agent({
    ...options,
    connect: (target, callback) => {
      openTunnel(entrance, proxy, target).then(
        socket => connect({ ...target, httpSocket: socket }, callback),
        (error: Error) => callback(error, null)
      )
    }
  })

  return {
    routeTo: ({ protocol, origin, host, href, pathname, search }: URL): NetworkRoute =>
      protocol === 'https:'
        ? { dispatcher: tunnels, origin, path: `${pathname}${search}`, proxy }
        : {
            dispatcher: forwarder,
            origin: proxy.origin,
            path: href.replace(/#.*/, ''),
            headers: { host, ...loginHeader(proxy) },
            proxy,
            isForwarded: true
          },
    destroy: async () => {
      await Promise.all([forwarder, tunnels, entrance].map(dispatcher => dispatcher.destroy()))
    }
  }
}

function loginHeader({ authorization }: HttpProxy): Record<string, string> {
  return authorization === undefined ? {} : { 'proxy-authorization': authorization }
}

async function openTunnel(
  entrance: Pool,
  proxy: HttpProxy,
  target: buildConnector.Options
): Promise<Socket> {
  const host = target.port ? target.host : `${target.host}:443`
  const answer = await askForTunnel(entrance, host ?? target.hostname, proxy).catch(
    (cause: unknown) => {
      throw cause instanceof ProxyError ? cause : new ProxyError(proxy, { cause })
    }
  )
  if (isSuccess(answer)) return answer.socket
  answer.socket.on('error', () => {}).destroy()
  throw new ProxyError(proxy, answer)
}

/** Not with the pool's own `connect`, because the bundle does not include that part of undici. */
function askForTunnel(entrance: Pool, host: string, proxy: HttpProxy) {
  return new Promise<{ status: number; socket: Socket }>((resolve, reject) => {
    entrance.dispatch(
      {
        origin: proxy.origin,
        path: host,
        method: 'CONNECT',
        headers: { host, ...loginHeader(proxy) }
      },
      {
        onRequestStart() {},
        onRequestUpgrade: (_controller, status, _headers, socket) =>
          resolve({ status, socket: socket as Socket }),
        onResponseError: (_controller, error) => reject(error)
      }
    )
  })
}
