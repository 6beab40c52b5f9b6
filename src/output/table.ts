import { isExactNumber } from '../model/json.ts'
import { cellText } from './cell.ts'
import type { Row } from './columns.ts'
import type { Style } from './style.ts'
import { visibleLine } from './visible.ts'
import { padding, truncate, widthOf } from './width.ts'

interface TableOptions {
  /** The width of the terminal. Undefined elsewhere: nothing is cut. */
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

/** Text shrinks first to where it can still be read, then to where its beginning shows. */
const textFloors = [8, 3, 1]

export function renderTable(rows: readonly Row[], names: readonly string[], { width, style }: TableOptions): string {
  const columns = names.map((name) => columnOf(name, rows))
  const widths = columnWidths(columns, width)
  const isCut = width !== undefined

  const lineOf = (textOf: (column: Column) => string, paintOf: (column: Column) => (text: string) => string) =>
    columns
      .map((column, index) => {
        const cell = textOf(column)
        const text = isCut ? truncate(cell, widths[index] ?? 0) : cell
        const painted = paintOf(column)(text)
        const pad = padding(text, widths[index] ?? 0)
        return column.isNumeric ? pad + painted : painted + pad
      })
      .join(gap)
      .trimEnd()

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
  // A line must not end in the spaces at the end of a name.
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
    // Half a number is another number: the title is cut first.
    const floors = isNumeric ? [widest, widest, 1] : textFloors
    return { natural: Math.max(widest, widthOf(title)), floors }
  })
  if (width === undefined) return needs.map(({ natural }) => natural)
  return fitColumns(needs, width - gap.length * (columns.length - 1))
}

interface ColumnWidth {
  /** The width of the column if there is room. */
  readonly natural: number
  /** The narrowest it becomes in each round; the next round starts only if this one did not make enough room. */
  readonly floors: readonly number[]
}

/** The widths with which all columns fit into the room. In each round the widest columns shrink first. */
export function fitColumns(columns: readonly ColumnWidth[], room: number): number[] {
  const widths = columns.map(({ natural }) => Math.min(natural, Math.max(room, 1)))
  const rounds = Math.max(0, ...columns.map(({ floors }) => floors.length))
  for (let round = 0; round < rounds; round += 1) {
    const floors = columns.map((column) => column.floors[round] ?? 1)
    shrink(widths, floors, room)
  }
  return widths
}

function shrink(widths: number[], floors: readonly number[], room: number): void {
  let excess = widths.reduce((sum, width) => sum + width, 0) - room
  for (; excess > 0; excess -= 1) {
    let widest = -1
    widths.forEach((width, index) => {
      if (width > (floors[index] ?? 1) && width > (widths[widest] ?? 0)) widest = index
    })
    if (widest === -1) return
    widths[widest] = (widths[widest] ?? 0) - 1
  }
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
