/** A thing that is printed; its fields are the columns of a table. */
export type Row = Readonly<Record<string, unknown>>

export const petColumns = ['id', 'name', 'categoryId', 'status'] as const
export const messageColumns = ['id', 'status', 'createdAt', 'message'] as const

/** The row with these fields only, in this order; a field that it has not stays away. */
export function pickFields(row: Row, fields: readonly string[]): Row {
  return Object.fromEntries(fields.filter((field) => Object.hasOwn(row, field)).map((field) => [field, row[field]]))
}
