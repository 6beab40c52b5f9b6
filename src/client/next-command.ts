import type { FailureCode } from '../failure.ts'
import { commandLine, withoutVariable } from '../platform/shell.ts'
import type { SentCall } from './operations.ts'
import { type AttemptResult, longestWait } from './retry-policy.ts'
import type { TransportFault } from './transport-fault.ts'

/** A call and how it failed: everything that decides what to do next. */
export interface FailedCall extends SentCall, Partial<AttemptResult> {
  readonly code: FailureCode
  readonly fault?: TransportFault | undefined
}

/** The command to run after this failure: the first reason that applies decides. */
export function nextCommand(failed: FailedCall): string | undefined {
  const { code } = failed
  const { login, urlVariable } = failed.endpoint
  if (code === 'in-doubt') return finder(failed)
  if (code === 'auth') return keyCommand(failed)
  const isWrongUrl = isUrlSuspect(failed)
  if (login !== undefined && (isWrongUrl || code === 'rejected'))
    return 'petstore auth login --help'
  if (code === 'rejected') return `${failed.command} --help`
  // `env list` does not show a URL from a variable.
  if (isWrongUrl)
    return here(failed, urlVariable === undefined ? 'petstore env list' : 'petstore config list')
  if (code === 'not-found') return withoutVersion(failed) ?? finder(failed)
  return remedyCommand(failed)
}

/** Shows what there is. */
function finder(failed: FailedCall): string | undefined {
  const { find, redact } = failed
  return find && here(failed, find(redact))
}

/** What removes the cause, if that is on this machine, or the command to run again. */
function remedyCommand(failed: FailedCall): string {
  const { fault, waitSeconds = 0, endpoint } = failed
  // A change must not be made twice, and only the user can compose a custom request.
  const command = failed.repeat?.(failed.redact) ?? 'petstore doctor'
  // During a login the environment has neither its URL nor its key yet.
  const again = endpoint.login ?? here(failed, command)
  const seconds = fault?.details.timeoutSeconds ?? 0
  if (fault?.kind === 'timeout') return `${again} --timeout ${Math.max(2 * seconds, 60)}`
  if (fault?.facts.hint !== undefined) return fault.facts.hint
  return waitSeconds > longestWait ? `sleep ${Math.ceil(waitSeconds)}` : again
}

/** The command line in the environment of the call. */
function here({ endpoint }: FailedCall, command: string): string {
  return `${command} --env ${endpoint.environment}`
}

/** For a custom request: the path without the end of the base URL, which it repeats. */
function withoutVersion(failed: FailedCall): string | undefined {
  const { endpoint, command, method, path, change } = failed
  const isRepeated = endpoint.url.endsWith('/v1') && path.startsWith('/v1/')
  // A query may hold secrets.
  if (!isRepeated || change !== undefined || path.includes('?')) return undefined
  return here(failed, commandLine(command, { words: [method, path.slice('/v1'.length)] }))
}

/** The command that replaces the key, or that works without the variable it is from. */
function keyCommand(failed: FailedCall): string {
  const { repeat, endpoint, redact } = failed
  const { keyVariable, login, hasSavedKey } = endpoint
  if (login !== undefined) return login
  if (keyVariable === undefined) return here(failed, 'petstore auth login')
  if (!hasSavedKey || repeat === undefined) return 'petstore help environment'
  return withoutVariable(keyVariable, here(failed, repeat(redact)))
}

/** Whether the likeliest cause is a wrong URL: nothing answers there, or something else does. */
export function isUrlSuspect({ thing, code, fault, status }: FailedCall): boolean {
  if (fault !== undefined) return fault.facts.isUrlSuspect === true
  if (code === 'not-found') return thing === undefined
  if (code !== 'service' || status === undefined) return false
  return status < 400 || status > 599 || status === 501
}
