import type { Socket } from 'node:net'
import { Agent, type buildConnector, Pool } from 'undici'
import type { HttpProxy } from '../model/endpoint.ts'
import { isSuccess } from '../model/exchange.ts'
import { ProxyError } from './fault.ts'
import { createConnector } from './transport-connect.ts'

interface Tunnels {
  readonly agent: Agent
  destroy(): Promise<void>
}

/**
 * An agent whose connections go through a proxy, plain http too: by CONNECT the moment at which a request starts stays
 * known. undici's own ProxyAgent reports a refusal only in the text of its message, and has no deadline for the proxy.
 */
export function createTunnels(proxy: HttpProxy, timeout: number, options: Agent.Options): Tunnels {
  const connect = createConnector(timeout)
  const entrance = new Pool(proxy.origin, { connect, headersTimeout: timeout })

  const open = async (target: buildConnector.Options): Promise<Socket> => {
    const host = target.port ? target.host : `${target.host}:${target.protocol === 'https:' ? 443 : 80}`
    const answer = await askForTunnel(entrance, host ?? target.hostname, proxy).catch((cause: unknown) => {
      throw new ProxyError(proxy, { cause })
    })
    if (isSuccess(answer)) return answer.socket
    answer.socket.on('error', () => {}).destroy()
    throw new ProxyError(proxy, answer)
  }

  const agent = new Agent({
    ...options,
    connect: (target, callback) => {
      open(target).then(
        (socket) => {
          if (target.protocol === 'https:') connect({ ...target, httpSocket: socket }, callback)
          else callback(null, socket)
        },
        (error: Error) => callback(error, null),
      )
    },
  })
  return {
    agent,
    destroy: async () => {
      await Promise.all([agent.destroy(), entrance.destroy()])
    },
  }
}

interface Answer {
  readonly status: number
  readonly socket: Socket
}

/** Not by the pool's own `connect`: that is not among the parts of undici which the bundle loads. */
function askForTunnel(entrance: Pool, host: string, { origin, authorization }: HttpProxy): Promise<Answer> {
  const headers = { host, ...(authorization && { 'proxy-authorization': authorization }) }
  return new Promise((resolve, reject) => {
    entrance.dispatch(
      { origin, path: host, method: 'CONNECT', headers },
      {
        onRequestStart() {},
        onRequestUpgrade: (_controller, status, _headers, socket) => resolve({ status, socket: socket as Socket }),
        onResponseError: (_controller, error) => reject(error),
      },
    )
  })
}
