import { type Dispatcher, Pool, ProxyAgent } from 'undici'
import { Failure } from '../failure.ts'
import { errorCode } from '../platform/errno.ts'
import { isLoopback } from '../platform/name-lookup.ts'
import { unsetVariable } from '../platform/shell.ts'

type Variables = Readonly<Record<string, string | undefined>>

/** A proxy, and the variable that sets it. */
export interface HttpProxy {
  readonly url: string
  readonly variable: string
}

/**
 * The proxy for a URL. undici's EnvHttpProxyAgent sends https through a proxy that is only for http
 * and proxies loopback, and does not say whether it used a proxy.
 */
export function proxyFor(target: URL, env: Variables): HttpProxy | undefined {
  const name = target.protocol === 'https:' ? 'https_proxy' : 'http_proxy'
  const variable = [name, name.toUpperCase()].find(candidate => env[candidate])
  if (variable === undefined) return undefined
  const exceptions = env.no_proxy || env.NO_PROXY || ''
  if (isLoopback(target.hostname) || isExcepted(target, exceptions)) return undefined
  const url = env[variable] ?? ''
  if (/^https?:/.test(url) && URL.canParse(url)) return { url, variable }
  // The value is not shown: it may contain a password.
  const problem = `${variable} is not the URL of an http or https proxy, such as http://HOST:PORT`
  throw new Failure('local', problem, { hint: unsetVariable(variable) })
}

/** Whether a list such as `internal.example, .lan` or `*` has the host or a domain of it. */
function isExcepted({ hostname }: URL, list: string): boolean {
  return list
    .toLowerCase()
    .split(/[\s,]/)
    .map(entry => entry.replace(/^\*?\./, ''))
    .some(entry => entry === '*' || (entry !== '' && `.${hostname}`.endsWith(`.${entry}`)))
}

/** As in curl, https uses a tunnel, and requests for plain http go to the proxy itself. */
export function createProxyAgent({ url }: HttpProxy, options: object): ProxyAgent {
  return new ProxyAgent({
    ...options,
    uri: url,
    proxyTunnel: false,
    clientFactory: openEntrance
  })
}

/** The connections on which a proxy is asked for tunnels. */
function openEntrance(origin: URL, options: object): Pool {
  const pool = new Pool(origin, options)
  const connect = pool.connect.bind(pool)
  const connectOnce = (target: Dispatcher.ConnectOptions) => connect(target).catch(asReset)
  return Object.assign(pool, { connect: connectOnce })
}

/**
 * If a proxy closes such a connection, undici 7 takes that for the end of an idle one and asks
 * again without end (nodejs/undici#3897). With another code the request has failed.
 */
function asReset(cause: Error): never {
  if (errorCode(cause) !== 'UND_ERR_SOCKET') throw cause
  throw Object.assign(new Error(cause.message, { cause }), { code: 'ECONNRESET' })
}
