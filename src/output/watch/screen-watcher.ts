import type { Failure } from '../../failure.ts'
import type { Board, Frame } from '../board.ts'
import type { Change } from './changes.ts'
import type { Look, Watcher } from './watch.ts'

interface PeopleParts {
  readonly board: Board
  readonly now: () => Date
  /** What is watched, for the heading. */
  readonly title: string
  readonly describe: (failure: Failure) => string
}

interface Missed {
  readonly message: string
  readonly nextAt: Date
}

/**
 * Shows people the list as it is now, with what changed since the look before. Notices go to `noticed` meanwhile: they
 * stand below the table until the next look has ended.
 */
export function watchForPeople({
  board,
  now,
  title,
  describe,
}: PeopleParts): Watcher & { noticed(message: string): void } {
  let last: { look: Look; at: Date } | undefined
  let missed: Missed | undefined
  let notice: string | undefined

  const frame = (): Frame => {
    const lastLook = last === undefined ? 'no look yet' : `last look ${clock(last.at)}`
    const lines = missed === undefined ? [] : failureLines(missed, last?.at, now())
    const rows = rowsOf(last?.look)
    return {
      heading: `${title}, ${lastLook}${summary(last?.look)}`,
      rows,
      lines: [...lines, ...(notice ? [`notice: ${notice}`] : [])],
    }
  }

  return {
    saw: async (look) => {
      last = { look, at: now() }
      missed = undefined
      notice = undefined
      await board.draw(frame)
    },
    missed: async (failure, secondsToNext) => {
      notice = undefined
      missed = { message: describe(failure), nextAt: new Date(now().getTime() + secondsToNext * 1000) }
      await board.draw(frame)
    },
    noticed: (message) => {
      notice = message
      board.draw(frame).catch(() => {})
    },
    close: () => board.close(),
  }
}

function failureLines({ message, nextAt }: Missed, lastLook: Date | undefined, now: Date): string[] {
  const age = lastLook === undefined ? '' : `what is shown was seen ${ago(lastLook, now)}; `
  return [`error: ${message}`, `${age}next look ${inTime(nextAt, now)}`]
}

function rowsOf(look: Look | undefined): Frame['rows'] {
  if (look === undefined) return []
  // At the first look everything would be new.
  const changes = look.isFirst ? [] : look.changes
  const kinds = new Map(changes.map(({ kind, pet }) => [pet.id, kind]))
  const gone = changes.filter(({ kind }) => kind === 'gone')
  return [
    ...look.pets.map((pet) => ({ row: pet, mark: kinds.get(pet.id) })),
    ...gone.map(({ pet, kind }) => ({ row: pet, mark: kind })),
  ]
}

function summary(look: Look | undefined): string {
  if (look === undefined) return ''
  const count = `: ${look.pets.length} ${look.pets.length === 1 ? 'animal' : 'animals'}`
  if (look.isFirst) return count
  const kinds: readonly Change['kind'][] = ['added', 'changed', 'gone']
  const parts = kinds
    .map((kind) => ({ kind, many: look.changes.filter((change) => change.kind === kind).length }))
    .filter(({ many }) => many > 0)
    .map(({ kind, many }) => `${many} ${kind}`)
  return parts.length === 0 ? count : `${count}, ${parts.join(', ')}`
}

function clock(at: Date): string {
  return [at.getHours(), at.getMinutes(), at.getSeconds()].map((part) => String(part).padStart(2, '0')).join(':')
}

function ago(at: Date, now: Date): string {
  return `${duration(now.getTime() - at.getTime())} ago`
}

function inTime(at: Date, now: Date): string {
  return at <= now ? 'now' : `in ${duration(at.getTime() - now.getTime())}`
}

function duration(milliseconds: number): string {
  const seconds = Math.max(0, Math.round(milliseconds / 1000))
  if (seconds < 60) return `${seconds} s`
  const minutes = Math.floor(seconds / 60)
  return minutes < 60 ? `${minutes} min ${seconds % 60} s` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`
}
