import type { Endpoint } from '../model/endpoint.ts'
import { isLoopback } from '../platform/name-lookup.ts'
import { exportCommand, hintWord } from '../platform/shell.ts'
import { ProxyError, type TransportFault } from './fault.ts'
import { faultTable } from './fault-table.ts'
import type { Call } from './operations.ts'
import { longestWait, type Verdict } from './retry-policy.ts'

/** A failed call, with everything that decides what to do next. */
export interface FailedCall {
  readonly call: Call
  readonly endpoint: Endpoint
  readonly code: Verdict['code']
  readonly fault?: TransportFault | undefined
  readonly status?: number | undefined
  /** How many seconds the service asked to wait. */
  readonly waitSeconds?: number | undefined
}

/** For a change that must not be made twice, and for a request that only the user can compose. */
const generalCheck = 'petstore doctor'
const longestTimeout = 86_400

/** The command to run after this failure. */
export function hintFor(failed: FailedCall): string | undefined {
  const { call, endpoint, code, fault, waitSeconds = 0 } = failed
  const { command, look, find } = call
  const at = (line: string | undefined) => line && `${line} --env ${endpoint.environment}`
  // During a login the environment has neither its URL nor its key yet.
  const repeat = endpoint.login ?? at(call.repeat)

  if (code === 'in-doubt') return at(find)
  if (code === 'auth') return keyHint(endpoint)
  if (fault?.kind === 'refused' && isOwnService(fault, endpoint)) {
    return `petstore serve --port ${new URL(endpoint.url).port || 80}`
  }
  if (endpoint.login !== undefined && (code === 'rejected' || isUrlSuspect(failed))) return 'petstore auth login --help'
  if (code === 'rejected') return `${command} --help`
  // `env list` does not show a URL from a variable.
  if (isUrlSuspect(failed)) return at(endpoint.urlVariable ? 'petstore config list' : 'petstore env list')
  if (code === 'not-found') return at(look)
  if (fault?.kind === 'timeout' || fault?.kind === 'lookup-timeout') {
    const seconds = Math.min(Math.max(60, 2 * (fault.seconds ?? 0)), longestTimeout)
    return `${repeat ?? at(generalCheck)} --timeout ${seconds}`
  }
  const faultHint = fault && (proxyHint(fault, endpoint) ?? faultTable[fault.kind].hint)
  if (faultHint !== undefined) return faultHint
  if (waitSeconds > longestWait) return `sleep ${Math.ceil(waitSeconds)}`
  return repeat ?? at(generalCheck)
}

/** The command that replaces the key. A variable is filled without showing the key. */
export function keyHint({ environment, keyVariable, login }: Endpoint): string {
  if (login !== undefined) return login
  return keyVariable === undefined
    ? `petstore auth login --env ${environment}`
    : `read -rs ${keyVariable}; export ${keyVariable}`
}

/** Whether the likeliest cause is a wrong URL: nothing answers there, or something else does. */
export function isUrlSuspect({ call, code, fault, status }: FailedCall): boolean {
  if (fault?.cause instanceof ProxyError) return false
  if (fault !== undefined && faultTable[fault.kind].isUrlSuspect) return fault.stage !== 'tls' || !fault.isStarted
  if (code === 'not-found') return !call.isAboutOneThing
  return code === 'service' && status !== undefined && (status < 400 || status === 501 || status > 599)
}

/** Whether `petstore serve` is what most likely listens there, when it runs. */
function isOwnService({ cause }: TransportFault, { url }: Endpoint): boolean {
  const { protocol, hostname } = new URL(url)
  return !(cause instanceof ProxyError) && protocol === 'http:' && isLoopback(hostname)
}

/** Undefined if there is no proxy on the way, or if the fault says more. */
function proxyHint({ kind, cause }: TransportFault, { url }: Endpoint): string | undefined {
  if (!(cause instanceof ProxyError)) return undefined
  const { origin, variable, noProxyVariable } = cause.proxy
  if (kind === 'proxy-login') return exportCommand(variable, origin.replace('://', '://USER:PASSWORD@'))
  if (kind !== 'proxy') return faultTable[kind].stage === 'tls' ? undefined : `unset ${variable}`
  const { hostname } = new URL(url)
  return noProxyVariable === undefined
    ? exportCommand('NO_PROXY', hostname)
    : `export ${noProxyVariable}="$${noProxyVariable}",${hintWord(hostname)}`
}
