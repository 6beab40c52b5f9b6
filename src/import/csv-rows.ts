import { CsvError, type InfoRecord, type Parser, parse } from 'csv-parse'
import { Failure } from '../failure.ts'
import {
  type ImportRow,
  longestRow,
  type MakeRow,
  type ReadingOptions,
  requireUtf8
} from './row.ts'

/** The fields of a pet by their column: without case, spaces, `_` and `-`. */
const fieldByColumn: Readonly<Record<string, string>> = {
  name: 'name',
  categoryid: 'categoryId',
  status: 'status',
  id: 'id'
}

interface Columns {
  readonly cells: readonly string[]
  /** The field of each column, or undefined if it is left out. */
  readonly fields: readonly (string | undefined)[]
}

interface Taken {
  readonly record: readonly string[]
  readonly info: InfoRecord
}

export async function* csvRows(
  chunks: AsyncIterable<Buffer>,
  options: ReadingOptions,
  rowOf: MakeRow
): AsyncGenerator<readonly ImportRow[]> {
  const lines = new LineCounter()
  let records: { readonly line: number; readonly cells: readonly string[] }[] = []
  const parser = parse({
    bom: true,
    delimiter: options.layout.separator,
    info: true,
    relax_column_count: true,
    skip_empty_lines: true,
    skip_records_with_empty_values: true,
    max_record_size: longestRow,
    // Taken here, records never become a stream of objects. The parser swallows errors.
    on_record: (({ record, info }: Taken) => {
      records.push({ line: lines.beginOf(record, info.lines), cells: record })
      return null
    }) as never
  })
  const write = writerOf(parser, error => explain(error, options.name, lines.next))
  let columns: Columns | undefined
  const takeRows = () => {
    const rows: ImportRow[] = []
    for (const { line, cells } of records) {
      if (columns === undefined) columns = columnsIn(cells, options)
      else {
        const { fields, cells: header } = columns
        rows.push(rowOf(line, cells, () => petIn(cells, fields, header.length)))
      }
    }
    records = []
    return rows
  }
  for await (const chunk of chunks) {
    await write(chunk)
    yield takeRows()
  }
  await write(undefined)
  yield takeRows()
}

/** Resolves when the parser has taken the chunk, or at its end for undefined. */
function writerOf(parser: Parser, explained: (error: unknown) => unknown) {
  let fail: (error: unknown) => void = () => {}
  parser.on('error', error => fail(error)).resume()
  return (chunk: Buffer | undefined) =>
    new Promise<void>((resolve, reject) => {
      fail = error => reject(explained(error))
      if (chunk === undefined) parser.on('end', resolve).end()
      else parser.write(chunk, error => (error ? fail(error) : resolve()))
    })
}

/** The parser counts the lines where records end, and a CRLF inside of quotes twice. */
class LineCounter {
  #counted = 0
  #extra = 0

  /** The line where the next record begins. */
  get next(): number {
    return this.#counted - this.#extra + 1
  }

  beginOf(record: readonly string[], end: number): number {
    const breaks = record.flatMap(cell => (/[\r\n]/.test(cell) ? cell.match(/\r\n|[\r\n]/g) : []))
    this.#extra += breaks.filter(text => text === '\r\n').length
    this.#counted = end
    return end - this.#extra - breaks.length
  }
}

function explain(error: unknown, name: string, line: number): unknown {
  if (!(error instanceof CsvError)) return error
  const isOpen = ['CSV_QUOTE_NOT_CLOSED', 'CSV_MAX_RECORD_SIZE'].includes(error.code)
  const problem = isOpen
    ? `the quotes that open in line ${line} are never closed`
    : `the quotes in line ${line} do not enclose a whole cell, or are not doubled inside of it`
  return new Failure('usage', `${name}: ${problem}`, { cause: error })
}

function columnsIn(header: readonly string[], options: ReadingOptions): Columns {
  const { name, ignoreUnknown } = options
  options.onHeader?.(header)
  const refuse = (problem: string) => {
    throw new Failure('usage', `${name}: ${problem}`, { hint: 'petstore help import' })
  }
  const last = header.findLastIndex(column => column.trim() !== '')
  const cells = header.slice(0, last + 1)
  const fields = cells.map(column => fieldByColumn[column.toLowerCase().replace(/[\s_-]/g, '')])
  const shown = (columns: readonly string[]) =>
    columns.map(column => `'${column.trim().slice(0, 100)}'`).join(', ')
  for (const required of ['name', 'categoryId'])
    if (!fields.includes(required))
      refuse(`there is no column '${required}', only ${shown(cells.slice(0, 10))}`)
  const twice = fields.find((field, index) => field && fields.indexOf(field) < index)
  if (twice !== undefined) refuse(`there are two columns '${twice}'`)
  const unknown = cells.filter((_, index) => fields[index] === undefined)
  if (unknown.length > 0 && ignoreUnknown !== true)
    refuse(`unknown columns: ${shown(unknown)}; --ignore-unknown leaves them out`)
  return { cells, fields }
}

/** An empty cell is an absent field, and a whole number is an integer. */
function petIn(record: readonly string[], fields: Columns['fields'], count: number): unknown {
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

function valueIn(cell: string): unknown {
  if (!/^-?\d{1,40}$/.test(cell)) return cell
  return cell.length < 16 ? Number(cell) : BigInt(cell)
}
