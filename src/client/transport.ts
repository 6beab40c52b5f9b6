import { Agent, type Dispatcher } from 'undici'
import type { Transport } from '../model/exchange.ts'
import type { Host } from '../system/host.ts'
import { lookupLocalhost } from '../system/loopback.ts'
import { largestJson } from '../text/json.ts'
import { proxyFor } from './proxies.ts'
import { Attempt } from './transport-attempt.ts'

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
    connect: { timeout: timeoutSeconds * 1000 },
    maxResponseSize: largestJson
  }
  const openAgent = async (): Promise<Dispatcher> => {
    if (proxy !== undefined) {
      const { createProxyAgent } = await import('./proxy-agent.ts')
      return createProxyAgent(proxy, limits)
    }
    if (hostname !== 'localhost') return new Agent(limits)
    return new Agent({ ...limits, connect: { ...limits.connect, lookup: lookupLocalhost } })
  }
  const agent = await openAgent()
  return {
    send: async ({ url, method, headers: given, body = null }) => {
      const attempt = new Attempt({ timeoutSeconds, signal, proxy })
      const headers = { 'user-agent': userAgent, ...given, 'accept-encoding': 'identity' }
      const path = url.slice(origin.length)
      agent.dispatch({ origin, path, method, headers, body }, attempt)
      return attempt.reply
    }
  }
}
