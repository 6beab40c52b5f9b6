import { loginCommand, type RequestEndpoint } from '../model/endpoint.ts'
import { commandLine } from '../text/shell.ts'
import type { Redact } from '../text/visible.ts'
import type { Call } from './operations.ts'
import type { Outcome } from './retry-policy.ts'
import { TransportFault } from './transport-fault.ts'

/** A call, and where it went. */
export interface SentCall {
  readonly call: Call
  readonly endpoint: RequestEndpoint
  readonly redact: Redact
  /** An idempotency key that the user chose. */
  readonly givenKey?: string | undefined
}

/** The command to run after this failure, if another one than before: the first reason decides. */
export function nextCommand(outcome: Outcome, sent: SentCall): string | undefined {
  const { code, end } = outcome
  const { call, endpoint, redact } = sent
  const { login, keyVariable, environment } = endpoint
  const options = { '--env': environment }
  const finder = call.find && commandLine(call.find(redact), { options })
  if (code === 'in-doubt') return finder
  if (code === 'auth') {
    const isSaved = keyVariable === undefined
    return login ?? (isSaved ? loginCommand(environment) : 'petstore help environment')
  }
  const isWrongUrl = isUrlSuspect(outcome, sent)
  if (login !== undefined && isWrongUrl) return 'petstore auth login --help'
  if (code === 'rejected') return `${call.command} --help`
  if (isWrongUrl) return startCommand(outcome, sent) ?? 'petstore env list'
  if (code === 'not-found') return finder
  return end instanceof TransportFault ? end.facts.hint : undefined
}

/** Starts the local service again, if it was there. */
function startCommand({ end }: Outcome, { endpoint }: SentCall) {
  const isRefused = end instanceof TransportFault && end.kind === 'refused'
  const [, port] = /^http:\/\/(?:127\.0\.0\.1|localhost):(\d+)(?:\/v1)?$/.exec(endpoint.url) ?? []
  return isRefused && port !== undefined ? `petstore serve --port ${port}` : undefined
}

/** Whether the likeliest cause is a wrong URL: nothing answers there, or something else does. */
export function isUrlSuspect(
  { code, end, status = 0 }: Outcome,
  { call, endpoint }: SentCall
): boolean {
  if (end instanceof TransportFault)
    return end.facts.isUrlSuspect === true && end.details.proxy === undefined
  if (code === 'not-found') return call.thing === undefined
  // A login asks for the first pet, which no service refuses.
  if (code === 'rejected') return endpoint.login !== undefined
  return code === 'service' && (status < 400 || status > 599 || status === 501)
}
