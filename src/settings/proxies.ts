import { BlockList, isIP } from 'node:net'
import { Failure } from '../failure.ts'
import type { HttpProxy } from '../model/endpoint.ts'
import type { Host } from '../platform/host.ts'
import { isLoopback } from '../platform/name-lookup.ts'
import { decodePercents } from './address.ts'
import { resolveVariable } from './settings.ts'
import { settingTable } from './table.ts'

/** The proxy for a URL, from the same variables as in curl. Loopback never has one. */
export function proxyFor(address: string, env: Host['env']): HttpProxy | undefined {
  const url = new URL(address)
  // In a CGI program, HTTP_PROXY is the `Proxy` header of a request, which anyone can send.
  const variables = env.REQUEST_METHOD ? { ...env, HTTP_PROXY: undefined } : env
  const resolve = (name: 'https-proxy' | 'http-proxy' | 'all-proxy' | 'no-proxy') =>
    resolveVariable(settingTable[name], variables)
  const ofScheme = url.protocol === 'https:' ? 'https-proxy' : 'http-proxy'
  const proxy = resolve(ofScheme) ?? resolve('all-proxy')
  if (proxy?.origin.name === undefined || isLoopback(url.hostname)) return undefined
  const exceptions = resolve('no-proxy')?.value ?? ''
  return isExcepted(url, exceptions) ? undefined : readProxy(proxy.origin.name, proxy.value)
}

/** The same route for curl, which reads the same variables in other ways. */
export function curlRoute(address: string, env: Host['env']) {
  const isExplicit = Object.entries(env).some(
    ([name, value]) => value && /^(https?|all)_proxy$/i.test(name)
  )
  const proxy = proxyFor(address, env)
  return { proxyVariable: proxy?.variable, isExplicit }
}

/** Errors do not show the value: it may contain a password. */
function readProxy(variable: string, value: string): HttpProxy {
  const refuse = (problem: string, hint = `unset ${variable}`) =>
    new Failure('local', `${variable} ${problem}`, { hint })

  const withoutScheme = value.replace(/^https?:\/\//i, '')
  if (/([/?#]|%(?![\da-f]{2})).*@/i.test(withoutScheme))
    throw refuse('has a login in which / ? # or % must be written %2F, %3F, %23 or %25')
  const isUrl = /^https?:\/\/[^/]/i.test(value) && URL.canParse(value)
  if (!isUrl) {
    const withScheme = `http://${value}`
    const isOnlyHost = /^[\w.-]+:\d+\/?$/.test(value) && URL.canParse(withScheme)
    throw refuse(
      'is not the URL of an http or https proxy, such as http://HOST:PORT',
      isOnlyHost ? `export ${variable}=${withScheme}` : undefined
    )
  }
  const { origin, hostname, username, password } = new URL(value)
  const proxy = { origin, hostname, variable }
  if (username === '' && password === '') return proxy
  const login = decodePercents(`${username}:${password}`)
  const credentials = Buffer.from(login).toString('base64')
  return { ...proxy, authorization: `Basic ${credentials}` }
}

/**
 * Whether NO_PROXY covers the host: `*`, names and those below them, addresses, networks, with a
 * port or without.
 */
function isExcepted({ protocol, hostname, port }: URL, list: string): boolean {
  const host = bare(hostname)
  const standardPort = protocol === 'https:' ? '443' : '80'
  const number = port || standardPort
  const entries = list.split(/[,\s]/)
  return entries.some(entry => {
    if (entry === '*') return true
    const address = isIP(entry) === 6 ? `[${entry}]` : entry
    const [, name = '', entryPort] = /(.*?)(?::(\d+))?$/.exec(address) ?? []
    if (entryPort !== undefined && entryPort !== number) return false
    if (name.includes('/')) return isInNetwork(host, name)
    const excepted = bare(name.toLowerCase()).replace(/^\*?\./, '')
    return excepted !== '' && (host === excepted || host.endsWith(`.${excepted}`))
  })
}

function isInNetwork(host: string, network: string): boolean {
  const [, base = '', bits = ''] = /(.*)\/(\d{1,3})$/.exec(network) ?? []
  const start = bare(base)
  const family = isIP(start)
  if (family === 0 || family !== isIP(host)) return false
  const mostBits = family === 4 ? 32 : 128
  if (Number(bits) > mostBits) return false
  const type = family === 4 ? 'ipv4' : 'ipv6'
  const addresses = new BlockList()
  addresses.addSubnet(start, Number(bits), type)
  return addresses.check(host, type)
}

/** Without the brackets of IPv6. */
function bare(host: string): string {
  return host.replace(/[[\]]/g, '')
}
