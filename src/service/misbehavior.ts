import { createHash } from 'node:crypto'
import { setMaxListeners } from 'node:events'
import { pause } from '../platform/promises.ts'
import { type Around, headerOf, Refusal, type ServiceReply, type ServiceRequest } from './http.ts'

/** How to make the service slow or faulty, to test other clients. */
export interface FaultPlan {
  /** How much later every reply comes. */
  readonly latencyMilliseconds: number
  /** The share of the requests that fail: 0 for none, 1 for all. */
  readonly share: number
  readonly failWith: number | NonNullable<ServiceReply['fault']>
  /** The same seed makes the same requests fail: the third, say, and the eighth. */
  readonly seed: number
}

/**
 * Makes requests slow or faulty. A status replaces the work: nothing is changed, and 429 and 503 say
 * so with `Retry-After`. A connection is dropped or stalled before or after the work, equally often,
 * because clients must handle both. A request can ask for its own fault.
 */
export function misbehaveAsPlanned(plan: FaultPlan, ending: AbortSignal): Around {
  const { latencyMilliseconds, share, failWith, seed } = plan
  // Each waiting request adds a listener; without this, Node would warn of a leak.
  setMaxListeners(0, ending)
  let count = 0

  const faulty = async (answer: () => Promise<ServiceReply>): Promise<ServiceReply> => {
    const number = count++
    if (share === 0 || chance(seed, number, 'fail') >= share) return answer()
    if (typeof failWith === 'number') return faultReply(failWith)
    const isCarriedOut = chance(seed, number, 'after') < 0.5
    const reply = isCarriedOut ? await answer() : faultReply(503)
    return { ...reply, fault: failWith }
  }
  return async (request, answer) => {
    const { status, isDropped } = preferenceOf(request)
    // The work comes before the pause, so that it is done even if the client gives up.
    const reply = await (status === undefined ? faulty(answer) : faultReply(status))
    if (latencyMilliseconds > 0) await pause(latencyMilliseconds, ending).catch(() => {})
    return isDropped ? { ...reply, fault: 'dropped' } : reply
  }
}

/** `Prefer: code=503` or `Prefer: drop`, as in RFC 7240. */
function preferenceOf({ headers }: ServiceRequest) {
  const preferences = headerOf(headers, 'prefer')
    .toLowerCase()
    .split(/[,;\s]+/)
  const code = preferences.find(each => /^code="?[45]\d\d"?$/.test(each))
  const status = code === undefined ? undefined : Number(code.replace(/\D/g, ''))
  return { status, isDropped: preferences.includes('drop') }
}

function faultReply(status: number): ServiceReply {
  const headers = status === 429 || status === 503 ? { 'retry-after': '1' } : {}
  return new Refusal(status, 'made_to_fail', 'this fault was asked for', headers).reply
}

/** A number from 0 to 1 that looks random, and is always the same for the same arguments. */
function chance(seed: number, number: number, question: string): number {
  const digest = createHash('sha256').update(`${seed} ${number} ${question}`).digest()
  return digest.readUInt32BE(0) / 2 ** 32
}
