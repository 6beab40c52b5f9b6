import { Failure } from '../failure.ts'
import { csvLine } from '../text/csv.ts'
import { stringifyJson, type WritingOptions } from '../text/json.ts'
import { escapeActive, visibleLine } from '../text/visible.ts'
import { cellText, type Row, type View } from './view.ts'

/** One value after another, over several lines each. */
export function renderJson(values: readonly unknown[], options: WritingOptions): string {
  return renderNdjson(values, { ...options, indent: 2 })
}

/** One value a line. */
export function renderNdjson(values: readonly unknown[], options: WritingOptions): string {
  try {
    const texts = values.map(value => `${stringifyJson(value, options)}\n`)
    return texts.join('')
  } catch (cause) {
    if (!(cause instanceof RangeError)) throw cause
    // JavaScript has no longer text.
    throw new Failure('local', 'the JSON is too large to be printed', { cause })
  }
}

/**
 * Escapes as in jq's `@tsv`, which leaves other control characters unchanged; here they are escaped
 * too.
 */
const shortForms = {
  '\t': '\\t',
  '\n': '\\n',
  '\r': '\\r'
}

export function renderTsv(rows: readonly Row[], { columns }: View): string {
  const escaped = (cell: string) => {
    const text = cell.replaceAll('\\', '\\\\')
    return escapeActive(text, shortForms)
  }
  const lines = cellsOf(rows, columns).map(cells => {
    const texts = cells.map(escaped)
    return `${texts.join('\t')}\n`
  })
  return lines.join('')
}

/** CSV by RFC 4180: lines end in CRLF. */
export function renderCsv(
  rows: readonly Row[],
  { columns, width }: View,
  isFirst: boolean
): string {
  const isTerminal = width !== undefined
  const header = isFirst ? [columns] : []
  const records = [...header, ...cellsOf(rows, columns)]
  const lines = records.map(cells => {
    // A terminal must not act on the text.
    const shown = isTerminal ? cells.map(visibleLine) : cells
    const line = csvLine(shown, ',')
    // An empty line would not count as a record.
    return `${line || '""'}\r\n`
  })
  return lines.join('')
}

function cellsOf(rows: readonly Row[], columns: readonly string[]) {
  return rows.map(row => columns.map(column => cellText(row, column)))
}
