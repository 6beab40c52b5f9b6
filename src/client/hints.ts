import type { Endpoint } from '../model/endpoint.ts'
import { exportCommand } from '../platform/shell.ts'
import { codeOf, faultTraits, ProxyError, type TransportFault } from './fault.ts'
import type { Call } from './operations.ts'
import { longestWait, type Repetition, type Verdict } from './retry-policy.ts'

/** A failed call, with everything that decides what to do next. */
export interface FailedCall {
  readonly call: Call
  readonly endpoint: Endpoint
  readonly code: Verdict['code']
  readonly repetition?: Repetition
  readonly fault?: TransportFault | undefined
  readonly status?: number | undefined
  /** How many seconds the service asked to wait. */
  readonly waitSeconds?: number | undefined
}

/** For a change that must not be made twice, and for a request that only the user can compose. */
const generalCheck = 'petstore doctor'
const moreRetries = 10
const longestTimeout = 86_400

/** The command to run after this failure. */
export function hintFor(failed: FailedCall): string | undefined {
  const { call, endpoint, code, fault, waitSeconds = 0 } = failed
  const { command, look } = call
  const at = (line: string | undefined) => line && `${line} --env ${endpoint.environment}`
  // During a login the environment has neither its URL nor its key yet.
  const repeat = endpoint.login ?? at(call.repeat)

  if (code === 'in-doubt') return at(look)
  if (code === 'auth') return keyHint(endpoint)
  if (code === 'rejected') return `${command} --help`
  if (isUrlSuspect(failed)) {
    if (endpoint.login !== undefined) return 'petstore auth login --help'
    // `env list` does not show a URL from a variable.
    return at(endpoint.urlVariable ? 'petstore config list' : 'petstore env list')
  }
  if (code === 'not-found') return at(look)
  if (fault?.kind === 'timeout') {
    const seconds = Math.min(Math.max(60, 2 * (fault.seconds ?? 0)), longestTimeout)
    return `${repeat ?? at(generalCheck)} --timeout ${seconds}`
  }
  const faultHint = fault && (certificateHint(fault) ?? proxyHint(fault, endpoint) ?? faultTraits[fault.kind].hint)
  if (faultHint !== undefined) return faultHint
  if (waitSeconds > longestWait) return `sleep ${Math.ceil(waitSeconds)}`
  if (repeat === undefined) return at(generalCheck)
  return failed.repetition === 'automatic' ? `${repeat} --retries ${moreRetries}` : repeat
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
  if (fault !== undefined && faultTraits[fault.kind].isUrlSuspect) return true
  if (fault?.kind === 'tls') return !fault.isStarted && certificateHint(fault) === undefined
  if (code === 'not-found') return !call.isAboutOneThing
  return code === 'service' && status !== undefined && (status < 400 || status === 501 || status > 599)
}

/** Undefined if the certificate is not the problem. A wrong date is just as often this machine's clock. */
function certificateHint({ kind, cause }: TransportFault): string | undefined {
  const code = codeOf(cause)
  if (kind !== 'tls') return undefined
  if (['CERT_HAS_EXPIRED', 'CERT_NOT_YET_VALID'].includes(code)) return 'date'
  if (!/^(DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_)/.test(code)) return undefined
  return 'export NODE_EXTRA_CA_CERTS=/path/to/authority.pem'
}

/** Undefined if there is no proxy on the way. */
function proxyHint({ kind, cause }: TransportFault, { url }: Endpoint): string | undefined {
  if (!(cause instanceof ProxyError)) return undefined
  const { origin, variable } = cause.proxy
  if (kind === 'proxy-login') return exportCommand(variable, origin.replace('://', '://USER:PASSWORD@'))
  return kind === 'proxy' ? exportCommand('NO_PROXY', new URL(url).hostname) : `unset ${variable}`
}
