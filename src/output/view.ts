import { stringifyJson } from '../text/json.ts'
import type { Paint } from './paint.ts'

/** One thing that is printed. Its fields are the columns of a table. */
export type Row = Readonly<Record<string, unknown>>

/** The columns of a table, in their order. */
export interface Columns {
  readonly names: readonly string[]
  /** What a row is, if it has a schema. */
  readonly noun?: 'pet' | 'message'
  /** What people read instead of a table. */
  readonly render?: (rows: readonly Row[], view: View) => Promise<string>
  /** The confirmation of a change says all of it. */
  readonly isToldByConfirmation?: true
}

export const petColumns: Columns = {
  names: ['id', 'name', 'categoryId', 'status'],
  noun: 'pet'
}

/** Only these fields, in this order. JSON leaves out a field that the row does not have. */
export function pickFields(row: Row, fields: readonly string[] | undefined): Row {
  if (fields === undefined) return row
  return Object.fromEntries(fields.map(field => [field, row[field]]))
}

/**
 * The text of a field for a cell: empty if absent or null, a string as it is, everything else as
 * compact JSON.
 */
export function cellText(row: Row, column: string): string {
  const value = row[column] ?? ''
  return typeof value === 'string' ? value : stringifyJson(value)
}

/** The place where a renderer's text goes. */
export interface View {
  readonly columns: readonly string[]
  /**
   * The width of the terminal. Undefined elsewhere: nothing is cut, and data is exact; in a terminal
   * it must not act as control codes.
   */
  readonly width: number | undefined
  readonly paint: Paint
  /** JSON integers beyond 2^53 as strings, for readers that would round them. */
  readonly int64AsStrings: boolean
}
