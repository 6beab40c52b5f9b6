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

const [quote, carriageReturn] = [0x22, 0x0d]

/**
 * A record ends with the first line up to which its quotes are even. Undefined if it may continue in the next chunk. If
 * its quotes are wrong, only its first line is lost: an unclosed quote must not swallow every row after it.
 */
function recordFrom(bytes: Buffer, start: number, isEnd: boolean): RowBounds | undefined {
  const firstLine = lineFrom(bytes, start, isEnd)
  if (firstLine === undefined || firstLine.end - start > largestRow) return firstLine
  const withProblem = (problem: string) => ({ ...firstLine, problem })
  let quotes = countQuotes(bytes.subarray(start, firstLine.end))
  if (quotes % 2 === 0) return firstLine
  // If the quote is still open at the end of the line, one more closes it.
  if (!isCsv(bytes.subarray(start, firstLine.end), Buffer.from('"'))) return withProblem(wrongQuotes)
  let line = firstLine
  while (quotes % 2 !== 0) {
    const next = line.next < bytes.length ? lineFrom(bytes, line.next, isEnd) : undefined
    if ((next?.end ?? bytes.length) - start > largestRow) {
      return withProblem('a quote is opened on this line and not closed within 1 MiB')
    }
    if (next === undefined) return isEnd ? withProblem('a quote is opened on this line and never closed') : undefined
    quotes += countQuotes(bytes.subarray(line.next, next.end))
    line = next
  }
  return isCsv(bytes.subarray(start, line.end)) ? line : withProblem(wrongQuotes)
}

const isCsv = (...parts: readonly Uint8Array[]) => parseCsv([Buffer.concat(parts)]) !== undefined

function countQuotes(bytes: Buffer): number {
  let count = 0
  for (let found = bytes.indexOf(quote); found !== -1; found = bytes.indexOf(quote, found + 1)) count += 1
  return count
}

/** Leaves out the carriage return, which is part of the line break. */
function lineFrom(bytes: Buffer, start: number, isEnd: boolean): RowBounds | undefined {
  const line = wholeLineFrom(bytes, start, isEnd)
  const hasReturn =
    line !== undefined && line.end > start && line.next > line.end && bytes[line.end - 1] === carriageReturn
  return hasReturn ? { ...line, end: line.end - 1 } : line
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
      return rows.map((raw, index) => ({ raw, ...recordValue(records?.[index] ?? recordOf(raw), columns ?? []) }))
    },
    header: () => header,
  }
}

type CsvRecord = { readonly cells: readonly string[] } | { readonly problem: string }

/** All records at once, which is much faster than one by one; undefined if one of them cannot be read. */
function parseTogether(rows: readonly RawRow[]): CsvRecord[] | undefined {
  const isWhole = rows.every(({ problem, bytes }) => problem === undefined && isUtf8(bytes))
  const records = isWhole ? parseCsv(rows.map(({ bytes }) => bytes)) : undefined
  return records?.length === rows.length ? records.map((cells) => ({ cells })) : undefined
}

function recordOf(row: RawRow): CsvRecord {
  if (row.problem !== undefined) return { problem: row.problem }
  if (!isUtf8(row.bytes)) return { problem: notText }
  const [cells, ...others] = parseCsv([row.bytes]) ?? []
  return cells === undefined || others.length > 0 ? { problem: wrongQuotes } : { cells }
}

/** The cells of the records; undefined if their quotes are not valid. */
function parseCsv(records: readonly Uint8Array[]): string[][] | undefined {
  try {
    const lines = Buffer.concat(records.flatMap((bytes) => [bytes, Buffer.from('\n')]))
    return parse(lines, { relax_column_count: true, record_delimiter: ['\r\n', '\n'] })
  } catch {
    return undefined
  }
}

function columnsOf(record: CsvRecord, where: string): readonly string[] {
  if ('problem' in record) throw wrongHeader(where, `the header cannot be read: ${record.problem}`)
  const columns = record.cells.map((cell) => cell.trim())
  const repeated = columns.find((column, index) => columns.indexOf(column) < index)
  if (repeated !== undefined) throw wrongHeader(where, `the header names the column '${shorten(repeated)}' twice`)
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
function recordValue(record: CsvRecord, columns: readonly string[]): { value: unknown } | { problem: string } {
  if ('problem' in record) return record
  const { cells } = record
  if (cells.length !== columns.length) {
    return { problem: `it has ${plural(cells.length, 'cell')}, but the header has ${grouped(columns.length)}` }
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
