import { isUtf8 } from 'node:buffer'
import { parse } from 'csv-parse/sync'
import { Failure } from '../failure.ts'
import { grouped, plural } from '../model/quantities.ts'
import {
  largestRow,
  notText,
  type RawRow,
  type RowBounds,
  type RowParser,
  splitRows,
  wholeLineFrom,
} from './raw-row.ts'

const wrongQuotes = 'its quotes are not valid CSV'

const [comma, quote, carriageReturn] = [0x2c, 0x22, 0x0d]

/**
 * Undefined if the record may continue in the next chunk. If its quotes do not match, only its
 * first line is lost: an unclosed quote must not swallow every row after it.
 */
function recordFrom(bytes: Buffer, start: number, isEnd: boolean): RowBounds | undefined {
  const firstLine = lineFrom(bytes, start, isEnd)
  if (firstLine === undefined || firstLine.end - start > largestRow) return firstLine
  const record = quotedRecordFrom(bytes, start, isEnd, firstLine)
  if ((record?.end ?? bytes.length) - start <= largestRow) return record
  return { ...firstLine, problem: 'a quote is opened on this line and not closed within 1 MiB' }
}

function quotedRecordFrom(
  bytes: Buffer,
  start: number,
  isEnd: boolean,
  firstLine: RowBounds,
): RowBounds | undefined {
  const withProblem = (problem: string) => ({ ...firstLine, problem })
  let line = firstLine
  let lineBytes = bytes.subarray(0, line.end)
  for (let index = start; ; ) {
    if (bytes[index] !== quote) {
      // A field without quotes ends at a comma or at the end of the line. Only the line is
      // searched: the next comma may be far away.
      const next = lineBytes.indexOf(comma, index)
      if (next === -1) return line
      index = next + 1
      continue
    }
    const close = closingQuote(bytes, index + 1, isEnd)
    if (close === undefined)
      return isEnd ? withProblem('a quote is opened on this line and never closed') : undefined
    if (close > line.end) {
      const lastLine = lineFrom(bytes, close + 1, isEnd)
      if (lastLine === undefined) return undefined
      line = lastLine
      lineBytes = bytes.subarray(0, line.end)
    }
    if (line.end === close + 1) return line
    if (bytes[close + 1] !== comma) return withProblem(wrongQuotes)
    index = close + 2
  }
}

/** The quote that ends the field; two in a row stand for one quote in it. */
function closingQuote(bytes: Buffer, start: number, isEnd: boolean): number | undefined {
  for (let index = start; ; ) {
    const found = bytes.indexOf(quote, index)
    if (found === -1 || (found === bytes.length - 1 && !isEnd)) return undefined
    if (bytes[found + 1] !== quote) return found
    index = found + 2
  }
}

/** Leaves out the carriage return, which is part of the line break. */
function lineFrom(bytes: Buffer, start: number, isEnd: boolean): RowBounds | undefined {
  const line = wholeLineFrom(bytes, start, isEnd)
  const hasReturn =
    line !== undefined &&
    line.end > start &&
    line.next > line.end &&
    bytes[line.end - 1] === carriageReturn
  return hasReturn ? { end: line.end - 1, next: line.next } : line
}

/** Parses CSV records, the first of which is the header. A quoted field may contain line breaks. */
export function csvRows(name: string): RowParser {
  const splitter = splitRows(recordFrom, lineFrom)
  let columns: readonly string[] | undefined
  let header: Uint8Array | undefined
  const withoutHeader = (rows: RawRow[]): RawRow[] => {
    const [first, ...others] = rows
    if (first === undefined || columns !== undefined) return rows
    columns = columnsOf(recordOf(first), `${name}, line ${first.number}`)
    header = first.bytes
    return others
  }
  return {
    push: (chunk) => withoutHeader(splitter.push(chunk)),
    end: () => withoutHeader(splitter.end()),
    parse(rows) {
      const records = parseTogether(rows)
      return rows.map((raw, index) => ({
        raw,
        ...recordValue(records?.[index] ?? recordOf(raw), columns ?? []),
      }))
    },
    header: () => header,
  }
}

type CsvRecord = { readonly cells: readonly string[] } | { readonly problem: string }

/**
 * All records at once, which is much faster than one by one; undefined if one of them cannot be
 * read.
 */
function parseTogether(rows: readonly RawRow[]): CsvRecord[] | undefined {
  const isWhole = rows.every(({ problem, bytes }) => problem === undefined && isUtf8(bytes))
  const records = isWhole ? parseCsv(rows) : undefined
  return records?.length === rows.length ? records.map((cells) => ({ cells })) : undefined
}

function recordOf(row: RawRow): CsvRecord {
  if (row.problem !== undefined) return { problem: row.problem }
  if (!isUtf8(row.bytes)) return { problem: notText }
  const [cells, ...others] = parseCsv([row]) ?? []
  return cells === undefined || others.length > 0 ? { problem: wrongQuotes } : { cells }
}

function parseCsv(rows: readonly RawRow[]): string[][] | undefined {
  try {
    const lines = Buffer.concat(rows.flatMap(({ bytes }) => [bytes, Buffer.from('\n')]))
    return parse(lines, { relax_column_count: true, record_delimiter: ['\r\n', '\n'] })
  } catch {
    return undefined
  }
}

function columnsOf(record: CsvRecord, where: string): readonly string[] {
  if ('problem' in record) throw wrongHeader(where, `the header cannot be read: ${record.problem}`)
  const columns = record.cells.map((cell) => cell.trim())
  const repeated = columns.find((column, index) => columns.indexOf(column) < index)
  if (repeated !== undefined)
    throw wrongHeader(where, `the header names the column '${shorten(repeated)}' twice`)
  if (columns.includes('name') && columns.includes('categoryId')) return columns
  const found = shorten(columns.map((column) => `'${column}'`).join(', '))
  const needed = "an import needs 'name' and 'categoryId', separated by commas"
  throw wrongHeader(where, `the header has the columns ${found}; ${needed}`)
}

/** A header of a thousand columns would fill the terminal. */
function shorten(text: string): string {
  return text.length <= 100 ? text : `${text.slice(0, 100)}…`
}

function wrongHeader(where: string, problem: string): Failure {
  return new Failure('usage', `${where}: ${problem}`, { hint: 'petstore help import' })
}

/** The record as a value: an empty cell is an absent field, and a whole number is an integer. */
function recordValue(
  record: CsvRecord,
  columns: readonly string[],
): { value: unknown } | { problem: string } {
  if ('problem' in record) return record
  const { cells } = record
  if (cells.length !== columns.length) {
    return {
      problem: `it has ${plural(cells.length, 'cell')}, but the header has ${grouped(columns.length)}`,
    }
  }
  // Without a prototype, `__proto__` is a field like any other.
  const value: Record<string, unknown> = Object.create(null)
  columns.forEach((column, index) => {
    const cell = cells[index] ?? ''
    if (cell !== '') value[column] = column === 'categoryId' ? integerOf(cell) : cell
  })
  return { value }
}

function integerOf(cell: string): bigint | string {
  return /^-?\d{1,19}$/.test(cell) ? BigInt(cell) : cell
}
