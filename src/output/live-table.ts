import type { Host } from '../platform/host.ts'
import type { Row } from './columns.ts'
import { write } from './stream.ts'
import type { Style } from './style.ts'
import { renderTable } from './table.ts'
import { visibleLine } from './visible.ts'
import { truncate } from './width.ts'

/** A table on the alternate screen of a terminal, redrawn in place. */
export interface LiveTable {
  /** Draws the frame, and draws it again whenever it changes: as time passes, and when the terminal is resized. */
  draw(frame: () => Frame): Promise<void>
  /** Restores the terminal. */
  close(): Promise<void>
}

export interface Frame {
  readonly heading: string
  readonly rows: readonly { readonly row: Row; readonly mark?: Mark | undefined }[]
  /** Below the table. */
  readonly lines: readonly string[]
}

type Mark = 'added' | 'changed' | 'gone'

interface LiveTableOptions {
  readonly host: Host
  readonly columns: readonly string[]
  readonly style: Style
}

const control = '\u001b['
/** The alternate screen, no cursor, no wrapping of lines. */
const enter = `${control}?1049h${control}?25l${control}?7l`
const leave = `${control}?7h${control}?25h${control}?1049l`
/** Terminals with synchronized output show a frame only when it is complete. */
const begin = `${control}?2026h${control}H`
const end = `${control}J${control}?2026l`
const restOfLine = `${control}K`

const signs: Readonly<Record<Mark, string>> = { added: '+', changed: '~', gone: '-' }

export function createLiveTable({ host, columns, style }: LiveTableOptions): LiveTable {
  let frame: (() => Frame) | undefined
  let shown: string | undefined
  let stop = () => {}

  const put = (text: string) => write(host.stdout, text)
  const refresh = async () => {
    if (frame === undefined) return
    const lines = linesOf(frame(), { columns, style, width: host.columns(), height: host.rows() })
    // Clearing the screen first would make it flicker.
    const text = lines.map((line) => `${line}${restOfLine}`).join('\r\n')
    if (text === shown) return
    shown = text
    await put(`${begin}${text}${end}`)
  }
  const open = async () => {
    const tick = setInterval(() => refresh().catch(() => {}), 1000)
    const stopListening = host.onResize(() => {
      shown = undefined
      refresh().catch(() => {})
    })
    stop = () => {
      clearInterval(tick)
      stopListening()
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

interface Canvas {
  readonly columns: readonly string[]
  readonly style: Style
  readonly width: number
  readonly height: number
}

const gutter = 2

/** As many rows as fit; the lines below the table have priority. */
function linesOf({ heading, rows, lines }: Frame, { columns, style, width, height }: Canvas): string[] {
  const oneLine = (text: string) => truncate(visibleLine(text), width)
  const below = lines.map((line) => style.notice(oneLine(line)))
  const room = Math.max(1, height - 2 - below.length)
  const shown = rows.length > room ? rows.slice(0, room - 1) : rows
  const table = renderTable(
    shown.map(({ row }) => row),
    columns,
    { width: Math.max(1, width - gutter), style },
  )
  const [header = '', ...body] = table.trimEnd().split('\n')
  const marked = body.map((line, index) => `${signOf(shown[index]?.mark, style)} ${line}`)
  const rest = shown.length < rows.length ? [oneLine(`  and ${rows.length - shown.length} more`)] : []
  return [oneLine(heading), `  ${header}`, ...marked, ...rest, ...below].slice(0, height)
}

function signOf(mark: Mark | undefined, style: Style): string {
  switch (mark) {
    case 'added':
      return style.good(signs.added)
    case 'changed':
      return style.waiting(signs.changed)
    case 'gone':
      return style.past(signs.gone)
    case undefined:
      return ' '
  }
}
