import { isExactNumber } from '../model/json.ts'
import { visibleLine } from '../model/visible.ts'
import { cellText } from './text-formats.ts'
import type { Paint, Renderer, Row, Style, View } from './view.ts'
import { loadMeasure, truncate } from './width.ts'

const gap = '  '
const narrowestText = 3

/** More of a cell fits into no terminal, and to measure it would take long. */
const longestCell = 1000

interface Column {
  readonly name: string
  readonly cells: readonly string[]
  readonly isNumeric: boolean
}

export const tableRenderer: Renderer = { list: renderTable }

async function renderTable(
  rows: readonly Row[],
  { columns: names, width, style }: Pick<View, 'columns' | 'width' | 'style'>
): Promise<string> {
  const columns = names.map(name => columnOf(name, rows, width !== undefined))
  const texts = columns.flatMap(({ name, cells }) => [name, ...cells])
  const measure = await loadMeasure(texts)
  const widest = columns.map(({ name, cells }) => Math.max(...[name, ...cells].map(measure)))
  const widths = width === undefined ? widest : fitted(widest, columns, width)
  const lineOf = (texts: readonly string[], paintOf: (column: string, text: string) => Paint) => {
    const cells = columns.map(({ name, isNumeric }, index) => {
      const room = widths[index] ?? 0
      const text = truncate(texts[index] ?? '', room, measure)
      const painted = paintOf(name, text)(text)
      const padding = ' '.repeat(Math.max(0, room - measure(text)))
      return isNumeric ? padding + painted : painted + padding
    })
    return `${cells.join(gap).trimEnd()}\n`
  }
  const header = columns.map(({ name }) => name)
  const lines = rows.map((_, index) => {
    const cells = columns.map(({ cells }) => cells[index] ?? '')
    return lineOf(cells, (column, text) => paintOfCell(column, text, style))
  })
  return lineOf(header, () => style.header) + lines.join('')
}

function columnOf(name: string, rows: readonly Row[], isTerminal: boolean): Column {
  const values = rows.flatMap(row => row[name] ?? [])
  const cells = rows.map(row => {
    const value = row[name]
    if (typeof value === 'boolean') return value ? '✓' : '✗'
    const text = cellText(row, name)
    const isCut = isTerminal && text.length > longestCell
    return visibleLine(isCut ? `${text.slice(0, longestCell)}…` : text).trimEnd()
  })
  const isNumeric = values.length > 0 && values.every(isNumber)
  return { name: visibleLine(name), cells, isNumeric }
}

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
  const isState = column === 'status' || text === '✓' || text === '✗'
  const color = isState ? colors[text] : undefined
  return color === undefined ? cell => cell : style[color]
}
