import type { LookupAddress, LookupOptions } from 'node:dns'
import { readFileSync } from 'node:fs'
import type { LookupFunction } from 'node:net'
import { unlessSystemFails } from './errno.ts'

/**
 * A host name as `URL` writes it: it has already turned every notation of an IPv4 address
 * (`0x7f.1`, `2130706433`) into four numbers.
 */
export function isLoopback(hostname: string): boolean {
  return isLoopbackName(hostname) || isLoopbackAddress(hostname)
}

export function isLoopbackAddress(hostname: string): boolean {
  return /^(\[::1\]|::1|127\.\d+\.\d+\.\d+)$/.test(hostname)
}

/** `localhost` and every name below it (RFC 6761, 6.3). */
function isLoopbackName(hostname: string): boolean {
  return /^([^.]+\.)*localhost\.?$/i.test(hostname)
}

const loopbackAddresses: readonly LookupAddress[] = [
  { address: '127.0.0.1', family: 4 },
  { address: '::1', family: 6 }
]

/**
 * Node's name lookup, except that loopback names never reach a name server, which could return
 * another address.
 */
export function createNameLookup(timeoutSeconds: number): LookupFunction {
  return (hostname, options, callback) => {
    if (!isLoopbackName(hostname)) {
      limitResolver(timeoutSeconds)
      void import('node:dns').then(({ lookup }) => {
        lookup(hostname, options as LookupOptions, callback)
      })
      return
    }
    const found = loopbackAddresses.filter(
      ({ family }) => !options.family || options.family === family
    )
    const [first] = found
    if (options.all) process.nextTick(callback, null, found)
    else process.nextTick(callback, null, first?.address, first?.family)
  }
}

/**
 * Makes the resolver of the C library give up by the deadline. Node cannot abandon a lookup and
 * exits only after it, which takes a minute with three silent name servers. The resolver reads this
 * variable at the first lookup of the process. If Node has `process.execve`, the launcher can end
 * the process during a lookup.
 */
function limitResolver(timeoutSeconds: number): void {
  if ('execve' in process || process.env.RES_OPTIONS !== undefined) return
  const configuration = unlessSystemFails(() => readFileSync('/etc/resolv.conf', 'utf8'))
  const options = resolverOptions(configuration ?? '', timeoutSeconds)
  if (options !== undefined) process.env.RES_OPTIONS = options
}

const mostServers = 3
const defaultTimeout = 5
const defaultAttempts = 2

/**
 * The longest waits that fit into a time limit, given the text of resolv.conf; undefined if the
 * defaults fit. Every name server is asked for the name itself and for the name in each search
 * domain.
 */
export function resolverOptions(configuration: string, limitSeconds: number): string | undefined {
  const configured = configuration.match(/^nameserver\s/gm) ?? []
  const servers = Math.min(mostServers, Math.max(1, configured.length))
  const searches = [...configuration.matchAll(/^(?:search|domain)[ \t]+(.*)$/gm)]
  const search = searches.at(-1)?.[1] ?? ''
  const domains = search.split(/\s+/).filter(domain => domain !== '')
  const names = 1 + domains.length
  const secondsForEach = limitSeconds / (servers * names)
  if (secondsForEach >= defaultAttempts * defaultTimeout) return undefined
  const whole = Math.max(1, Math.floor(secondsForEach))
  const timeout = Math.min(defaultTimeout, whole)
  return `timeout:${timeout} attempts:1`
}
