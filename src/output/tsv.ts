import { cellText } from './cell.ts'
import type { Row, View } from './columns.ts'
import { escapeActive } from './visible.ts'

/** Escapes as in jq's `@tsv`, which leaves other controls as they are; here they are escaped too. */
const shortForms = { '\t': '\\t', '\n': '\\n', '\r': '\\r' }

export function renderTsv(rows: readonly Row[], { columns }: Pick<View, 'columns'>): string {
  return rows.map((row) => `${columns.map((column) => escapeCell(cellText(row, column))).join('\t')}\n`).join('')
}

function escapeCell(text: string): string {
  return escapeActive(text.replaceAll('\\', '\\\\'), shortForms)
}
