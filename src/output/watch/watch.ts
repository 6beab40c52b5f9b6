import { isDeepStrictEqual } from 'node:util'
import { Failure, type FailureCode } from '../../failure.ts'
import type { Pet } from '../../model/schema.ts'
import type { Host } from '../../platform/host.ts'
import { pause } from '../../platform/promises.ts'
import type { Output } from '../output.ts'
import type { Reporter } from '../reporter.ts'
import { pickFields } from '../view.ts'

/** The difference between two lists for one pet. */
export interface PetChange {
  readonly kind: 'added' | 'changed' | 'gone'
  readonly pet: Pet
  /** The pet before it changed. */
  readonly was?: Pet | undefined
}

/** A list, and what it may leave out: undefined if nothing. */
export interface PetList {
  readonly pets: readonly Pet[]
  readonly limit?: string | undefined
}

/** The list at one moment. */
export interface Snapshot extends PetList {
  /** The differences from the snapshot before. In the first one, every pet is added. */
  readonly changes: readonly PetChange[]
  readonly isFirst: boolean
}

/** An attempt to list that failed, and will be made again. */
interface FailedLook {
  readonly failure: Failure
  readonly secondsToNext: number
}

export type Looks = AsyncIterable<Snapshot | FailedLook>

/** Failures that do not go away with time: a wrong command line, a key, this machine. */
const finalFailures: readonly FailureCode[] = ['usage', 'auth', 'local', 'interrupted']

const longestBackoffSeconds = 60

/** Node's timers overflow after 25 days. */
const longestWaitSeconds = 86_400

/** Lists again and again, until the signal aborts or a failure would only repeat. */
export async function* watch(
  list: () => Promise<PetList>,
  seconds: number,
  signal: AbortSignal
): Looks {
  let before: readonly Pet[] | undefined
  let failures = 0
  for (;;) {
    let wait = seconds
    try {
      const listed = await list()
      failures = 0
      const changes = changesBetween(before ?? [], listed.pets)
      yield { ...listed, changes, isFirst: before === undefined }
      before = listed.pets
    } catch (error) {
      if (!(error instanceof Failure) || finalFailures.includes(error.code)) throw error
      failures += 1
      wait = waitAfter(failures, seconds, error.waitSeconds)
      yield { failure: error, secondsToNext: wait }
    }
    await pause(wait * 1000, signal)
  }
}

/**
 * Doubles with each consecutive failure, up to a minute, and is never shorter than the interval or
 * than the service asked for.
 */
export function waitAfter(failures: number, seconds: number, asked = 0): number {
  const backoff = Math.min(longestBackoffSeconds, seconds * 2 ** failures)
  return Math.max(seconds, backoff, Math.min(asked, longestWaitSeconds))
}

/** In the order of the new list, followed by the pets that are gone. */
export function changesBetween(before: readonly Pet[], after: readonly Pet[]): PetChange[] {
  const known = new Map(before.map(pet => [pet.id, pet]))
  const present = new Set(after.map(({ id }) => id))
  const current = after.flatMap((pet): PetChange[] => {
    const was = known.get(pet.id)
    if (was === undefined) return [{ kind: 'added', pet }]
    return isDeepStrictEqual(was, pet) ? [] : [{ kind: 'changed', pet, was }]
  })
  const gone = before
    .filter(({ id }) => !present.has(id))
    .map((pet): PetChange => ({ kind: 'gone', pet }))
  return [...current, ...gone]
}

interface EventOptions {
  readonly host: Host
  readonly output: Output
  readonly report: Reporter
}

/** Prints each change as a line of JSON. */
export async function printEvents(
  looks: Looks,
  { host, output, report }: EventOptions
): Promise<void> {
  const { fields } = await output.settings()
  const print = (event: string, details: object) =>
    output.json({ event, time: host.now().toISOString(), ...details }, { format: 'ndjson' })
  for await (const look of looks) {
    if ('failure' in look) {
      const error = await report.describe(look.failure)
      await print('error', { error, nextLookInSeconds: look.secondsToNext })
      continue
    }
    for (const { kind, pet, was } of look.changes) {
      await print(kind, {
        initial: kind === 'added' ? look.isFirst : undefined,
        pet: pickFields(pet, fields),
        was: was && pickFields(was, fields)
      })
    }
  }
}
