import { Pool } from 'undici'
import type { Request, Transport } from '../model/exchange.ts'
import { largestJson } from '../model/json.ts'
import { limitNameLookups } from '../platform/name-lookup.ts'
import { createProxyAgent, proxyFor } from './proxies.ts'
import { Attempt, millisecondsOf } from './transport-attempt.ts'

interface BulkOptions {
  /** Of all requests. */
  readonly origin: string
  readonly connections: number
  /** The limit for one attempt, including connecting. */
  readonly timeoutSeconds: number
  /** Ends every attempt at once; its reason becomes the cause of the fault. */
  readonly signal: AbortSignal
  readonly userAgent: string
  /** The variables that name proxies. */
  readonly env: Parameters<typeof proxyFor>[1]
}

/** Many requests to one origin: its connections and the list of headers are made once. */
export function createBulkTransport(options: BulkOptions): Transport {
  const { origin, connections, timeoutSeconds, signal, userAgent, env } = options
  limitNameLookups()
  const limits = {
    connections,
    pipelining: 1,
    headersTimeout: 0,
    bodyTimeout: 0,
    connect: { timeout: millisecondsOf(timeoutSeconds) },
    maxResponseSize: largestJson
  }
  const proxy = proxyFor(new URL(origin), env)
  const dispatcher =
    proxy === undefined ? new Pool(origin, limits) : createProxyAgent(proxy, limits)
  const fixed = { 'user-agent': userAgent, 'accept-encoding': 'identity' }
  let latest: Request['headers'] | undefined
  let flat: string[] = []
  const flatHeaders = (headers: Request['headers']): string[] => {
    if (headers !== latest) flat = Object.entries({ ...fixed, ...headers }).flat()
    latest = headers
    return flat
  }
  return {
    send: ({ url, method, headers, body = null }) => {
      const attempt = new Attempt({ method, timeoutSeconds, signal, proxy })
      const path = url.slice(origin.length)
      dispatcher.dispatch({ origin, path, method, headers: flatHeaders(headers), body }, attempt)
      return attempt.reply
    },
    close: () => dispatcher.destroy()
  }
}
