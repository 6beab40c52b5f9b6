import { isExactNumber } from '../model/json.ts'
import { visibleLine } from '../model/visible.ts'
import { cellText } from './text-formats.ts'
import { asItIs, type Paint, type Renderer, type Row, type Style, type View } from './view.ts'
import { loadMeasure, truncate } from './width.ts'

const gap = '  '
const narrowestText = 3

/** More of a cell fits into no terminal, and to measure it would take long. */
const longestCell = 1000

interface Column {
  readonly name: string
  /** The first one is the heading. */
  readonly cells: readonly string[]
  readonly isNumeric: boolean
}

export const tableRenderer: Renderer = { list: renderTable }

async function renderTable(
  rows: readonly Row[],
  { columns: names, width, style }: Pick<View, 'columns' | 'width' | 'style'>
): Promise<string> {
  const columns = names.map(name => columnOf(name, rows, width !== undefined))
  const measure = await loadMeasure(columns.flatMap(({ cells }) => cells))
  const widest = columns.map(({ cells }) => Math.max(...cells.map(measure)))
  const widths = width === undefined ? widest : fitted(widest, columns, width)
  const lineAt = (line: number) => {
    const cells = columns.map(({ name, cells, isNumeric }, index) => {
      const room = widths[index] ?? 0
      const text = truncate(cells[line] ?? '', room, measure)
      const paint = line === 0 ? style.header : paintOfCell(name, text, style)
      const padding = ' '.repeat(Math.max(0, room - measure(text)))
      return isNumeric ? padding + paint(text) : paint(text) + padding
    })
    return `${cells.join(gap).trimEnd()}\n`
  }
  return ['heading', ...rows].map((_, line) => lineAt(line)).join('')
}

function columnOf(name: string, rows: readonly Row[], isTerminal: boolean): Column {
  const values = rows.flatMap(row => row[name] ?? [])
  const isNumeric = values.length > 0 && values.every(isNumber)
  const cells = rows.map(row => {
    const text = marks.get(row[name]) ?? cellText(row, name)
    const isCut = isTerminal && text.length > longestCell
    const shown = isCut ? `${text.slice(0, longestCell)}…` : text
    return visibleLine(shown).trimEnd()
  })
  return { name, cells: [visibleLine(name), ...cells], isNumeric }
}

const marks = new Map<unknown, string>([
  [true, '✓'],
  [false, '✗']
])

const isNumber = (value: unknown) =>
  typeof value === 'bigint' || typeof value === 'number' || isExactNumber(value)

/** Cuts the widest texts until the table fits; a number that is cut looks like another number. */
function fitted(widest: readonly number[], columns: readonly Column[], width: number): number[] {
  const widths = widest.map(one => Math.min(one, width))
  const gaps = gap.length * (columns.length - 1)
  let excess = widths.reduce((sum, one) => sum + one, gaps) - width
  for (; excess > 0; excess -= 1) {
    const ofTexts = widths.map((one, index) => (columns[index]?.isNumeric ? 0 : one))
    const most = Math.max(...ofTexts)
    if (most <= narrowestText) break
    widths[ofTexts.indexOf(most)] = most - 1
  }
  return widths
}

const colors: Readonly<Record<string, keyof Style>> = {
  '✓': 'good',
  '✗': 'error',
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
