import { duration, plural } from '../../model/quantities.ts'
import type { Frame, LiveTable } from '../live-table.ts'
import { clockTime } from '../table.ts'
import type { Change, Snapshot, Watcher, WatcherOptions } from './watch.ts'

interface ScreenWatcherOptions extends WatcherOptions {
  readonly table: LiveTable
  /** The heading. */
  readonly title: string
}

interface ShownList extends Pick<Snapshot, 'pets' | 'changes'> {
  readonly at: Date
}

interface LastFailure {
  readonly message: string
  readonly nextAt: Date
}

/** Shows the current list in a terminal, with the changes since the snapshot before. */
export function createScreenWatcher({ table, now, title, describe, limitMessage }: ScreenWatcherOptions) {
  let last: ShownList | undefined
  let failure: LastFailure | undefined
  let notice: string | undefined
  /** The pets that changed last; they stay visible until others change. */
  let changedIds: ReadonlySet<bigint> = new Set()

  const frame = (): Frame => ({
    heading: last === undefined ? `${title}: not listed yet` : `${summary(last)} (${title}, ${clockTime(last.at)})`,
    rows: last === undefined ? [] : rowsOf(last, changedIds),
    lines: [
      limitMessage(last?.pets.length ?? 0) ?? [],
      failure === undefined ? [] : failureLines(failure, last?.at, now()),
      notice === undefined ? [] : `notice: ${notice}`,
    ].flat(),
  })

  return {
    open: () => table.draw(frame),
    showSnapshot: async ({ pets, changes, isFirst }) => {
      // In the first snapshot, every pet would be marked.
      last = { pets, changes: isFirst ? [] : changes, at: now() }
      if (last.changes.length > 0) changedIds = new Set(last.changes.map(({ pet }) => pet.id))
      failure = undefined
      notice = undefined
      await table.draw(frame)
    },
    showFailure: async (error, secondsToNext) => {
      const { message } = await describe(error)
      notice = undefined
      failure = { message, nextAt: new Date(now().getTime() + secondsToNext * 1000) }
      await table.draw(frame)
    },
    /** Shows a notice below the table until the next snapshot. */
    showNotice: (message: string) => {
      notice = message
      table.draw(frame).catch(() => {})
    },
    close: () => table.close(),
  } satisfies Watcher & { showNotice: unknown }
}

function failureLines({ message, nextAt }: LastFailure, listedAt: Date | undefined, now: Date): string[] {
  const age = listedAt === undefined ? '' : `this list is ${duration(wholeSeconds(now, listedAt))} old; `
  const wait = wholeSeconds(nextAt, now)
  return [`error: ${message}`, `${age}trying again ${wait === 0 ? 'now' : `in ${duration(wait)}`}`]
}

const wholeSeconds = (later: Date, earlier: Date) =>
  Math.max(0, Math.round((later.getTime() - earlier.getTime()) / 1000))

function rowsOf({ pets, changes }: ShownList, changedIds: ReadonlySet<bigint>): Frame['rows'] {
  const kinds = new Map(changes.map(({ kind, pet }) => [pet.id, kind]))
  const gone = changes.filter(({ kind }) => kind === 'gone')
  return [
    ...pets.map((pet) => ({ row: pet, mark: kinds.get(pet.id), isImportant: changedIds.has(pet.id) })),
    ...gone.map(({ pet, kind }) => ({ row: pet, mark: kind, isImportant: true })),
  ]
}

/** `26 pets, 1 added, 1 changed` */
function summary({ pets, changes }: ShownList): string {
  const kinds: readonly Change['kind'][] = ['added', 'changed', 'gone']
  const counts = kinds
    .map((kind) => ({ kind, count: changes.filter((change) => change.kind === kind).length }))
    .filter(({ count }) => count > 0)
    .map(({ kind, count }) => `${count} ${kind}`)
  return [plural(pets.length, 'pet'), ...counts].join(', ')
}
