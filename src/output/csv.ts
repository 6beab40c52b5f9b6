import { stringify } from 'csv-stringify/sync'
import { cellText } from './cell.ts'
import type { Row } from './columns.ts'
import { visibleLine } from './visible.ts'

interface CsvLook {
  /** In a terminal the text must not act; in a pipe or a file it must be exact. */
  readonly isTerminal: boolean
}

/** RFC 4180: a header always, and lines that end in CRLF. */
export function renderCsv(rows: readonly Row[], columns: readonly string[], { isTerminal }: CsvLook): string {
  const show = isTerminal ? visibleLine : (text: string) => text
  const lines = rows.map((row) => columns.map((column) => show(cellText(row, column))))
  return stringify([columns.map(show), ...lines], {
    record_delimiter: 'windows',
    // The library looks for its own delimiter, CRLF, and would leave a lone CR or LF bare.
    quoted_match: /[\r\n]/,
    // A line with nothing in it would be no record at all.
    quoted_empty: columns.length === 1,
  })
}
