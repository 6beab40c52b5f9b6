import type { FailureCode } from '../failure.ts'
import { isSuccess, type Reply } from '../model/exchange.ts'
import { TransportFault } from './transport-fault.ts'

/** What the end of an attempt at a request means. */
export interface Meaning {
  /** How a run ends with it, unless a change is in doubt. */
  readonly code: FailureCode | 'ok'
  /** A change may have been carried out. */
  readonly mayBeDone?: true
  /** When the program sends the request again. Safely: a read, or a change with a key. */
  readonly repeated?: 'always' | 'safely' | 'with a key' | 'after doubt'
  /** It is about the contents, and so is true of each attempt with the same key. */
  readonly endsDoubt?: true
}

const refused: Meaning = { code: 'service' }
const unconnected: Meaning = { code: 'unreachable', repeated: 'always' }
const overloaded: Meaning = { code: 'service', mayBeDone: true, repeated: 'safely' }
const unclear: Meaning = { code: 'service', mayBeDone: true }

/**
 * By a status or its class, or by a fault before or after the request started. A proxy may send a
 * 408, a 5xx or a redirect to the result after the service has done the work, whatever its headers
 * say.
 */
export const meanings: Readonly<Record<string, Meaning>> = {
  '2xx': { code: 'ok', endsDoubt: true },
  '2xx with a wrong body': unclear,
  '3xx': unclear,
  304: refused,
  307: refused,
  308: refused,
  '4xx': { code: 'rejected' },
  400: { code: 'rejected', endsDoubt: true },
  401: { code: 'auth' },
  403: { code: 'auth' },
  404: { code: 'not-found' },
  408: { code: 'rejected', mayBeDone: true, repeated: 'with a key' },
  // The first attempt with its key is still in progress.
  409: { code: 'rejected', repeated: 'after doubt' },
  410: { code: 'not-found' },
  422: { code: 'rejected', endsDoubt: true },
  429: { code: 'service', repeated: 'always' },
  '5xx': { code: 'service', mayBeDone: true, repeated: 'with a key' },
  501: refused,
  502: overloaded,
  503: overloaded,
  504: overloaded,
  'connecting: refused': unconnected,
  'connecting: lost': unconnected,
  'connecting: timeout': unconnected,
  'connecting: dns-temporary': unconnected,
  'connecting: unsendable': { code: 'local' },
  'connecting: aborted': { code: 'interrupted' },
  connecting: { code: 'unreachable' },
  'started: lost': { code: 'unreachable', mayBeDone: true, repeated: 'safely' },
  'started: timeout': { code: 'unreachable', mayBeDone: true, repeated: 'with a key' },
  'started: tls': { code: 'unreachable', mayBeDone: true, repeated: 'with a key' },
  'started: not-http': { code: 'service', mayBeDone: true, repeated: 'with a key' },
  'started: aborted': { code: 'interrupted', mayBeDone: true },
  started: unclear
}

/** What decides beside the end of an attempt. */
export interface Circumstances<Value = unknown> {
  /** Whether the request changes something at the service. */
  readonly isChange: boolean
  /** The service carries out a request with an idempotency key once, however often it arrives. */
  readonly hasKey: boolean
  /** An attempt with the same key, of this run or an earlier one, may have been carried out. */
  readonly isInDoubt: boolean
  /** What the body of a success holds, or what is wrong with it. */
  readonly read?: (reply: Reply) => { value?: Value; problem?: string }
}

/** How an attempt ended, and what that means. Nothing else decides what may be repeated. */
export type Outcome<Value = unknown> = ReturnType<typeof judge<Value>>

/** Every attempt is judged once, and the outcome goes along with it. */
export function judge<Value>(end: Reply | TransportFault, circumstances: Circumstances<Value>) {
  const reply = end instanceof TransportFault ? undefined : end
  const { value, problem } = (reply && isSuccess(reply) && circumstances.read?.(reply)) || {}
  /** What this attempt means, whatever was before. */
  const meaning = meaningOf(end, problem)
  return {
    end,
    meaning,
    ...verdictOn(meaning, circumstances),
    status: reply?.status,
    /** From a `Retry-After` that can be read. */
    waitSeconds: reply && retryAfter(reply),
    value,
    /** What is wrong with the body of a success. */
    problem
  }
}

/** The closest row. A status beyond 599 has none. */
function meaningOf(end: Reply | TransportFault, problem: string | undefined) {
  if (problem !== undefined) return unclear
  if (!(end instanceof TransportFault))
    return meanings[end.status] ?? meanings[`${String(end.status).at(0)}xx`] ?? unclear
  const phase = end.details.isStarted ? 'started' : 'connecting'
  return meanings[`${phase}: ${end.kind}`] ?? meanings[phase] ?? unclear
}

/** The consequence for the run. */
export function verdictOn(
  { code, mayBeDone, repeated, endsDoubt }: Meaning,
  { isChange, hasKey, isInDoubt }: Circumstances
) {
  const isDoubtful = isChange && (mayBeDone || (isInDoubt && !endsDoubt))
  const isRepeated =
    repeated === 'always' ||
    (repeated === 'safely' && (hasKey || !isChange)) ||
    (repeated === 'with a key' && hasKey) ||
    (repeated === 'after doubt' && isInDoubt)
  return {
    code: isDoubtful ? ('in-doubt' as const) : code,
    /** By the program. */
    isRepeated,
    /** Whether the same command can be run again, and that may help. */
    isRetryable: !isDoubtful && repeated !== undefined && repeated !== 'after doubt'
  }
}

/** The longest `Retry-After` that is obeyed, in seconds. */
export const longestWait = 60

/** The date that servers send (RFC 9110, 5.6.7). */
const httpDate = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/

/**
 * How many seconds a reply asks to wait: 0 if its `Retry-After` is a date that has passed,
 * undefined if it has no valid one.
 */
export function retryAfter({ headers }: Pick<Reply, 'headers'>): number | undefined {
  const [text = ''] = [headers['retry-after']].flat()
  if (/^\d{1,99}$/.test(text)) return Number(text)
  return httpDate.test(text) ? Math.max(0, (Date.parse(text) - Date.now()) / 1000) : undefined
}
