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
}

export const tableRenderer: Renderer = { list: renderTable }

async function renderTable(
  rows: readonly Row[],
  { columns: names, width, style }: Pick<View, 'columns' | 'width' | 'style'>
): Promise<string> {
  const columns = names.map(name => columnOf(name, rows, width !== undefined))
  const texts = columns.flatMap(({ heading, cells }) => [heading, ...cells])
  const measure = await loadMeasure(texts)
  const widths = fittedWidths(columns, measure, width)

  const placed = (text: string, index: number, paint: Paint) => {
    const room = widths[index] ?? 0
    const shown = truncate(text, room, measure)
    const padding = ' '.repeat(Math.max(0, room - measure(shown)))
    const painted = paint(shown)
    return columns[index]?.isNumeric ? padding + painted : painted + padding
  }
  const headings = columns.map(({ heading }, index) => placed(heading, index, style.header))
  const lines = rows.map((_, line) =>
    columns.map(({ name, cells }, index) => {
      const text = cells[line] ?? ''
      return placed(text, index, paintOf(name, text, style))
    })
  )
  const asLine = (cells: readonly string[]) => `${cells.join(gap).trimEnd()}\n`
  return [headings, ...lines].map(asLine).join('')
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
  return { name, heading: visibleLine(name), cells, isNumeric }
}

const isNumber = (value: unknown) =>
  typeof value === 'bigint' || typeof value === 'number' || isExactNumber(value)

/**
 * If the table does not fit, headings get only the room of their cells, and then the widest text
 * gives way, again and again. A number that is cut would look like another number.
 */
function fittedWidths(
  columns: readonly Column[],
  measure: Measure,
  width = Number.POSITIVE_INFINITY
): number[] {
  const gaps = gap.length * (columns.length - 1)
  const headings = columns.map(({ heading }) => measure(heading))
  const widths = columns.map(({ cells }, index) => {
    const least = Math.min(narrowest, headings[index] ?? 0)
    return Math.max(least, ...cells.map(measure))
  })
  const whole = widths.map((room, index) => Math.max(room, headings[index] ?? 0))
  if (sum(whole) + gaps <= width) return whole

  let excess = sum(widths) + gaps - width
  for (; excess > 0; excess -= 1) {
    const canGive = (room: number, index: number) =>
      room > narrowest && columns[index]?.isNumeric === false
    const texts = widths.map((room, index) => (canGive(room, index) ? room : 0))
    const widest = Math.max(...texts)
    if (widest === 0) break
    widths[texts.indexOf(widest)] = widest - 1
  }
  return widths
}

const sum = (numbers: readonly number[]) => numbers.reduce((total, one) => total + one, 0)

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
