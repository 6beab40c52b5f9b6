import { plural } from '../../model/quantities.ts'
import { visibleLine } from '../../model/visible.ts'
import type { Host } from '../../platform/host.ts'
import { ignoreUnprinted, write } from '../stream.ts'
import { renderTable } from '../table.ts'
import type { View } from '../view.ts'
import { truncate } from '../width.ts'
import type { PetChange, Snapshot, Watcher, WatcherOptions } from './watch.ts'

interface ScreenWatcherOptions extends WatcherOptions {
  readonly host: Host
  readonly view: Pick<View, 'columns' | 'style'>
  /** The name of the environment, for the heading. */
  readonly title: string
}

const control = '\u001b['
/** The alternate screen, no cursor, no wrapping of lines. */
const enter = `${control}?1049h${control}?25l${control}?7l`
const leave = `${control}?7h${control}?25h${control}?1049l`
/** Clears the screen. Terminals with synchronized output show a frame only when it is complete. */
const begin = `${control}?2026h${control}H${control}J`
const end = `${control}?2026l`

/** `18:56:24` */
const clockTime = (time: Date) => time.toTimeString().slice(0, 8)

const wayOut = '; Ctrl-C ends'

const signs = {
  added: ['+', 'good'],
  changed: ['~', 'waiting'],
  gone: ['-', 'past'],
} as const

/** The width of a sign and the space after it. */
const gutter = 2

interface ListedPets extends Omit<Snapshot, 'isFirst'> {
  readonly at: Date
}

/**
 * Shows the current list on the alternate screen of a terminal: first what changed, then as many
 * pets as fit.
 */
export function createScreenWatcher(options: ScreenWatcherOptions): Required<Watcher> {
  const { host, view, title, now, describe, limitMessage } = options
  const { columns, style } = view
  let last: ListedPets | undefined
  /** Errors and notices since the last list. */
  let messages: readonly string[] = []
  let isOpen = false
  let stops: (() => void)[] = []

  const rowsOf = ({ pets, changes }: ListedPets) => {
    const changed = new Set(changes.map(({ pet }) => pet.id))
    const others = pets.filter(({ id }) => !changed.has(id))
    return [
      ...changes.map(({ pet, kind }) => ({ pet, sign: signOf(kind) })),
      ...others.map((pet) => ({ pet, sign: ' ' })),
    ]
  }
  const lines = (): string[] => {
    const width = host.columns()
    const height = host.rows()
    const fitted = (text: string) => truncate(visibleLine(text), width)
    const rows = last === undefined ? [] : rowsOf(last)
    const limit = limitMessage(last?.pets.length ?? 0) ?? []
    const notes = [limit, messages].flat().map(fitted)
    // The heading and the titles of the columns take two lines.
    const shown = rows.slice(0, Math.max(1, height - notes.length - 2))
    const heading = headingOf(title, last, rows.length - shown.length)
    const pets = shown.map(({ pet }) => pet)
    const tableWidth = Math.max(1, width - gutter)
    const table = renderTable(pets, { columns, width: tableWidth, style })
    const [header = '', ...body] = table.trimEnd().split('\n')
    return [
      fitted(heading),
      `  ${header}`,
      ...body.map((line, index) => `${shown[index]?.sign} ${line}`),
      ...notes.map(style.notice),
    ].slice(0, height)
  }
  const signOf = (kind: PetChange['kind']) => {
    const [sign, color] = signs[kind]
    return style[color](sign)
  }
  const draw = async () => {
    if (isOpen) await write(host.stdout, `${begin}${lines().join('\r\n')}${end}`)
  }
  const redraw = () => void draw().catch(ignoreUnprinted)

  return {
    open: async () => {
      // While another program has the terminal, nothing is drawn.
      const suspend = () => {
        isOpen = false
        host.stdout.write(leave)
      }
      const resume = () => {
        isOpen = true
        host.stdout.write(enter)
        redraw()
      }
      stops = [host.onResize(redraw), host.onTerminalLost(suspend, resume)]
      isOpen = true
      await write(host.stdout, enter)
      await draw()
    },
    showSnapshot: async ({ pets, changes, isFirst }) => {
      // In the first snapshot, every pet would be marked.
      last = { pets, changes: isFirst ? [] : changes, at: now() }
      messages = []
      await draw()
    },
    showFailure: async (failure, secondsToNext) => {
      const { message } = await describe(failure)
      const next = now().getTime() + secondsToNext * 1000
      const time = clockTime(new Date(next))
      messages = [`error: ${message}`, `trying again at ${time}`]
      await draw()
    },
    showNotice: (message) => {
      messages = [`notice: ${message}`]
      redraw()
    },
    close: async () => {
      for (const stop of stops) stop()
      if (!isOpen) return
      isOpen = false
      await write(host.stdout, leave)
    },
  }
}

function headingOf(title: string, listed: ListedPets | undefined, hidden: number): string {
  if (listed === undefined) return `${title}: not listed yet${wayOut}`
  const { pets, changes, at } = listed
  const counts = [plural(pets.length, 'pet')]
  if (changes.length > 0) counts.push(plural(changes.length, 'change'))
  if (hidden > 0) counts.push(`${hidden} not shown`)
  return `${counts.join(', ')} (${title}, ${clockTime(at)})${wayOut}`
}
