import type { FailureCode } from '../failure.ts'
import type { SentCall } from './operations.ts'
import type { AttemptResult } from './retry-policy.ts'
import type { TransportFault } from './transport-fault.ts'

/** A call and how it failed: everything that decides what to do next. */
export interface FailedCall extends SentCall, AttemptResult {
  readonly code: FailureCode
  readonly fault: TransportFault | undefined
}

/** The command to run after this failure, if another one than before: the first reason decides. */
export function nextCommand(failed: FailedCall): string | undefined {
  const { code, fault, command, find, redact, endpoint } = failed
  const { login, keyVariable, environment } = endpoint
  const finder = find && `${find(redact)} --env ${environment}`
  if (code === 'in-doubt' || code === 'interrupted') return finder
  if (code === 'auth') {
    if (login !== undefined) return login
    return keyVariable === undefined
      ? `petstore auth login --env ${environment}`
      : 'petstore help environment'
  }
  const isWrongUrl = isUrlSuspect(failed)
  if (login !== undefined && isWrongUrl) return 'petstore auth login --help'
  if (code === 'rejected') return `${command} --help`
  if (isWrongUrl) return 'petstore env list'
  return code === 'not-found' ? finder : fault?.facts.hint
}

/** Whether the likeliest cause is a wrong URL: nothing answers there, or something else does. */
export function isUrlSuspect({ thing, code, fault, endpoint, status = 0 }: FailedCall): boolean {
  if (fault !== undefined)
    return fault.facts.isUrlSuspect === true && fault.details.proxy === undefined
  if (code === 'not-found') return thing === undefined
  // A login asks for the first pet, which no service refuses.
  if (code === 'rejected') return endpoint.login !== undefined
  return code === 'service' && (status < 400 || status > 599 || status === 501)
}
