import { isExactNumber } from '../model/json.ts'
import { cellText } from './cell.ts'
import type { Row } from './columns.ts'
import { fitColumns } from './fit.ts'
import type { Style } from './style.ts'
import { visibleLine } from './visible.ts'
import { padding, truncate, widthOf } from './width.ts'

interface TableLook {
  /** How wide the terminal is; undefined where the table goes elsewhere, and nothing is cut. */
  readonly width: number | undefined
  readonly style: Style
}

interface Column {
  readonly name: string
  readonly title: string
  readonly cells: readonly string[]
  readonly isNumeric: boolean
}

const gap = '  '

/** Text gives first, to where it can still be read; where that is too little, to where it can still be told apart. */
const textFloors = [8, 3, 1]

export function renderTable(rows: readonly Row[], names: readonly string[], { width, style }: TableLook): string {
  const columns = names.map((name) => columnOf(name, rows))
  const widths = columnWidths(columns, width)

  const lineOf = (textOf: (column: Column) => string, paintOf: (column: Column) => (text: string) => string) =>
    columns
      .map((column, index) => {
        const text = truncate(textOf(column), widths[index] ?? 0)
        const painted = paintOf(column)(text)
        const pad = padding(text, widths[index] ?? 0)
        return column.isNumeric ? pad + painted : painted + pad
      })
      .join(gap)
      .replace(/ +$/, '')

  const header = lineOf(
    ({ title }) => title,
    () => style.header,
  )
  const lines = rows.map((row, index) =>
    lineOf(
      ({ cells }) => cells[index] ?? '',
      ({ name }) => paintOfCell(name, row, style),
    ),
  )
  return [header, ...lines].map((line) => `${line}\n`).join('')
}

function columnOf(name: string, rows: readonly Row[]): Column {
  // A line must not end in the spaces that a name ends in.
  const cells = rows.map((row) => visibleLine(cellText(row, name)).trimEnd())
  const values = rows.map((row) => row[name]).filter((value) => value !== undefined && value !== null)
  const isNumeric = values.length > 0 && values.every(isNumber)
  return { name, title: visibleLine(name), cells, isNumeric }
}

function isNumber(value: unknown): boolean {
  return typeof value === 'bigint' || typeof value === 'number' || isExactNumber(value)
}

function columnWidths(columns: readonly Column[], width: number | undefined): number[] {
  const needs = columns.map(({ title, cells, isNumeric }) => {
    const widest = cells.reduce((most, cell) => Math.max(most, widthOf(cell)), 0)
    // Half a number is another number: its title is cut before it is.
    const floors = isNumeric ? [widest, widest, 1] : textFloors
    return { natural: Math.max(widest, widthOf(title)), floors }
  })
  if (width === undefined) return needs.map(({ natural }) => natural)
  return fitColumns(needs, width - gap.length * (columns.length - 1))
}

function paintOfCell(name: string, row: Row, style: Style): (text: string) => string {
  if (name !== 'status') return (text) => text
  switch (row[name]) {
    case 'available':
      return style.good
    case 'pending':
    case 'queued':
      return style.waiting
    case 'sold':
      return style.past
    default:
      return (text) => text
  }
}
