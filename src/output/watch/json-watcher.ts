import type { Failure } from '../../failure.ts'
import type { Row } from '../columns.ts'
import type { Watcher } from './watch.ts'

interface EventParts {
  readonly now: () => Date
  /** Prints one event; the fields that the user chose are chosen from the things in it. */
  readonly print: (event: Row, things: Readonly<Record<string, Row>>) => Promise<void>
  /** A failure as programs see it. */
  readonly describe: (failure: Failure) => Row
}

/** Tells programs what happens, an event at a time. */
export function watchForPrograms({ now, print, describe }: EventParts): Watcher {
  const head = (event: string) => ({ event, time: now().toISOString() })
  return {
    saw: async ({ changes }) => {
      for (const change of changes) {
        const { kind, pet } = change
        await print(head(kind), kind === 'changed' ? { pet, was: change.was } : { pet })
      }
    },
    missed: (failure, secondsToNext) =>
      print({ ...head('error'), error: describe(failure), nextLookInSeconds: secondsToNext }, {}),
    close: async () => {},
  }
}
