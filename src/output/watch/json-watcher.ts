import type { Failure } from '../../failure.ts'
import type { Row } from '../columns.ts'
import type { Watcher } from './watch.ts'

interface JsonWatcherOptions {
  readonly now: () => Date
  /** Prints one event and the pets that it is about. */
  readonly print: (event: Row, pets: Readonly<Record<string, Row>>) => Promise<void>
  /** A failure as programs see it. */
  readonly describe: (failure: Failure) => Promise<Row>
  /** Says that a list of this length may not be all. */
  readonly limitMessage: (count: number) => string | undefined
  readonly notice: (code: string, message: string) => Promise<void>
}

/** Prints each change as a line of JSON. */
export function createJsonWatcher({ now, print, describe, limitMessage, notice }: JsonWatcherOptions): Watcher {
  let lastMessage: string | undefined
  const head = (event: string) => ({ event, time: now().toISOString() })
  return {
    open: async () => {},
    showSnapshot: async ({ pets, changes }) => {
      const message = limitMessage(pets.length)
      if (message !== undefined && message !== lastMessage) await notice('more', message)
      lastMessage = message
      for (const change of changes) {
        const { kind, pet } = change
        await print(head(kind), kind === 'changed' ? { pet, was: change.was } : { pet })
      }
    },
    showFailure: async (failure, secondsToNext) =>
      print({ ...head('error'), error: await describe(failure), nextLookInSeconds: secondsToNext }, {}),
    close: async () => {},
  }
}
