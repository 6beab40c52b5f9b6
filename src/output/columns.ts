import type { Style } from './style.ts'

/** One thing that is printed. Its fields are the columns of a table. */
export type Row = Readonly<Record<string, unknown>>

export const petColumns = ['id', 'name', 'categoryId', 'status'] as const
export const messageColumns = ['id', 'status', 'createdAt', 'message'] as const

/** Only these fields, in this order. A field that a row does not have stays absent. */
export function pickFields<Data extends Row | readonly Row[]>(data: Data, fields: readonly string[] | undefined): Data {
  if (fields === undefined) return data
  const pick = (row: Row): Row => {
    const present = fields.filter((field) => Object.hasOwn(row, field))
    return Object.fromEntries(present.map((field) => [field, row[field]]))
  }
  return (Array.isArray(data) ? data.map(pick) : pick(data as Row)) as Data
}

/** The place where a renderer's text goes. */
export interface View {
  readonly columns: readonly string[]
  /** Data is exact in a pipe or a file; in a terminal it must not act as control codes. */
  readonly isTerminal: boolean
  /** The width of the terminal. Undefined elsewhere: nothing is cut. */
  readonly width: number | undefined
  readonly style: Style
  /** Whether long text continues on the next line of a table instead of being cut. */
  readonly isWrapped?: boolean
  /** JSON integers beyond 2^53 as strings, for readers that would round them. */
  readonly int64AsStrings: boolean
}

/** How a format writes rows. Each function returns whole lines. */
export interface Renderer {
  readonly list: (rows: readonly Row[], view: View) => string
  /** Without it, an item is a list of one row. */
  readonly item?: (row: Row, view: View) => string
  /**
   * Rows that arrive one after another; `isFirst` holds for the first call. Without it, a stream is a list at its end.
   */
  readonly stream?: (rows: readonly Row[], view: View, isFirst: boolean) => string
}
