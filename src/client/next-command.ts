import type { RequestEndpoint } from '../model/endpoint.ts'
import { isLoopback } from '../platform/name-lookup.ts'
import { hintWord } from '../platform/shell.ts'
import type { SentCall } from './operations.ts'
import { longestWait, type Verdict } from './retry-policy.ts'
import { faultTable, ProxyError, type TransportFault } from './transport-fault.ts'

/** A call and how it failed: everything that decides what to do next. */
export interface FailedCall extends SentCall {
  readonly code: Verdict['code']
  readonly fault?: TransportFault | undefined
  readonly status?: number | undefined
  /** How many seconds the service asked to wait. */
  readonly waitSeconds?: number | undefined
}

/** The command to run after this failure: that of the first row that fits. */
export function nextCommand(failed: FailedCall): string | undefined {
  return nextCommands.find(([fits]) => fits(failed))?.[1](failed)
}

type NextCommand = readonly [
  fits: (failed: FailedCall) => boolean,
  command: (failed: FailedCall) => string | undefined,
]

const nextCommands: readonly NextCommand[] = [
  [({ code }) => code === 'in-doubt', (failed) => here(failed, failed.find?.command)],
  [({ code }) => code === 'auth', keyCommand],
  [isOwnServiceDown, ({ endpoint }) => ownServiceCommand(endpoint)],
  [isLoginRefused, () => 'petstore auth login --help'],
  [({ code }) => code === 'rejected', ({ command }) => `${command} --help`],
  [isUrlSuspect, (failed) => here(failed, urlCommand(failed.endpoint))],
  [({ code }) => code === 'not-found', (failed) => here(failed, failed.look)],
  [isTimeout, (failed) => `${repeatOrCheck(failed)} --timeout ${longerTimeout(failed)}`],
  [({ fault }) => faultCommand(fault) !== undefined, ({ fault }) => faultCommand(fault)],
  [
    ({ waitSeconds = 0 }) => waitSeconds > longestWait,
    ({ waitSeconds = 0 }) => `sleep ${Math.ceil(waitSeconds)}`,
  ],
  [() => true, repeatOrCheck],
]

/** The command line in the environment of the call. */
function here({ endpoint }: FailedCall, command: string | undefined): string | undefined {
  return command && `${command} --env ${endpoint.environment}`
}

/** A change must not be made twice, and only the user can compose a custom request. */
function repeatOrCheck(failed: FailedCall): string | undefined {
  // During a login the environment has neither its URL nor its key yet.
  return failed.endpoint.login ?? here(failed, failed.repeat ?? 'petstore doctor')
}

function isLoginRefused(failed: FailedCall): boolean {
  return failed.endpoint.login !== undefined && (failed.code === 'rejected' || isUrlSuspect(failed))
}

/** `env list` does not show a URL from a variable. */
function urlCommand({ urlVariable }: RequestEndpoint): string {
  return urlVariable === undefined ? 'petstore env list' : 'petstore config list'
}

/** The command that replaces the key, or that works without the variable it is from. */
function keyCommand(failed: FailedCall): string | undefined {
  const { repeat } = failed
  const { environment, keyVariable, login, hasSavedKey } = failed.endpoint
  if (login !== undefined) return login
  if (keyVariable === undefined) return `petstore auth login --env ${environment}`
  return hasSavedKey && repeat !== undefined
    ? `env -u ${keyVariable} ${here(failed, repeat)}`
    : 'petstore help environment'
}

/** Whether the likeliest cause is a wrong URL: nothing answers there, or something else does. */
export function isUrlSuspect({ isAboutOneThing, code, fault, status }: FailedCall): boolean {
  if (fault?.cause instanceof ProxyError) return false
  if (fault !== undefined && faultTable[fault.kind].isUrlSuspect)
    return fault.stage !== 'tls' || !fault.isStarted
  if (code === 'not-found') return !isAboutOneThing
  return (
    code === 'service' && status !== undefined && (status < 400 || status === 501 || status > 599)
  )
}

/** Whether `petstore serve` is what most likely listens there, when it runs. */
function isOwnServiceDown({ fault, endpoint }: FailedCall): boolean {
  if (fault?.kind !== 'refused' || fault.cause instanceof ProxyError) return false
  const { protocol, hostname } = new URL(endpoint.url)
  return protocol === 'http:' && isLoopback(hostname)
}

/** It listens on 127.0.0.1, which a name for this machine also leads to. */
function ownServiceCommand({ url }: RequestEndpoint): string {
  const { port, hostname } = new URL(url)
  const address = hostname.replace(/^\[(.*)\]$/, '$1')
  const isOther = /^[\d.]+$|:/.test(address) && address !== '127.0.0.1'
  return `petstore serve --port ${port || 80}${isOther ? ` --host ${address}` : ''}`
}

function isTimeout({ fault }: FailedCall): boolean {
  return fault?.kind === 'timeout' || fault?.kind === 'lookup-timeout'
}

const longestTimeout = 86_400

function longerTimeout({ fault }: FailedCall): number {
  return Math.min(Math.max(60, 2 * (fault?.seconds ?? 0)), longestTimeout)
}

/** For a fault of this machine or of a proxy. */
function faultCommand(fault: TransportFault | undefined): string | undefined {
  return fault && (proxyCommand(fault) ?? faultTable[fault.kind].hint)
}

/** Undefined if there is no proxy on the way, or if the fault says more. */
function proxyCommand({ kind, cause }: TransportFault): string | undefined {
  if (!(cause instanceof ProxyError)) return undefined
  const { origin, variable } = cause.proxy
  if (kind === 'proxy-login')
    return `export ${variable}=${hintWord(origin.replace('://', '://USER:PASSWORD@'))}`
  return faultTable[kind].stage === 'tls' ? undefined : `unset ${variable}`
}
