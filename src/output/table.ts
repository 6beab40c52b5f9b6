import { isExactNumber } from '../text/json.ts'
import { visibleLine } from '../text/visible.ts'
import { loadMeasure, type Measure, truncate } from '../text/width.ts'
import type { Kind } from './paint.ts'
import { cellText, type Row, type View } from './view.ts'

const gap = '  '
/** Less says nothing. */
const narrowest = 5

/** To measure more of a cell would take long: a terminal has no room for it, and no pet such a name. */
const longestCell = {
  inTerminal: 1000,
  elsewhere: 10_000
}

type Column = ReturnType<typeof columnOf>

export async function renderTable(
  rows: readonly Row[],
  { columns: names, width, paint }: View
): Promise<string> {
  const isTerminal = width !== undefined
  const columns = names.map(name => columnOf(name, rows, isTerminal))
  const texts = columns.flatMap(column => column.texts)
  const measure = await loadMeasure(texts)
  allot(columns, measure, width)

  const cellOf = (column: Column, line: number) => {
    const { name, texts, room } = column
    const text = texts[line] ?? ''
    const kind = line === 0 ? 'header' : kindOf(name, text)
    const shown = truncate(text, room, measure)
    const padding = ' '.repeat(room - measure(shown))
    const painted = paint(kind, shown)
    return column.isNumeric ? padding + painted : painted + padding
  }
  const lineOf = (line: number) => {
    const cells = columns.map(column => cellOf(column, line))
    return `${cells.join(gap).trimEnd()}\n`
  }
  const heading = lineOf(0)
  const lines = rows.map((_, index) => lineOf(index + 1))
  return heading + lines.join('')
}

function columnOf(name: string, rows: readonly Row[], isTerminal: boolean) {
  const values = rows.flatMap(row => row[name] ?? [])
  const hasValues = values.length > 0
  const isNumeric = hasValues && values.every(isNumber)
  const isOfUrls = hasValues && values.every(isUrl)
  const limit = isTerminal ? longestCell.inTerminal : longestCell.elsewhere
  const cut = (text: string) => (text.length > limit ? `${text.slice(0, limit - 1)}…` : text)
  // A character may be shown by eight.
  const cells = rows.map(row => cut(visibleLine(cut(cellText(row, name)))).trimEnd())
  return {
    name,
    /** The heading, and then the cells. */
    texts: [visibleLine(name), ...cells],
    isNumeric,
    /** A number or a URL that is cut would look like another one. */
    isWhole: isNumeric || isOfUrls,
    /** In terminal columns. */
    room: 0,
    /** To which it can be cut. */
    least: 0
  }
}

function isNumber(value: unknown) {
  return typeof value === 'bigint' || typeof value === 'number' || isExactNumber(value)
}

function isUrl(value: unknown) {
  return typeof value === 'string' && /^https?:/.test(value)
}

/**
 * If the table does not fit, the widest column gives way, again and again. Where it cannot fit,
 * nothing is cut, and the terminal breaks its lines.
 */
function allot(columns: readonly Column[], measure: Measure, width = Number.POSITIVE_INFINITY) {
  for (const column of columns) {
    const [heading = 0, ...cells] = column.texts.map(measure)
    column.room = Math.max(heading, ...cells)
    const least = column.isWhole ? Math.max(narrowest, ...cells) : narrowest
    column.least = Math.min(least, column.room)
  }
  const gaps = gap.length * (columns.length - 1)
  const total = (part: 'room' | 'least') =>
    columns.reduce((sum, column) => sum + column[part], gaps)
  if (total('least') > width) return
  while (total('room') > width) {
    const flexible = columns.filter(({ least, room }) => room > least)
    const [widest] = flexible.sort((one, other) => other.room - one.room)
    if (widest !== undefined) widest.room -= 1
  }
}

const statusKinds: Readonly<Record<string, Kind>> = {
  available: 'good',
  pending: 'waiting',
  sold: 'past'
}

function kindOf(column: string, text: string) {
  return column === 'status' ? statusKinds[text] : undefined
}
