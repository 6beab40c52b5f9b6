import { pipeline } from 'node:stream'
import { CsvError, parse } from 'csv-parse'
import { Failure } from '../failure.ts'
import { plural } from '../text/quantities.ts'
import { longestRow, type ReadRows, type Row, requireUtf8 } from './row.ts'

const petFields = ['id', 'name', 'categoryId', 'status']
const neededFields = ['name', 'categoryId']

/** The field of each column, or undefined if it is left out. */
type Fields = readonly (string | undefined)[]

const batchSize = 256

export const csvRows: ReadRows = async function* ({ name, layout, chunks }, rowOf, ignoreUnknown) {
  /** Where the next record begins. */
  let line = 1
  const place = (record: readonly string[]) => {
    const begin = line
    line += 1 + lineEndsIn(record)
    return record.every(isBlank) ? undefined : { line: begin, cells: record }
  }
  // Its errors arrive at the loop.
  const records = pipeline(chunks(), parserOf(layout.separator, place), () => {})
  let fields: Fields | undefined
  let rows: Row[] = []
  try {
    for await (const { line, cells } of records) {
      if (fields === undefined) {
        // Excel names the separator in a line of its own.
        if (/^sep=/i.test(cells.join())) continue
        fields = fieldsIn(cells, ignoreUnknown)
        layout.header = cells
        continue
      }
      const known = fields
      rows.push(rowOf(line, cells, () => petIn(cells, known)))
      if (rows.length < batchSize) continue
      yield rows
      rows = []
    }
  } catch (error) {
    const problem = problemOf(error, line)
    if (problem === undefined) throw error
    throw new Failure('usage', `${name}: ${problem}`, {
      hint: 'petstore help import',
      cause: error
    })
  }
  yield rows
}

function parserOf(separator: string, place: (record: readonly string[]) => unknown) {
  return parse({
    bom: true,
    delimiter: separator,
    record_delimiter: ['\r\n', '\n', '\r'],
    // Also white space around quotes.
    trim: true,
    relax_column_count: true,
    max_record_size: longestRow,
    on_record: place as never
  })
}

/** Only quotes have them within a cell. */
const lineEndsIn = (cells: readonly string[]) => cells.join(' ').split(/\r\n|\n|\r/).length - 1

const isBlank = (cell: string) => cell.trim() === ''

/** Why CSV is refused as a whole; undefined for other errors. */
function problemOf(error: unknown, line: number) {
  if (error instanceof SyntaxError) return error.message
  if (!(error instanceof CsvError)) return undefined
  if (error.code === 'CSV_QUOTE_NOT_CLOSED')
    return `the quotes that open in line ${line} are never closed`
  if (error.code === 'CSV_MAX_RECORD_SIZE')
    return `the row in line ${line} is longer than 1 MiB: its quotes may be never closed`
  return `the quotes in line ${line} do not enclose a whole cell, or are not doubled inside of it`
}

function fieldsIn(header: readonly string[], ignoreUnknown: boolean) {
  const last = header.findLastIndex(column => !isBlank(column))
  const columns = header.slice(0, last + 1).map(column => column.trim().slice(0, 100))
  const fields = columns.map(fieldNamed)
  const twice = fields.find((field, index) => field && fields.indexOf(field) < index)
  if (twice !== undefined) throw new SyntaxError(`there are two columns '${twice}'`)
  const missing = neededFields.filter(field => !fields.includes(field))
  const unknown = columns.filter((_, index) => fields[index] === undefined)
  const isRefused = missing.length > 0 || (unknown.length > 0 && !ignoreUnknown)
  if (isRefused) throw new SyntaxError(problemWith(missing, unknown))
  return fields
}

/** Needed columns that are missing, and those that may be meant. */
function problemWith(missing: readonly string[], unknown: readonly string[]) {
  const absent = missing.map(field => `no column '${field}'`).join(' and ')
  const surplus = unknown.map(column => `'${column}'`).join(', ')
  const renames = missing.flatMap(field => {
    const isOnlyOne = missing.length === 1 && unknown.length === 1
    const meant = unknown.find(column => isOnlyOne || isLike(column, field))
    return meant ? `if '${meant}' is the ${field}, rename it to '${field}'` : []
  })
  const parts = [
    absent && `there is ${absent}`,
    surplus && `unknown ${unknown.length === 1 ? 'column' : 'columns'}: ${surplus}`,
    ...renames,
    absent === '' && '--ignore-unknown leaves them out'
  ]
  return parts.filter(Boolean).join('; ')
}

/** `category` and `Category No` are like `categoryId`. */
function isLike(column: string, field: string) {
  const stem = folded(field).replace(/id$/, '')
  return folded(column).includes(stem)
}

/** Without case, spaces, `_` and `-`. */
const folded = (column: string) => column.toLowerCase().replace(/[\s_-]/g, '')

function fieldNamed(column: string) {
  return petFields.find(field => folded(field) === folded(column))
}

/** An empty cell is an absent field, and a whole number is an integer. */
function petIn(record: readonly string[], fields: Fields) {
  const count = fields.length
  const isWhole = record.length >= count && record.slice(count).every(isBlank)
  if (!isWhole)
    throw new SyntaxError(`it has ${plural(record.length, 'cell')}, and the header has ${count}`)
  const pet: Record<string, unknown> = {}
  for (const [index, field] of fields.entries()) {
    // White space within quotes too: two pets of one name would look alike.
    const cell = requireUtf8(record[index] ?? '').trim()
    if (field !== undefined && cell !== '') pet[field] = field === 'name' ? cell : valueIn(cell)
  }
  return pet
}

function valueIn(cell: string) {
  if (!/^-?\d{1,40}$/.test(cell)) return cell
  return cell.length < 16 ? Number(cell) : BigInt(cell)
}
