import { plural } from '../../model/quantities.ts'
import { visibleLine } from '../../model/visible.ts'
import type { Host } from '../../platform/host.ts'
import type { Reporter } from '../reporter.ts'
import { ignoreUnprinted, print } from '../stream.ts'
import { renderTable } from '../table.ts'
import type { Row, View } from '../view.ts'
import { truncate } from '../width.ts'
import type { Looks, Snapshot } from './watch.ts'

interface ScreenOptions {
  readonly host: Host
  readonly report: Reporter
  readonly view: View
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

/** The column of the signs has no title. */
const signColumn = ' '

const signs = { added: '+', changed: '~', gone: '-' }

interface ListedPets extends Omit<Snapshot, 'isFirst'> {
  /** Undefined before the first list. */
  readonly time?: Date
}

/**
 * Shows the current list on the alternate screen of a terminal: first what changed, then as many
 * pets as fit.
 */
export async function showOnScreen(looks: Looks, options: ScreenOptions): Promise<void> {
  const { host, report } = options
  let listed: ListedPets = { pets: [], changes: [] }
  /** Errors and notices since the last list. */
  let messages: readonly string[] = []
  let isOpen = true
  const draw = async () => {
    const lines = linesOf(listed, messages, options)
    if (isOpen) await print(host, 'stdout', `${begin}${lines.join('\r\n')}${end}`)
  }
  const redraw = () => void draw().catch(ignoreUnprinted)
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
  const stops = [host.onResize(redraw), host.onTerminalLost(suspend, resume)]
  report.divertNotices(message => {
    messages = [`notice: ${message}`]
    redraw()
  })
  try {
    await print(host, 'stdout', enter)
    await draw()
    for await (const look of looks) {
      const time = host.now()
      if ('failure' in look) {
        const { message } = await report.describe(look.failure)
        const next = new Date(time.getTime() + look.secondsToNext * 1000)
        messages = [`error: ${message}`, `trying again at ${clockTime(next)}`]
      } else {
        // In the first snapshot, every pet would be marked.
        const changes = look.isFirst ? [] : look.changes
        listed = { ...look, changes, time }
        messages = []
      }
      await draw()
    }
  } finally {
    for (const stop of stops) stop()
    const isShown = isOpen
    isOpen = false
    if (isShown) await print(host, 'stdout', leave)
  }
}

function linesOf(
  listed: ListedPets,
  messages: readonly string[],
  { host, view, title }: ScreenOptions
): string[] {
  const { style } = view
  const width = host.columns()
  const height = host.rows()
  const fitted = (text: string) => truncate(visibleLine(text), width)
  const rows = rowsOf(listed)
  const notes = [listed.limit ?? [], messages].flat().map(fitted)
  // The heading and the titles of the columns take two lines.
  const fitting = rows.slice(0, Math.max(1, height - notes.length - 2))
  const heading = headingOf(title, listed, rows.length - fitting.length)
  const columns = [signColumn, ...view.columns]
  const table = renderTable(fitting, { columns, width, style })
  const lines = [fitted(heading), ...table.trimEnd().split('\n'), ...notes.map(style.notice)]
  return lines.slice(0, height)
}

/** First what changed. */
function rowsOf({ pets, changes }: ListedPets): Row[] {
  const changed = new Set(changes.map(({ pet }) => pet.id))
  const others = pets.filter(({ id }) => !changed.has(id))
  return [...changes.map(({ pet, kind }) => ({ ...pet, [signColumn]: signs[kind] })), ...others]
}

function headingOf(title: string, { pets, changes, time }: ListedPets, hidden: number): string {
  if (time === undefined) return `${title}: not listed yet${wayOut}`
  const counts = [plural(pets.length, 'pet')]
  if (changes.length > 0) counts.push(plural(changes.length, 'change'))
  if (hidden > 0) counts.push(`${hidden} not shown`)
  return `${counts.join(', ')} (${title}, ${clockTime(time)})${wayOut}`
}
