import { isExactNumber } from '../model/json.ts'
import { visibleLine } from '../model/visible.ts'
import { cellText } from './text-formats.ts'
import type { Paint, Renderer, Row, Style, View } from './view.ts'
import { padding, truncate, widthOf } from './width.ts'

type Column = ReturnType<typeof columnOf>

const gap = '  '

/** Narrower text shows too little to be recognized. */
const narrowestText = 3

export function renderTable(
  rows: readonly Row[],
  { columns: names, width, style }: Pick<View, 'columns' | 'width' | 'style'>
): string {
  const columns = names.map(name => columnOf(name, rows))
  const widths = columnWidths(columns, width)
  const shown = columns.map(({ name, title, cells, isNumeric }, index) => {
    const columnWidth = widths[index] ?? 0
    const show = (cell: string, paint: Paint) => {
      const text = width === undefined ? cell : truncate(cell, columnWidth)
      const painted = paint(text)
      const pad = padding(text, columnWidth)
      return isNumeric ? pad + painted : painted + pad
    }
    const heading = show(title, style.header)
    const lines = cells.map(cell => {
      const paint = paintOfCell(cell, name, style)
      return show(cell, paint)
    })
    return [heading, ...lines]
  })
  let table = ''
  for (let index = 0; index <= rows.length; index += 1) {
    const cells = shown.map(column => column[index])
    const line = cells.join(gap)
    table += `${line.trimEnd()}\n`
  }
  return table
}

export const tableRenderer: Renderer = { list: renderTable }

function columnOf(name: string, rows: readonly Row[]) {
  // Trimmed, so that a line does not end in spaces of a name.
  const cells = readableCells(rows, name).map(text => visibleLine(text).trimEnd())
  const values = rows.flatMap(row => row[name] ?? [])
  return {
    name,
    title: visibleLine(name),
    cells,
    /** The width of the widest cell. */
    widest: cells.reduce((most, cell) => Math.max(most, widthOf(cell)), 0),
    isNumeric: values.length > 0 && values.every(isNumber),
    isUrl: cells.some(cell => /^https?:\/\//.test(cell))
  }
}

/** The texts of a column for people, with marks for true and false. */
export function readableCells(rows: readonly Row[], column: string): string[] {
  const texts = rows.map(row => cellText(row, column))
  const isYesOrNo = texts.every(text => ['', 'true', 'false'].includes(text))
  if (!isYesOrNo) return texts
  // Only one environment is in use, so the others need no mark.
  const no = column === 'inUse' ? '' : '✗'
  const marks: Readonly<Record<string, string>> = { true: '✓', false: no }
  return texts.map(text => marks[text] ?? text)
}

function isNumber(value: unknown): boolean {
  return typeof value === 'bigint' || typeof value === 'number' || isExactNumber(value)
}

function columnWidths(columns: readonly Column[], width: number | undefined): number[] {
  const widths = columns.map(({ title, widest }) => Math.max(widest, widthOf(title)))
  if (width === undefined) return widths
  const room = width - gap.length * (columns.length - 1)
  const hasUrls = columns.some(({ isUrl }) => isUrl)
  if (hasUrls) {
    // The titles are cut first, and with them the columns without cells.
    const cellWidths = columns.map(({ widest }) => Math.max(widest, narrowestText))
    shrink(widths, cellWidths, room)
  }
  // A number that is cut looks like another number, and a URL is of use only as a whole, with the
  // name of its row.
  const textWidths = columns.map(({ widest, isNumeric, isUrl }, index) => {
    const isName = hasUrls && index === 0
    const isWhole = isNumeric || isUrl || isName
    return isWhole ? widest : narrowestText
  })
  shrink(widths, textWidths, room)
  shrink(widths, [], room)
  return widths
}

/**
 * Makes columns narrower, the widest first and none below its floor, until they fit into the room.
 */
function shrink(widths: number[], floors: readonly number[], room: number): void {
  for (;;) {
    const total = widths.reduce((sum, width) => sum + width, 0)
    const shrinkable = widths.map((width, index) => (width > (floors[index] ?? 1) ? width : 0))
    const widest = Math.max(...shrinkable)
    if (total <= room || widest === 0) return
    widths[shrinkable.indexOf(widest)] = widest - 1
  }
}

/** Marks have a color in every column, and the others only as a status. */
const cellColors = new Map<string, keyof Style>([
  ['✓', 'good'],
  ['✗', 'error'],
  ['+', 'good'],
  ['~', 'waiting'],
  ['-', 'past'],
  ['available', 'good'],
  ['pending', 'waiting'],
  ['queued', 'waiting'],
  ['sold', 'past']
])

function paintOfCell(text: string, column: string, style: Style): Paint {
  const isColored = column === 'status' || /^[✓✗+~-]$/.test(text)
  const color = isColored ? cellColors.get(text) : undefined
  return color === undefined ? cell => cell : style[color]
}
