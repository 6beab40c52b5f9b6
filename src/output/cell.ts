import { stringifyJson } from '../model/json.ts'
import type { Row } from './columns.ts'

/** The text of a field for a cell: empty if absent or null, a string as it is, everything else as compact JSON. */
export function cellText(row: Row, column: string): string {
  const value = Object.hasOwn(row, column) ? row[column] : undefined
  if (value === undefined || value === null) return ''
  return typeof value === 'string' ? value : stringifyJson(value)
}

/** The texts of a column for a reader's eyes: marks for true and false, times in the reader's own time zone. */
export function readableCells(rows: readonly Row[], column: string): string[] {
  const texts = rows.map((row) => cellText(row, column))
  if (column === 'createdAt') return texts.map(readableTime)
  const isYesOrNo = texts.every((text) => text === '' || text === 'true' || text === 'false')
  if (!isYesOrNo) return texts
  // Only one row is in use, so the others need no mark.
  const no = column === 'inUse' ? '' : '✗'
  return texts.map((text) => (text === 'true' ? '✓' : text === 'false' ? no : text))
}

const timestamp = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?(Z|[+-]\d\d:\d\d)$/

/** `2026-11-21 18:56:24`; any other text stays as it is. */
function readableTime(text: string): string {
  const time = new Date(timestamp.test(text) ? text : Number.NaN)
  if (Number.isNaN(time.getTime())) return text
  const two = (value: number) => String(value).padStart(2, '0')
  const day = [time.getFullYear(), two(time.getMonth() + 1), two(time.getDate())].join('-')
  return `${day} ${[time.getHours(), time.getMinutes(), time.getSeconds()].map(two).join(':')}`
}
