/** One thing that is printed. Its fields are the columns of a table. */
export type Row = Readonly<Record<string, unknown>>

export const petColumns = ['id', 'name', 'categoryId', 'status'] as const
export const messageColumns = ['id', 'status', 'createdAt', 'message'] as const

/** Only these fields, in this order. A field that a row does not have stays absent. */
export function pickFields<Data extends Row | readonly Row[]>(data: Data, fields: readonly string[] | undefined): Data
export function pickFields(data: Row | readonly Row[], fields: readonly string[] | undefined): Row | readonly Row[] {
  if (fields === undefined) return data
  return isList(data) ? data.map((row) => pickFromRow(row, fields)) : pickFromRow(data, fields)
}

function pickFromRow(row: Row, fields: readonly string[]): Row {
  return Object.fromEntries(fields.filter((field) => Object.hasOwn(row, field)).map((field) => [field, row[field]]))
}

/** `Array.isArray` does not tell a read-only array from the rest. */
function isList(data: Row | readonly Row[]): data is readonly Row[] {
  return Array.isArray(data)
}
