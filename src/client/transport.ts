import { Agent, type Dispatcher } from 'undici'
import type { Transport } from '../model/exchange.ts'
import type { Host } from '../system/host.ts'
import { lookupLocalhost } from '../system/loopback.ts'
import { largestJson } from '../text/json.ts'
import { type HttpProxy, proxyFor } from './proxies.ts'
import { Attempt } from './transport-attempt.ts'

interface NetworkOptions {
  /** The limit for one attempt, including connecting. */
  readonly timeoutSeconds: number
  /** Ends every attempt at once; its reason becomes the cause of the fault. */
  readonly signal: AbortSignal
  readonly userAgent: string
  /** The variables that name proxies. */
  readonly env: Host['env']
  /** The most to one host. */
  readonly connections?: number | undefined
}

/**
 * Requests over the network. Rejects with a fault. Nothing is closed: an idle connection keeps no
 * process alive, and a run that ends does not wait for another one.
 */
export function createNetworkTransport({
  timeoutSeconds,
  signal,
  userAgent,
  env,
  connections
}: NetworkOptions): Transport {
  // One deadline of our own covers all phases. Of undici's, one for each phase, only that for
  // connecting remains: it ends a connection that no request waits for any more.
  const limits = {
    connections: connections ?? null,
    headersTimeout: 0,
    bodyTimeout: 0,
    connect: { timeout: timeoutSeconds * 1000 },
    maxResponseSize: largestJson
  }
  const agents = new Map<string, Promise<Dispatcher>>()
  const openAgent = async ({ hostname }: URL, proxy: HttpProxy | undefined) => {
    if (proxy !== undefined) {
      const { createProxyAgent } = await import('./proxy-agent.ts')
      return createProxyAgent(proxy, limits)
    }
    if (hostname !== 'localhost') return new Agent(limits)
    return new Agent({ ...limits, connect: { ...limits.connect, lookup: lookupLocalhost } })
  }
  const routeTo = (url: string) => {
    const target = new URL(url)
    const { origin, pathname, search } = target
    const proxy = proxyFor(target, env)
    const way = proxy?.variable ?? origin
    const agent = agents.get(way) ?? openAgent(target, proxy)
    agents.set(way, agent)
    return { url, origin, path: `${pathname}${search}`, proxy, agent }
  }
  let latest: ReturnType<typeof routeTo> | undefined
  return {
    send: async ({ url, method, headers: given, body = null }) => {
      // An import sends thousands of requests a second to one URL.
      if (latest?.url !== url) latest = routeTo(url)
      const { origin, path, proxy, agent } = latest
      const opened = await agent
      const attempt = new Attempt({ timeoutSeconds, signal, proxy })
      const headers = { 'user-agent': userAgent, ...given, 'accept-encoding': 'identity' }
      opened.dispatch({ origin, path, method, headers, body }, attempt)
      return attempt.reply
    }
  }
}
