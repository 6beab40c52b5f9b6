import { stringify } from 'csv-stringify/sync'
import { cellText } from './cell.ts'
import type { Row, View } from './columns.ts'
import { visibleLine } from './visible.ts'

/** RFC 4180: lines end in CRLF. */
export function renderCsv(
  rows: readonly Row[],
  { columns, isTerminal }: Pick<View, 'columns' | 'isTerminal'>,
  hasHeader = true,
): string {
  const show = isTerminal ? visibleLine : (text: string) => text
  const header = hasHeader ? [columns.map(show)] : []
  const lines = rows.map((row) => columns.map((column) => show(cellText(row, column))))
  return stringify([...header, ...lines], {
    record_delimiter: 'windows',
    // The library looks for its own delimiter, CRLF, and would leave a lone CR or LF bare.
    quoted_match: /[\r\n]/,
    // An empty line would be no record.
    quoted_empty: columns.length === 1,
  })
}
