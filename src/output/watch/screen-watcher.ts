import type { Failure } from '../../failure.ts'
import { duration, plural } from '../../model/quantities.ts'
import type { Frame, LiveTable } from '../live-table.ts'
import type { Change, Snapshot, Watcher } from './watch.ts'

interface ScreenWatcherOptions {
  readonly table: LiveTable
  readonly now: () => Date
  /** What is watched, for the heading. */
  readonly title: string
  readonly describe: (failure: Failure) => Promise<string>
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
export function createScreenWatcher({ table, now, title, describe }: ScreenWatcherOptions): ScreenWatcher {
  let last: { snapshot: Snapshot; at: Date } | undefined
  let failure: LastFailure | undefined
  let notice: string | undefined

  const frame = (): Frame => {
    const lastLook = last === undefined ? 'no look yet' : `last look ${clock(last.at)}`
    const lines = failure === undefined ? [] : failureLines(failure, last?.at, now())
    return {
      heading: `${title}, ${lastLook}${summary(last?.snapshot)}`,
      rows: rowsOf(last?.snapshot),
      lines: [...lines, ...(notice ? [`notice: ${notice}`] : [])],
    }
  }

  return {
    showSnapshot: async (snapshot) => {
      last = { snapshot, at: now() }
      failure = undefined
      notice = undefined
      await table.draw(frame)
    },
    showFailure: async (error, secondsToNext) => {
      const message = await describe(error)
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

function failureLines({ message, nextAt }: LastFailure, lastLook: Date | undefined, now: Date): string[] {
  const age = lastLook === undefined ? '' : `what is shown was seen ${ago(lastLook, now)}; `
  return [`error: ${message}`, `${age}next look ${inTime(nextAt, now)}`]
}

function rowsOf(snapshot: Snapshot | undefined): Frame['rows'] {
  if (snapshot === undefined) return []
  // In the first snapshot, every pet would be marked.
  const changes = snapshot.isFirst ? [] : snapshot.changes
  const kinds = new Map(changes.map(({ kind, pet }) => [pet.id, kind]))
  const gone = changes.filter(({ kind }) => kind === 'gone')
  return [
    ...snapshot.pets.map((pet) => ({ row: pet, mark: kinds.get(pet.id) })),
    ...gone.map(({ pet, kind }) => ({ row: pet, mark: kind })),
  ]
}

function summary(snapshot: Snapshot | undefined): string {
  if (snapshot === undefined) return ''
  const count = `: ${plural(snapshot.pets.length, 'pet')}`
  if (snapshot.isFirst) return count
  const kinds: readonly Change['kind'][] = ['added', 'changed', 'gone']
  const parts = kinds
    .map((kind) => ({ kind, many: snapshot.changes.filter((change) => change.kind === kind).length }))
    .filter(({ many }) => many > 0)
    .map(({ kind, many }) => `${many} ${kind}`)
  return parts.length === 0 ? count : `${count}, ${parts.join(', ')}`
}

function clock(at: Date): string {
  return [at.getHours(), at.getMinutes(), at.getSeconds()].map((part) => String(part).padStart(2, '0')).join(':')
}

function ago(at: Date, now: Date): string {
  return `${duration(wholeSeconds(at, now))} ago`
}

function inTime(at: Date, now: Date): string {
  return at <= now ? 'now' : `in ${duration(wholeSeconds(now, at))}`
}

function wholeSeconds(from: Date, to: Date): number {
  return Math.max(0, Math.round((to.getTime() - from.getTime()) / 1000))
}
