import { isExactNumber } from '../model/json.ts'
import type { Result } from '../model/results.ts'
import { visibleLine } from '../model/visible.ts'
import { cellText } from './text-formats.ts'
import type { Paint, Renderer, Row, Style, View } from './view.ts'
import { brokenInto, padding, truncate, widthOf } from './width.ts'

interface Column {
  readonly name: string
  readonly title: string
  readonly cells: readonly string[]
  /** The width of the widest cell. */
  readonly widest: number
  readonly isNumeric: boolean
  readonly isUrl: boolean
}

const gap = '  '

/** Narrower text shows too little to be recognized. */
const narrowestText = 3

/** What other text is cut to before a URL or the name of a row is cut. */
const narrowestDetail = 5

export function renderTable(
  rows: readonly Row[],
  { columns: names, width, style }: Pick<View, 'columns' | 'width' | 'style'>,
): string {
  const columns = names.map((name) => columnOf(name, rows))
  const widths = columnWidths(columns, width)
  const shown = columns.map(({ name, title, cells, isNumeric }, index) => {
    const columnWidth = widths[index] ?? 0
    const show = (cell: string, paint: Paint) => {
      const text = width === undefined ? cell : truncate(cell, columnWidth)
      const pad = padding(text, columnWidth)
      return isNumeric ? pad + paint(text) : paint(text) + pad
    }
    return [
      show(title, style.header),
      ...cells.map((cell) => show(cell, paintOfCell(cell, name, style))),
    ]
  })
  const lineAt = (index: number) => shown.map((cells) => cells[index]).join(gap)
  return Array.from({ length: rows.length + 1 }, (_, index) => `${lineAt(index).trimEnd()}\n`).join(
    '',
  )
}

export const tableRenderer: Renderer = { list: renderTable }

function columnOf(name: string, rows: readonly Row[]): Column {
  // Trimmed, so that a line does not end in spaces of a name.
  const cells = readableCells(rows, name).map((text) => visibleLine(text).trimEnd())
  const values = rows
    .map((row) => row[name])
    .filter((value) => value !== undefined && value !== null)
  const isNumeric = values.length > 0 && values.every(isNumber)
  const widest = cells.reduce((most, cell) => Math.max(most, widthOf(cell)), 0)
  const isUrl = cells.some((cell) => /^https?:\/\//.test(cell))
  return { name, title: visibleLine(name), cells, widest, isNumeric, isUrl }
}

/** The texts of a column for people, with marks for true and false. */
export function readableCells(rows: readonly Row[], column: string): string[] {
  const texts = rows.map((row) => cellText(row, column))
  const isYesOrNo = texts.every((text) => text === '' || text === 'true' || text === 'false')
  if (!isYesOrNo) return texts
  // Only one environment is in use, so the others need no mark.
  const no = column === 'inUse' ? '' : '✗'
  return texts.map((text) => (text === 'true' ? '✓' : text === 'false' ? no : text))
}

const isNumber = (value: unknown) =>
  ['bigint', 'number'].includes(typeof value) || isExactNumber(value)

function columnWidths(columns: readonly Column[], width: number | undefined): number[] {
  const widths = columns.map(({ title, widest }) => Math.max(widest, widthOf(title)))
  if (width === undefined) return widths
  const room = width - gap.length * (columns.length - 1)
  if (columns.some(({ isUrl }) => isUrl)) {
    // The titles are cut first, and with them the columns without cells.
    const cellWidths = columns.map(({ widest }) => Math.max(widest, narrowestText))
    shrink(widths, cellWidths, room)
    const detailWidths = columns.map(({ isNumeric, isUrl }, index) =>
      isNumeric || isUrl || index === 0 ? room : narrowestDetail,
    )
    shrink(widths, detailWidths, room)
  }
  // A number that is cut looks like another number, so text is cut first.
  const textWidths = columns.map(({ widest, isNumeric }) => (isNumeric ? widest : narrowestText))
  shrink(widths, textWidths, room)
  shrink(widths, [], room)
  return widths
}

/**
 * Makes columns narrower, the widest first and none below its floor, until they fit into the room.
 */
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

const colorsOfMarks = new Map<string, keyof Style>([
  ['✓', 'good'],
  ['✗', 'error'],
])

const colorsOfStatuses = new Map<string, keyof Style>([
  ['available', 'good'],
  ['pending', 'waiting'],
  ['queued', 'waiting'],
  ['sold', 'past'],
])

function paintOfCell(text: string, column: string, style: Style): Paint {
  const kind =
    colorsOfMarks.get(text) ?? (column === 'status' ? colorsOfStatuses.get(text) : undefined)
  return kind === undefined ? (cell) => cell : style[kind]
}

/** One check and its result. A problem stops a command; a warning does not, or not yet. */
export type ChecklistRow = Readonly<Result<'check'>>

/** The narrowest column of details that is of use. */
const narrowestDetails = 20

/**
 * One line for each row. In a terminal, a long line continues indented, and what to do is a line of
 * its own, which is never broken: it can be copied as one line.
 */
export function renderChecklist(
  rows: readonly ChecklistRow[],
  { style, width }: Pick<View, 'style' | 'width'>,
): string {
  const marks = {
    ok: style.good('✓'),
    warning: style.waiting('!'),
    problem: style.error('✗'),
    skipped: style.past('-'),
  }
  const nameWidth = Math.max(...rows.map(({ check }) => check.length))
  const indent = ' '.repeat('✓ '.length + nameWidth + gap.length)
  const lines = rows.flatMap(({ check, state, detail, advice }) => {
    const head = `${marks[state]} ${check.padEnd(nameWidth)}${gap}`
    const text = visibleLine(detail)
    const toDo = advice === null ? [] : [`to do: ${visibleLine(advice)}`]
    if (width === undefined) return head + [text, ...toDo].join('; ')
    const detailsWidth = Math.max(width - indent.length, narrowestDetails)
    const [first, ...rest] = [...brokenInto(text, detailsWidth), ...toDo]
    return [`${head}${first}`, ...rest.map((line) => indent + line)]
  })
  return lines.map((line) => `${line}\n`).join('')
}
