import { stringifyJson } from '../model/json.ts'
import type { Row } from './columns.ts'

/** The text of a field for a cell: empty if absent or null, a string as it is, everything else as compact JSON. */
export function cellText(row: Row, column: string): string {
  const value = Object.hasOwn(row, column) ? row[column] : undefined
  if (value === undefined || value === null) return ''
  return typeof value === 'string' ? value : stringifyJson(value)
}
