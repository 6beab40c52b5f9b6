import { visibleLine } from '../model/visible.ts'
import type { Host } from '../platform/host.ts'
import type { Row, View } from './columns.ts'
import { write } from './stream.ts'
import type { Style } from './style.ts'
import { renderTable } from './table.ts'
import { truncate, wrap } from './width.ts'

export interface Frame {
  readonly heading: string
  readonly rows: readonly FrameRow[]
  /** Below the table. */
  readonly lines: readonly string[]
}

interface FrameRow {
  readonly row: Row
  readonly mark?: keyof typeof signs | undefined
  /** Whether the row is shown even if there is no room for all. */
  readonly isImportant: boolean
}

type LiveTableView = Pick<View, 'columns' | 'style'>

const control = '\u001b['
/** The alternate screen, no cursor, no wrapping of lines. */
const enter = `${control}?1049h${control}?25l${control}?7l`
const leave = `${control}?7h${control}?25h${control}?1049l`
/** Terminals with synchronized output show a frame only when it is complete. */
const begin = `${control}?2026h${control}H`
const end = `${control}?2026l`
const clearLine = `${control}K`
const clearBelow = `${control}J`

const signs = {
  added: ['+', 'good'],
  changed: ['~', 'waiting'],
  gone: ['-', 'past'],
} as const

/** A table on the alternate screen of a terminal, redrawn in place. */
export interface LiveTable {
  /** Draws the frame, and redraws it as time passes and when the terminal is resized. */
  draw(next: () => Frame): Promise<void>
  /** Restores the terminal. */
  close(): Promise<void>
}

export function createLiveTable(host: Host, view: LiveTableView): LiveTable {
  let frame: (() => Frame) | undefined
  let shown: string | undefined
  let stop = () => {}

  const put = (text: string) => write(host.stdout, text)
  const refresh = async () => {
    if (frame === undefined) return
    const height = host.rows()
    const lines = linesOf(frame(), view, host.columns(), height)
    // Clearing the whole screen would make it flicker. Clearing after a full line would remove its last character.
    const drawn = lines.map((line) => `${clearLine}${line}`).join('\r\n')
    const text = lines.length < height ? `${drawn}\r\n${clearBelow}` : drawn
    if (text === shown) return
    shown = text
    await put(`${begin}${text}${end}`)
  }
  const open = async () => {
    const tick = setInterval(() => refresh().catch(() => {}), 1000)
    const redraw = () => {
      shown = undefined
      refresh().catch(() => {})
    }
    const stopListening = host.onResize(redraw)
    const stopSuspending = host.onSuspend(
      () => host.stdout.write(leave),
      () => {
        host.stdout.write(enter)
        redraw()
      },
    )
    stop = () => {
      clearInterval(tick)
      stopListening()
      stopSuspending()
    }
    await put(enter)
  }

  return {
    draw: async (next) => {
      const isFirst = frame === undefined
      frame = next
      if (isFirst) await open()
      await refresh()
    },
    close: async () => {
      if (frame === undefined) return
      frame = undefined
      stop()
      await put(leave)
    },
  }
}

const gutter = 2

/** The maximum height of an error or a notice, which takes room from the table. */
const mostLinesOfText = 3

/** The lines that fit: those below the table and one row come first, then the heading, then the rest. */
function linesOf(
  { heading, rows, lines }: Frame,
  { columns, style }: LiveTableView,
  width: number,
  height: number,
): string[] {
  const oneLine = (text: string) => truncate(visibleLine(text), width)
  const below = lines.flatMap((line) => wrap(visibleLine(line), width, mostLinesOfText).map(style.notice))
  const spare = height - below.length - Math.min(1, rows.length)
  const [hasHeading, hasHeader] = [spare >= 1, spare >= 2]
  const room = height - below.length - Number(hasHeading) - Number(hasHeader)
  const shown = chooseRows(rows, room)

  const table = renderTable(
    shown.map(({ row }) => row),
    { columns, width: Math.max(1, width - gutter), style },
  )
  const [header = '', ...body] = table.trimEnd().split('\n')
  const marked = body.map((line, index) => `${signOf(shown[index]?.mark, style)} ${line}`)
  const hidden = rows.length - shown.length
  return [
    ...(hasHeading ? [oneLine(heading)] : []),
    ...(hasHeader ? [`  ${header}`] : []),
    ...marked,
    ...(hidden > 0 && shown.length < room ? [oneLine(`  and ${hidden} more`)] : []),
    ...below,
  ].slice(0, height)
}

/** All rows, or the important ones and the first of the others, with a line left to say how many are missing. */
function chooseRows(rows: readonly FrameRow[], room: number): readonly FrameRow[] {
  if (rows.length <= room) return rows
  const count = Math.max(1, room - 1)
  const important = rows.filter(({ isImportant }) => isImportant).slice(0, count)
  const others = rows.filter((row) => !important.includes(row)).slice(0, count - important.length)
  const chosen = new Set([...important, ...others])
  return rows.filter((row) => chosen.has(row))
}

function signOf(mark: FrameRow['mark'], style: Style): string {
  if (mark === undefined) return ' '
  const [sign, kind] = signs[mark]
  return style[kind](sign)
}
