import { pipeline } from 'node:stream'
import { CsvError, type InfoRecord, parse } from 'csv-parse'
import { Failure } from '../failure.ts'
import { longestRow, type ReadRows, type Row, requireUtf8 } from './row.ts'

const petFields = ['id', 'name', 'categoryId', 'status']

/** The field of each column, or undefined if it is left out. */
type Fields = readonly (string | undefined)[]

interface Parsed {
  readonly record: readonly string[]
  readonly info: InfoRecord
}

const batchSize = 256

export const csvRows: ReadRows = async function* ({ name, layout, chunks }, rowOf, ignoreUnknown) {
  const lines = new LineCounter()
  // Its errors arrive at the loop.
  const records = pipeline(chunks(), parserOf(layout.separator, lines), () => {})
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
    const problem = problemOf(error, lines.next)
    if (problem === undefined) throw error
    throw new Failure('usage', `${name}: ${problem}`, {
      hint: 'petstore help import',
      cause: error
    })
  }
  yield rows
}

function parserOf(separator: string, lines: LineCounter) {
  return parse({
    bom: true,
    delimiter: separator,
    info: true,
    relax_column_count: true,
    skip_records_with_empty_values: true,
    max_record_size: longestRow,
    on_record: (({ record, info }: Parsed) => ({
      line: lines.beginOf(record, info.lines),
      cells: record
    })) as never
  })
}

/** The parser counts the lines where records end, and a CRLF inside of quotes twice. */
class LineCounter {
  /** The line where the next record begins. */
  next = 1
  #extra = 0

  beginOf(record: readonly string[], end: number): number {
    const text = record.join(' ')
    const line = end - this.#extra - (text.match(/[\r\n]/g)?.length ?? 0)
    this.#extra += text.split('\r\n').length - 1
    this.next = end - this.#extra + 1
    return line
  }
}

/** Why CSV is refused as a whole; undefined for other errors. */
function problemOf(error: unknown, line: number) {
  if (error instanceof SyntaxError) return error.message
  if (!(error instanceof CsvError)) return undefined
  const isOpen = ['CSV_QUOTE_NOT_CLOSED', 'CSV_MAX_RECORD_SIZE'].includes(error.code)
  if (isOpen) return `the quotes that open in line ${line} are never closed`
  return `the quotes in line ${line} do not enclose a whole cell, or are not doubled inside of it`
}

function fieldsIn(header: readonly string[], ignoreUnknown: boolean) {
  const last = header.findLastIndex(column => column.trim() !== '')
  const columns = header.slice(0, last + 1)
  const fields = columns.map(fieldNamed)
  const missing = ['name', 'categoryId'].find(required => !fields.includes(required))
  if (missing !== undefined)
    throw new SyntaxError(`there is no column '${missing}', only ${shown(columns)}`)
  const twice = fields.find((field, index) => field && fields.indexOf(field) < index)
  if (twice !== undefined) throw new SyntaxError(`there are two columns '${twice}'`)
  const unknown = columns.filter((_, index) => fields[index] === undefined)
  if (unknown.length > 0 && !ignoreUnknown)
    throw new SyntaxError(`unknown columns: ${shown(unknown)}; --ignore-unknown leaves them out`)
  return fields
}

/** Without case, spaces, `_` and `-`. */
function fieldNamed(column: string) {
  const word = column.toLowerCase().replace(/[\s_-]/g, '')
  return petFields.find(field => field.toLowerCase() === word)
}

function shown(columns: readonly string[]) {
  return columns.map(column => `'${column.trim().slice(0, 100)}'`).join(', ')
}

/** An empty cell is an absent field, and a whole number is an integer. */
function petIn(record: readonly string[], fields: Fields) {
  const count = fields.length
  const isWhole = record.length >= count && record.slice(count).every(cell => cell.trim() === '')
  if (!isWhole) throw new SyntaxError(`it has ${record.length} cells, and the header has ${count}`)
  const pet: Record<string, unknown> = {}
  for (const [index, field] of fields.entries()) {
    const cell = requireUtf8(record[index] ?? '')
    if (field === undefined || cell.trim() === '') continue
    pet[field] = field === 'name' ? cell : valueIn(cell.trim())
  }
  return pet
}

function valueIn(cell: string) {
  if (!/^-?\d{1,40}$/.test(cell)) return cell
  return cell.length < 16 ? Number(cell) : BigInt(cell)
}
