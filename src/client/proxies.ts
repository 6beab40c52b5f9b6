import { BlockList, isIP } from 'node:net'
import { Failure } from '../failure.ts'
import type { Host } from '../system/host.ts'
import { isLoopback } from '../system/loopback.ts'
import { unsetVariable } from '../text/shell.ts'

export type HttpProxy = NonNullable<ReturnType<typeof proxyFor>>

/**
 * The proxy for a URL, and the variable that sets it. undici's EnvHttpProxyAgent sends https through a proxy that is only for http
 * and proxies loopback, and does not say whether it used a proxy.
 */
export function proxyFor(target: URL, env: Host['env']) {
  const { protocol, hostname } = target
  const name = `${protocol.replace(':', '')}_proxy`
  const names = [name, name.toUpperCase()]
  const variable = names.find(candidate => env[candidate])
  if (variable === undefined || isLoopback(hostname)) return undefined
  const exceptions = env.no_proxy || env.NO_PROXY
  if (isExcepted(hostname, exceptions)) return undefined
  const url = env[variable] ?? ''
  const isValid = /^https?:/.test(url) && URL.canParse(url)
  if (isValid) return { url, variable }
  // The value is not shown: it may contain a password.
  const problem = `${variable} is not the URL of an http or https proxy, such as http://HOST:PORT`
  throw new Failure('local', problem, { hint: unsetVariable(variable) })
}

/** Whether a list such as `pets.example, .lan, 10.0.0.0/8` or `*` has the host, as in curl. */
function isExcepted(hostname: string, list = '') {
  const host = plainName(hostname)
  const isIn = isIP(host) === 0 ? isBelow : isInNetwork
  const words = list.toLowerCase().split(/[\s,]+/)
  const entries = words.filter(Boolean).map(plainName)
  return entries.some(entry => entry === '*' || isIn(host, entry))
}

/** Without brackets, and without dots at the ends: a complete name may have one. */
function plainName(name: string) {
  return name.replace(/^(?:\*?\.|\[)|[.\]]$/g, '')
}

function isBelow(host: string, domain: string) {
  return host === domain || host.endsWith(`.${domain}`)
}

function isInNetwork(address: string, entry: string) {
  const [, network = '', bits] = /^(.*?)\]?(?:\/(\d+))?$/.exec(entry) ?? []
  const version = isIP(address)
  const longest = version === 4 ? 32 : 128
  const prefix = Number(bits ?? longest)
  if (isIP(network) !== version) return false
  if (prefix > longest) return false
  const family = version === 4 ? 'ipv4' : 'ipv6'
  const addresses = new BlockList()
  addresses.addSubnet(network, prefix, family)
  return addresses.check(address, family)
}
