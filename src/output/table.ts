import { isExactNumber } from '../model/json.ts'
import { visibleLine } from '../model/visible.ts'
import { cellText } from './text-formats.ts'
import { asItIs, type Paint, type Renderer, type Row, type Style, type View } from './view.ts'
import { loadMeasure, type Measure, truncate } from './width.ts'

const gap = '  '
const narrowestText = 3

/** Makes what no cell needs go first. */
const needless = 1_000_000

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
  const measure = await loadMeasure(columns.flatMap(({ heading, cells }) => [heading, ...cells]))
  const widths = fitted(columns, measure, width)
  const lineOf = (textOf: (column: Column) => string, paintOf: PaintOf) => {
    const cells = columns.map((column, index) => {
      const room = widths[index] ?? 0
      const text = truncate(textOf(column), room, measure)
      const padding = ' '.repeat(Math.max(0, room - measure(text)))
      const painted = paintOf(column.name, text)(text)
      return column.isNumeric ? padding + painted : painted + padding
    })
    return `${cells.join(gap).trimEnd()}\n`
  }
  const heading = lineOf(
    column => column.heading,
    () => style.header
  )
  const lines = rows.map((_, line) =>
    lineOf(
      ({ cells }) => cells[line] ?? '',
      (name, text) => paintOfCell(name, text, style)
    )
  )
  return heading + lines.join('')
}

type PaintOf = (column: string, text: string) => Paint

function columnOf(name: string, rows: readonly Row[], isTerminal: boolean): Column {
  const values = rows.flatMap(row => row[name] ?? [])
  const isNumeric = values.length > 0 && values.every(isNumber)
  const cells = rows.map(row => {
    const text = marks.get(row[name]) ?? cellText(row, name)
    const isCut = isTerminal && text.length > longestCell
    const shown = isCut ? `${text.slice(0, longestCell)}…` : text
    return visibleLine(shown).trimEnd()
  })
  return { name, heading: visibleLine(name), cells, isNumeric }
}

const marks = new Map<unknown, string>([
  [true, '✓'],
  [false, '✗']
])

const isNumber = (value: unknown) =>
  typeof value === 'bigint' || typeof value === 'number' || isExactNumber(value)

/**
 * Cuts until the table fits: first headings that are longer than their cells, then texts, the widest
 * first. A number that is cut looks like another number.
 */
function fitted(columns: readonly Column[], measure: Measure, width: number | undefined): number[] {
  const widest = columns.map(({ cells }) => Math.max(0, ...cells.map(measure)))
  const widths = columns.map(({ heading }, index) => Math.max(measure(heading), widest[index] ?? 0))
  if (width === undefined) return widths
  const costOf = (column: Column, index: number) => {
    const [room = 0, needed = 0] = [widths[index], widest[index]]
    if (room <= narrowestText) return 0
    if (room > needed) return room + needless
    return column.isNumeric ? 0 : room
  }
  const gaps = gap.length * (columns.length - 1)
  let excess = widths.reduce((sum, one) => sum + one, gaps) - width
  for (; excess > 0; excess -= 1) {
    const costs = columns.map(costOf)
    const most = costs.indexOf(Math.max(...costs))
    if (costs[most] === 0) break
    widths[most] = (widths[most] ?? 0) - 1
  }
  return widths
}

const colors: Readonly<Record<string, keyof Style>> = {
  '✓': 'good',
  '✗': 'past',
  available: 'good',
  pending: 'waiting',
  queued: 'waiting',
  sold: 'past'
}

function paintOfCell(column: string, text: string, style: Style): Paint {
  const isMark = text === '✓' || text === '✗'
  const color = isMark || column === 'status' ? colors[text] : undefined
  return color === undefined ? asItIs : style[color]
}
