import { Failure, type FailureCode } from '../../failure.ts'
import { stringifyJson } from '../../model/json.ts'
import type { Pet } from '../../model/schema.ts'
import { pause } from '../../platform/promises.ts'
import { pickFields, type Row } from '../view.ts'

/** The difference between two lists for one pet. */
export type PetChange =
  | { readonly kind: 'added' | 'gone'; readonly pet: Pet }
  | { readonly kind: 'changed'; readonly pet: Pet; readonly was: Pet }

/** The list at one moment. */
export interface Snapshot {
  readonly pets: readonly Pet[]
  /** The differences from the snapshot before. In the first one, every pet is added. */
  readonly changes: readonly PetChange[]
  readonly isFirst: boolean
}

/** Shows the results of `watch`. */
export interface Watcher {
  /** Called before the first list. */
  open?(): Promise<void>
  showSnapshot(snapshot: Snapshot): Promise<void>
  showFailure(failure: Failure, secondsToNext: number): Promise<void>
  /** Shows a notice of the run until the next list. */
  showNotice?(message: string): void
  close?(): Promise<void>
}

interface WatchOptions {
  readonly list: () => Promise<readonly Pet[]>
  readonly watcher: Watcher
  readonly seconds: number
  readonly signal: AbortSignal
}

/** Failures that do not go away with time: a wrong command line, a key, this machine. */
const finalFailures: readonly FailureCode[] = ['usage', 'auth', 'local', 'interrupted']

const longestBackoffSeconds = 60

/** Node's timers overflow after 25 days. */
const longestWaitSeconds = 86_400

/** Lists again and again, until the signal aborts or a failure would only repeat. */
export async function watch({ list, watcher, seconds, signal }: WatchOptions): Promise<void> {
  let before: readonly Pet[] | undefined
  let failures = 0
  try {
    await watcher.open?.()
    for (;;) {
      let wait = seconds
      try {
        const pets = await list()
        failures = 0
        await watcher.showSnapshot({
          pets,
          changes: changesBetween(before ?? [], pets),
          isFirst: before === undefined,
        })
        before = pets
      } catch (error) {
        if (!(error instanceof Failure) || finalFailures.includes(error.code)) throw error
        failures += 1
        wait = waitAfter(failures, seconds, error.waitSeconds)
        await watcher.showFailure(error, wait)
      }
      await pause(wait * 1000, signal)
    }
  } catch (error) {
    throw signal.aborted ? signal.reason : error
  } finally {
    await watcher.close?.()
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
  const known = new Map(before.map((pet) => [pet.id, pet]))
  const present = new Set(after.map(({ id }) => id))
  const current = after.flatMap((pet): PetChange[] => {
    const was = known.get(pet.id)
    if (was === undefined) return [{ kind: 'added', pet }]
    return isSame(was, pet) ? [] : [{ kind: 'changed', pet, was }]
  })
  const gone = before
    .filter(({ id }) => !present.has(id))
    .map((pet): PetChange => ({ kind: 'gone', pet }))
  return [...current, ...gone]
}

/** Whether two pets have the same fields, in any order. */
function isSame(one: Pet, other: Pet): boolean {
  const fields = new Set([...Object.keys(one), ...Object.keys(other)])
  return [...fields].every((field) => fieldAsJson(one[field]) === fieldAsJson(other[field]))
}

const fieldAsJson = (value: unknown) => (value === undefined ? undefined : stringifyJson(value))

export interface WatcherOptions {
  readonly now: () => Date
  /** The message that a list of this length may be incomplete. */
  readonly limitMessage: (count: number) => string | undefined
  /** A failure as JSON. */
  readonly describe: (failure: Failure) => Promise<{ readonly message: string }>
}

interface JsonWatcherOptions extends WatcherOptions {
  readonly print: (event: Row) => Promise<void>
  /** The fields of the pets in an event; undefined for all. */
  readonly fields: readonly string[] | undefined
  readonly notice: (code: string, message: string) => Promise<void>
}

/** Prints each change as a line of JSON. */
export function createJsonWatcher({
  now,
  print,
  fields,
  describe,
  limitMessage,
  notice,
}: JsonWatcherOptions): Watcher {
  let lastMessage: string | undefined
  const head = (event: string) => ({ event, time: now().toISOString() })
  return {
    showSnapshot: async ({ pets, changes, isFirst }) => {
      const message = limitMessage(pets.length)
      if (message !== undefined && message !== lastMessage) await notice('more', message)
      lastMessage = message
      for (const change of changes) {
        const pet = pickFields<Row>(change.pet, fields)
        if (change.kind === 'added') await print({ ...head('added'), initial: isFirst, pet })
        else if (change.kind === 'changed')
          await print({ ...head('changed'), pet, was: pickFields<Row>(change.was, fields) })
        else await print({ ...head('gone'), pet })
      }
    },
    showFailure: async (failure, secondsToNext) =>
      print({
        ...head('error'),
        error: await describe(failure),
        nextLookInSeconds: secondsToNext,
      }),
  }
}
