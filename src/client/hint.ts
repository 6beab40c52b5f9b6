import type { Endpoint } from '../model/endpoint.ts'
import { errorCode, type HttpProxy, ProxyError } from '../model/proxy.ts'
import type { Operation } from './operations.ts'
import { longestWait } from './retry-after.ts'
import type { Again, Fate } from './retry-policy.ts'
import type { TransportFault } from './transport-fault.ts'

/** What did not go well, and what of it decides what to do next. */
export interface Trouble {
  readonly operation: Operation
  readonly endpoint: Endpoint
  readonly code: Fate['code']
  readonly again?: Again
  readonly fault?: TransportFault | undefined
  readonly status?: number | undefined
  /** How many seconds the service asked to be left alone for. */
  readonly wait?: number | undefined
}

/** For what could change something twice, and for what only its sender knows how to write again. */
const lookAround = 'petstore doctor'
const morePatience = 10
const longestTimeout = 86_400

/** What to type after this failure. */
export function hintFor(trouble: Trouble): string | undefined {
  const { operation, endpoint, code, fault, wait = 0 } = trouble
  const { self, look } = operation.commands
  const at = (command: string | undefined) => command && `${command} --env ${endpoint.environment}`
  // The environment of a login under way has neither its address nor its key yet.
  const again = endpoint.login ?? at(operation.commands.again)

  if (code === 'in-doubt') return at(look)
  if (code === 'auth') return keyHint(endpoint)
  if (code === 'rejected') return `${self} --help`
  if (isAddressSuspect(trouble)) {
    if (endpoint.login !== undefined) return 'petstore auth login --help'
    // What is kept says nothing of an address that a variable gave.
    return at(endpoint.urlVariable ? 'petstore config list' : 'petstore env list')
  }
  if (code === 'not-found') return at(look)
  if (fault?.kind === 'timeout') {
    const seconds = Math.min(Math.max(60, 2 * (fault.seconds ?? 0)), longestTimeout)
    return `${again ?? at(lookAround)} --timeout ${seconds}`
  }
  if (fault?.kind === 'tls' && isOfCertificate(fault)) return certificateHint(fault)
  if (fault?.cause instanceof ProxyError) return proxyHint(fault.kind, fault.cause.proxy, endpoint)
  if (wait > longestWait) return `sleep ${Math.ceil(wait)}`
  if (again === undefined) return at(lookAround)
  // More patience is of use only where a request is repeated.
  return trouble.again === 'repeat' ? `${again} --retries ${morePatience}` : again
}

/** How to give another key; a variable is filled without the key showing anywhere. */
export function keyHint({ environment, keyVariable, login }: Endpoint): string {
  if (login !== undefined) return login
  return keyVariable === undefined
    ? `petstore auth login --env ${environment}`
    : `read -rs ${keyVariable}; export ${keyVariable}`
}

/** Whether nothing is likelier than a wrong address: nobody is there, or somebody else. */
export function isAddressSuspect({ operation, code, fault, status }: Trouble): boolean {
  if (fault?.cause instanceof ProxyError) return false
  if (fault !== undefined && suspectKinds.has(fault.kind)) return true
  if (fault?.kind === 'tls') return !isOfCertificate(fault)
  if (code === 'not-found') return operation.isOfOneThing !== true
  return code === 'service' && status !== undefined && (status < 400 || status === 501 || status > 599)
}

const suspectKinds = new Set(['refused', 'dns', 'unreachable', 'not-http', 'too-large', 'encoding', 'unsendable'])

const dateCodes = ['CERT_HAS_EXPIRED', 'CERT_NOT_YET_VALID']
const authorityCodes = /^(DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_)/

function isOfCertificate({ cause }: TransportFault): boolean {
  const code = errorCode(cause)
  return dateCodes.includes(code) || authorityCodes.test(code)
}

/** A date that is wrong is as often the fault of this machine's clock. */
function certificateHint({ cause }: TransportFault): string {
  return dateCodes.includes(errorCode(cause)) ? 'date' : 'export NODE_EXTRA_CA_CERTS=/path/to/authority.pem'
}

function proxyHint(kind: TransportFault['kind'], { origin, variable }: HttpProxy, { url }: Endpoint): string {
  if (kind === 'proxy-login') return `export ${variable}=${origin.replace('://', '://USER:PASSWORD@')}`
  return kind === 'proxy' ? `export NO_PROXY=${new URL(url).hostname}` : `unset ${variable}`
}
