import { setTimeout as sleep } from 'node:timers/promises'
import { Failure, type FailureCode } from '../../failure.ts'
import type { Pet } from '../../model/pets.ts'
import { type Change, changesBetween } from './changes.ts'

/** What one look at the list found. */
export interface Look {
  readonly pets: readonly Pet[]
  /** What is different from the look before; at the first one everything is added. */
  readonly changes: readonly Change[]
  readonly isFirst: boolean
}

/** Whoever is told what is seen. */
export interface Watcher {
  saw(look: Look): Promise<void>
  missed(failure: Failure, secondsToNext: number): Promise<void>
  close(): Promise<void>
}

interface WatchOptions {
  readonly list: () => Promise<readonly Pet[]>
  readonly watcher: Watcher
  readonly seconds: number
  readonly signal: AbortSignal
}

/** Nothing that time would mend: a wrong command line, a key, this machine. */
const endings: readonly FailureCode[] = ['usage', 'auth', 'local', 'interrupted']

const longestWait = 60

/** Looks again and again. It ends by the signal, and by failures that the next look would meet as well. */
export async function watch({ list, watcher, seconds, signal }: WatchOptions): Promise<void> {
  let before: readonly Pet[] | undefined
  let failures = 0
  try {
    for (;;) {
      const looked = await look(list)
      if ('failure' in looked) {
        failures += 1
        await watcher.missed(looked.failure, waitAfter(failures, seconds))
      } else {
        failures = 0
        const { pets } = looked
        await watcher.saw({ pets, changes: changesBetween(before ?? [], pets), isFirst: before === undefined })
        before = pets
      }
      await sleep(waitAfter(failures, seconds) * 1000, undefined, { signal })
    }
  } catch (error) {
    throw signal.aborted ? signal.reason : error
  } finally {
    await watcher.close()
  }
}

async function look(list: WatchOptions['list']): Promise<{ pets: readonly Pet[] } | { failure: Failure }> {
  try {
    return { pets: await list() }
  } catch (error) {
    if (error instanceof Failure && !endings.includes(error.code)) return { failure: error }
    throw error
  }
}

/** Twice as long after each failure in a row, up to a minute, and never shorter than what was asked for. */
export function waitAfter(failures: number, seconds: number): number {
  return Math.max(seconds, Math.min(longestWait, seconds * 2 ** failures))
}
