import { Agent, type Dispatcher } from 'undici'
import type { Transport } from '../model/exchange.ts'
import { largestJson } from '../model/json.ts'
import { limitNameLookups } from '../platform/name-lookup.ts'
import { createProxyAgent, type HttpProxy, proxyFor } from './proxies.ts'
import { Attempt, millisecondsOf } from './transport-attempt.ts'

interface NetworkOptions {
  /** The limit for one attempt, including connecting. */
  readonly timeoutSeconds: number
  /** Ends every attempt at once; its reason becomes the cause of the fault. */
  readonly signal: AbortSignal
  readonly userAgent: string
  /** The variables that name proxies. */
  readonly env: Parameters<typeof proxyFor>[1]
}

/** Requests over the network. Rejects with a fault. */
export function createNetworkTransport(options: NetworkOptions): Transport {
  const { timeoutSeconds, signal, userAgent, env } = options
  limitNameLookups()
  // One deadline of our own covers all phases. Of undici's, one for each phase, only that for
  // connecting remains: it ends a connection that no request waits for any more.
  const limits = {
    headersTimeout: 0,
    bodyTimeout: 0,
    connect: { timeout: millisecondsOf(timeoutSeconds) },
    maxResponseSize: largestJson
  }
  const agents = new Map<string, Dispatcher>()
  const agentFor = (proxy: HttpProxy | undefined): Dispatcher => {
    const name = proxy?.variable ?? 'direct'
    const agent =
      agents.get(name) ??
      (proxy === undefined ? new Agent(limits) : createProxyAgent(proxy, limits))
    agents.set(name, agent)
    return agent
  }
  return {
    send: async ({ url, method, headers, body = null }) => {
      const target = new URL(url)
      const proxy = proxyFor(target, env)
      const attempt = new Attempt({ method, timeoutSeconds, signal, proxy })
      agentFor(proxy).dispatch(
        {
          origin: target.origin,
          path: `${target.pathname}${target.search}`,
          method,
          headers: { 'user-agent': userAgent, ...headers, 'accept-encoding': 'identity' },
          body
        },
        attempt
      )
      return attempt.reply
    },
    close: async () => {
      await Promise.all([...agents.values()].map(agent => agent.destroy()))
    }
  }
}
