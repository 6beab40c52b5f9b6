import { isExactNumber } from '../model/json.ts'
import { visibleLine } from '../model/visible.ts'
import { cellText } from './text-formats.ts'
import { asItIs, type Paint, type Renderer, type Row, type Style, type View } from './view.ts'
import { loadMeasure, type Measure, truncate } from './width.ts'

const gap = '  '
const narrowest = 3

/** More of a cell fits into no terminal, and to measure it would take long. */
const longestCell = 1000

interface Column {
  readonly name: string
  readonly heading: string
  readonly cells: readonly string[]
  readonly isNumeric: boolean
  /** In terminal columns. */
  room: number
}

export const tableRenderer: Renderer = { list: renderTable }

async function renderTable(
  rows: readonly Row[],
  { columns: names, width, style }: Pick<View, 'columns' | 'width' | 'style'>
): Promise<string> {
  const columns = names.map(name => columnOf(name, rows, width !== undefined))
  const texts = columns.flatMap(({ heading, cells }) => [heading, ...cells])
  const measure = await loadMeasure(texts)
  allot(columns, measure, width)

  const padded = ({ room, isNumeric }: Column, text: string, paint: Paint) => {
    const shown = truncate(text, room, measure)
    const padding = ' '.repeat(Math.max(0, room - measure(shown)))
    const painted = paint(shown)
    return isNumeric ? padding + painted : painted + padding
  }
  const headings = columns.map(column => padded(column, column.heading, style.header))
  const lines = rows.map((_, line) =>
    columns.map(column => {
      const text = column.cells[line] ?? ''
      const paint = paintOf(column.name, text, style)
      return padded(column, text, paint)
    })
  )
  const allLines = [headings, ...lines]
  return allLines.map(cells => `${cells.join(gap).trimEnd()}\n`).join('')
}

function columnOf(name: string, rows: readonly Row[], isTerminal: boolean): Column {
  const values = rows.flatMap(row => row[name] ?? [])
  const isNumeric = values.length > 0 && values.every(isNumber)
  const cells = rows.map(row => {
    const text = cellText(row, name)
    const isCut = isTerminal && text.length > longestCell
    const shown = isCut ? `${text.slice(0, longestCell)}…` : text
    return visibleLine(shown).trimEnd()
  })
  const heading = visibleLine(name)
  return {
    name,
    heading,
    cells,
    isNumeric,
    room: 0
  }
}

function isNumber(value: unknown): boolean {
  return typeof value === 'bigint' || typeof value === 'number' || isExactNumber(value)
}

/**
 * If the table does not fit, headings get only the room of their cells, and then the widest text
 * gives way, again and again. A number that is cut would look like another number.
 */
function allot(
  columns: readonly Column[],
  measure: Measure,
  width = Number.POSITIVE_INFINITY
): void {
  const gaps = gap.length * (columns.length - 1)
  const total = () => columns.reduce((sum, { room }) => sum + room, gaps)
  for (const column of columns) {
    const texts = [column.heading, ...column.cells]
    column.room = Math.max(...texts.map(measure))
  }
  if (total() <= width) return

  for (const column of columns) {
    const heading = Math.min(measure(column.heading), narrowest)
    column.room = Math.max(heading, ...column.cells.map(measure))
  }
  for (let excess = total() - width; excess > 0; excess -= 1) {
    const texts = columns.filter(({ isNumeric, room }) => !isNumeric && room > narrowest)
    const [widest] = texts.sort((one, other) => other.room - one.room)
    if (widest === undefined) return
    widest.room -= 1
  }
}

const statusColors: Readonly<Record<string, keyof Style>> = {
  available: 'good',
  pending: 'waiting',
  queued: 'waiting',
  sold: 'past'
}

function paintOf(column: string, text: string, style: Style): Paint {
  const color = column === 'status' ? statusColors[text] : undefined
  return color === undefined ? asItIs : style[color]
}
