import { duration, plural } from '../../model/quantities.ts'
import type { Frame, LiveTable } from '../live-table.ts'
import { clockTime } from '../table.ts'
import type { Change, Snapshot, Watcher, WatcherOptions } from './watch.ts'

interface ScreenWatcherOptions extends WatcherOptions {
  readonly table: LiveTable
  /** What is watched, for the heading. */
  readonly title: string
}

interface ScreenWatcher extends Watcher {
  /** Shows a notice below the table until the next snapshot. */
  showNotice(message: string): void
}

interface LastFailure {
  readonly message: string
  readonly nextAt: Date
}

/** Shows the current list in a terminal, with the changes since the snapshot before. */
export function createScreenWatcher(options: ScreenWatcherOptions): ScreenWatcher {
  const { table, now, title, describe, limitMessage } = options
  let last: { snapshot: Snapshot; at: Date } | undefined
  let failure: LastFailure | undefined
  let notice: string | undefined
  /** The pets that changed last; they stay in view until others change. */
  let changedIds: ReadonlySet<bigint> = new Set()

  const frame = (): Frame => {
    const limit = limitMessage(last?.snapshot.pets.length ?? 0)
    return {
      heading:
        last === undefined ? `${title}: not listed yet` : `${summary(last.snapshot)} (${title}, ${clockTime(last.at)})`,
      rows: rowsOf(last?.snapshot, changedIds),
      lines: [
        ...(limit === undefined ? [] : [limit]),
        ...(failure === undefined ? [] : failureLines(failure, last?.at, now())),
        ...(notice === undefined ? [] : [`notice: ${notice}`]),
      ],
    }
  }

  return {
    open: () => table.draw(frame),
    showSnapshot: async (snapshot) => {
      last = { snapshot, at: now() }
      const changes = visibleChanges(snapshot)
      if (changes.length > 0) changedIds = new Set(changes.map(({ pet }) => pet.id))
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
    showNotice: (message) => {
      notice = message
      table.draw(frame).catch(() => {})
    },
    close: () => table.close(),
  }
}

/** In the first snapshot, every pet would be marked. */
const visibleChanges = ({ isFirst, changes }: Snapshot): readonly Change[] => (isFirst ? [] : changes)

function failureLines({ message, nextAt }: LastFailure, listedAt: Date | undefined, now: Date): string[] {
  const age = listedAt === undefined ? '' : `this list is ${duration(wholeSeconds(now, listedAt))} old; `
  const wait = wholeSeconds(nextAt, now)
  return [`error: ${message}`, `${age}trying again ${wait === 0 ? 'now' : `in ${duration(wait)}`}`]
}

const wholeSeconds = (later: Date, earlier: Date) =>
  Math.max(0, Math.round((later.getTime() - earlier.getTime()) / 1000))

function rowsOf(snapshot: Snapshot | undefined, changedIds: ReadonlySet<bigint>): Frame['rows'] {
  if (snapshot === undefined) return []
  const changes = visibleChanges(snapshot)
  const kinds = new Map(changes.map(({ kind, pet }) => [pet.id, kind]))
  const gone = changes.filter(({ kind }) => kind === 'gone')
  return [
    ...snapshot.pets.map((pet) => ({ row: pet, mark: kinds.get(pet.id), isImportant: changedIds.has(pet.id) })),
    ...gone.map(({ pet, kind }) => ({ row: pet, mark: kind, isImportant: true })),
  ]
}

/** `26 pets, 1 added, 1 changed` */
function summary(snapshot: Snapshot): string {
  const changes = visibleChanges(snapshot)
  const kinds: readonly Change['kind'][] = ['added', 'changed', 'gone']
  const counts = kinds
    .map((kind) => ({ kind, count: changes.filter((change) => change.kind === kind).length }))
    .filter(({ count }) => count > 0)
    .map(({ kind, count }) => `${count} ${kind}`)
  return [plural(snapshot.pets.length, 'pet'), ...counts].join(', ')
}
