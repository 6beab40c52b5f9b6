import { BlockList, isIP } from 'node:net'
import { Failure } from '../failure.ts'
import type { Host } from '../system/host.ts'
import { isLoopback } from '../system/loopback.ts'
import { unsetVariable } from '../text/shell.ts'

/** A proxy, and the variable that sets it. */
export interface HttpProxy {
  readonly url: string
  readonly variable: string
}

/**
 * The proxy for a URL. undici's EnvHttpProxyAgent sends https through a proxy that is only for http
 * and proxies loopback, and does not say whether it used a proxy.
 */
export function proxyFor(target: URL, env: Host['env']): HttpProxy | undefined {
  const name = target.protocol === 'https:' ? 'https_proxy' : 'http_proxy'
  const names = [name, name.toUpperCase()]
  const variable = names.find(candidate => env[candidate])
  if (variable === undefined) return undefined
  const { hostname } = target
  if (isLoopback(hostname) || isExcepted(hostname, env.no_proxy || env.NO_PROXY)) return undefined
  const url = env[variable] ?? ''
  if (/^https?:/.test(url) && URL.canParse(url)) return { url, variable }
  // The value is not shown: it may contain a password.
  const problem = `${variable} is not the URL of an http or https proxy, such as http://HOST:PORT`
  throw new Failure('local', problem, { hint: unsetVariable(variable) })
}

/** Whether a list such as `pets.example, .lan, 10.0.0.0/8` or `*` has the host, as in curl. */
function isExcepted(hostname: string, list = '') {
  const entries = list.toLowerCase().match(/[^\s,]+/g) ?? []
  const address = hostname.replace(/[[\]]/g, '')
  const isInEntry = isIP(address) === 0 ? isNamedBy(hostname) : isAddressOf(address)
  return entries.some(entry => entry === '*' || isInEntry(entry))
}

/** By its name or a domain of it. A complete name may end in a dot. */
function isNamedBy(hostname: string) {
  const dotted = (name: string) => `.${name.replace(/\.$/, '')}`
  return (entry: string) => dotted(hostname).endsWith(dotted(entry.replace(/^\*?\./, '')))
}

function isAddressOf(address: string) {
  return (entry: string) => {
    const [, network = '', bits] = /^\[?([\da-f.:]+)\]?(?:\/(\d{1,3}))?$/.exec(entry) ?? []
    const length = isIP(network) === 4 ? 32 : 128
    const prefix = Number(bits ?? length)
    if (isIP(network) !== isIP(address) || prefix > length) return false
    const addresses = new BlockList()
    const family = length === 32 ? 'ipv4' : 'ipv6'
    addresses.addSubnet(network, prefix, family)
    return addresses.check(address, family)
  }
}
