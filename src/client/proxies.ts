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
  const exceptions = env.no_proxy || env.NO_PROXY || ''
  const { hostname } = target
  if (isLoopback(hostname) || isExcepted(hostname, exceptions)) return undefined
  const url = env[variable] ?? ''
  if (/^https?:/.test(url) && URL.canParse(url)) return { url, variable }
  // The value is not shown: it may contain a password.
  const problem = `${variable} is not the URL of an http or https proxy, such as http://HOST:PORT`
  throw new Failure('local', problem, { hint: unsetVariable(variable) })
}

/** Whether a list such as `internal.example, .lan` or `*` has the host or a domain of it. */
function isExcepted(hostname: string, list: string) {
  const entries = list.toLowerCase().match(/[^\s,]+/g) ?? []
  return entries.some(entry => {
    const domain = entry.replace(/^\*?\./, '')
    return domain === '*' || `.${hostname}`.endsWith(`.${domain}`)
  })
}
