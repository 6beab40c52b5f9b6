import { createHash } from 'node:crypto'
import { setMaxListeners } from 'node:events'
import { pause } from '../system/promises.ts'
import { type Around, headerOf, Refusal, type ServiceReply } from './http.ts'

/** How to make the service slow or faulty, to test other clients: the options of `serve`. */
export interface Faults {
  /** How many milliseconds later every reply comes. */
  readonly latency?: number | undefined
  /** How many requests fail at the beginning. */
  readonly failFirst?: number | undefined
  /** The share of all requests that fail: 0 for none, 1 for all. */
  readonly fail?: number | undefined
  readonly failWith?: number | NonNullable<ServiceReply['fault']> | undefined
  /** The same seed makes the same requests fail: the third, say, and the eighth. */
  readonly seed?: number | undefined
}

/**
 * Makes requests slow or faulty. A status replaces the work: nothing is changed, and 429 and 503 say
 * so with `Retry-After`. A connection is dropped or stalled before or after the work, equally often,
 * because clients must handle both. A request can ask for its own fault (`Prefer`, RFC 7240).
 */
export function misbehaveAsPlanned(faults: Faults, ending: AbortSignal): Around {
  const { latency = 0, failFirst = 0, fail = 0, failWith = 503, seed = 1 } = faults
  // Each waiting request adds a listener; without this, Node would warn of a leak.
  setMaxListeners(0, ending)
  let count = 0
  const faulty: Around = async (_, answer) => {
    count += 1
    // Looks random, and is always the same for the same request.
    const digest = createHash('sha256').update(`${seed} ${count}`).digest()
    const draw = digest.readUInt32BE(0) / 2 ** 32
    if (count > failFirst && draw >= fail) return answer()
    if (typeof failWith === 'number') return faultReply(failWith)
    const isDone = digest.readUInt8(4) < 128
    const reply = isDone ? await answer() : faultReply(503)
    return { ...reply, fault: failWith }
  }
  return async (request, answer) => {
    const preference = headerOf(request, 'prefer')
    const [, code] = /\bcode="?([45]\d\d)\b/i.exec(preference) ?? []
    // The work comes first, so that it is done even if the client gives up.
    const reply = code ? faultReply(Number(code)) : await faulty(request, answer)
    if (latency > 0) await pause(latency, ending).catch(() => {})
    const isDropped = /\bdrop\b/i.test(preference)
    return isDropped ? { ...reply, fault: 'dropped' } : reply
  }
}

const faultReply = (status: number) =>
  new Refusal(status, 'made_to_fail', 'this fault was asked for').reply
