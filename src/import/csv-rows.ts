import { isUtf8 } from 'node:buffer'
import { CsvError, parse } from 'csv-parse/sync'
import { Failure } from '../failure.ts'
import { grouped, plural } from '../model/quantities.ts'
import type { RowParser } from './format.ts'
import {
  comma,
  largestRow,
  notText,
  quote,
  type RawRow,
  type RowBounds,
  splitRows,
  wholeLineFrom,
} from './raw-row.ts'

const wrongQuotes = 'its quotes are not valid CSV'
const openedHere = 'a quote is opened on this line'

const carriageReturn = 0x0d

/** What may separate the fields. Excel writes semicolons in many countries. */
const separators = Buffer.from(',;\t')

/**
 * Undefined if the record may continue in the next chunk. If a quote is never closed, only its
 * first line is lost: it must not swallow every row after it.
 */
function recordFrom(
  separator: number,
  bytes: Buffer,
  start: number,
  isEnd: boolean,
): RowBounds | undefined {
  const firstLine = lineFrom(bytes, start, isEnd)
  if (firstLine === undefined || firstLine.end - start > largestRow) return firstLine
  const record = quotedRecordFrom(separator, bytes, start, isEnd, firstLine)
  const hasUnclosedQuote = record === undefined && isEnd
  if (hasUnclosedQuote) return { ...firstLine, problem: `${openedHere} and never closed` }
  const end = record?.end ?? bytes.length
  if (end - start <= largestRow) return record
  return { ...firstLine, problem: `${openedHere} and not closed within 1 MiB` }
}

/**
 * A record ends where its quotes end, also if they are wrong: what follows a closing quote belongs
 * to the field, in which further quotes have no meaning. Python's csv module does the same.
 */
function quotedRecordFrom(
  separator: number,
  bytes: Buffer,
  start: number,
  isEnd: boolean,
  firstLine: RowBounds,
): RowBounds | undefined {
  let line = firstLine
  let isWrong = false
  for (let index = start; ; index += 1) {
    if (bytes[index] === quote) {
      const close = closingQuote(bytes, index + 1, isEnd)
      if (close === undefined) return undefined
      index = close + 1
      const isOnLine = close < line.end
      const lastLine = isOnLine ? line : lineFrom(bytes, index, isEnd)
      if (lastLine === undefined) return undefined
      line = lastLine
      const isFieldOver = index >= line.end || bytes[index] === separator
      isWrong ||= !isFieldOver
    }
    index = nextSeparator(bytes, separator, index, line.end)
    if (index < line.end) continue
    return isWrong ? { ...line, problem: wrongQuotes } : line
  }
}

/** Where the field ends: only its line is searched, because the next separator may be far away. */
function nextSeparator(bytes: Buffer, separator: number, start: number, end: number): number {
  let index = start
  while (index < end && bytes[index] !== separator) index += 1
  return index
}

/** The quote that ends the field; two in a row stand for one quote in it. */
function closingQuote(bytes: Buffer, start: number, isEnd: boolean): number | undefined {
  for (let index = start; ; ) {
    const found = bytes.indexOf(quote, index)
    if (found === -1) return undefined
    // The next chunk may begin with the second of two.
    const isLast = found === bytes.length - 1
    if (isLast && !isEnd) return undefined
    if (bytes[found + 1] !== quote) return found
    index = found + 2
  }
}

/** Leaves out the carriage return, which is part of the line break. */
function lineFrom(bytes: Buffer, start: number, isEnd: boolean): RowBounds | undefined {
  const line = wholeLineFrom(bytes, start, isEnd)
  if (line === undefined) return undefined
  const { end, next } = line
  const isEmpty = end === start
  const hasNewline = next > end
  const hasReturn = bytes[end - 1] === carriageReturn
  return hasReturn && hasNewline && !isEmpty ? { end: end - 1, next } : line
}

/** What separates the fields, if the first line is the header of a CSV file with pets. */
export function separatorOf(start: Buffer): number | undefined {
  const line = start.subarray(0, wholeLineFrom(start, 0, true)?.end)
  return separators.find((separator) => hasNeededColumns(columnsBy(separator, line)))
}

/** The columns of a header whose fields are separated by this byte. */
function columnsBy(separator: number, header: Uint8Array): string[] {
  const [cells = []] = parseCsv([{ bytes: header }], separator) ?? []
  return columnNames(cells)
}

/** Parses CSV records, the first of which is the header. A quoted field may contain line breaks. */
export function csvRows(name: string, firstLine: number, separator = comma): RowParser {
  const splitter = splitRows(firstLine, recordFrom.bind(undefined, separator), lineFrom)
  let columns: readonly string[] | undefined
  let header: Uint8Array | undefined
  const withoutHeader = (rows: RawRow[]): RawRow[] => {
    const [first, ...others] = rows
    if (first === undefined || columns !== undefined) return rows
    const records = recordsOf([first], separator)
    columns = records.flatMap((record) => columnsOf(record, first, name))
    header = first.bytes
    return others
  }
  return {
    format: 'csv',
    push: (chunk) => withoutHeader(splitter.push(chunk)),
    end: () => withoutHeader(splitter.end()),
    parse(rows) {
      return recordsOf(rows, separator).map((record, index) => ({
        raw: rows[index] as RawRow,
        ...recordValue(record, columns ?? []),
      }))
    },
    header: () => header,
  }
}

type CsvRecord = { readonly cells: readonly string[] } | { readonly problem: string }

/** All records at once, which is much faster than one by one; that only if one cannot be read. */
function recordsOf(rows: readonly RawRow[], separator: number): CsvRecord[] {
  const isIntact = rows.every(({ problem }) => problem === undefined)
  const isText = rows.every(({ bytes }) => isUtf8(bytes))
  const records = isIntact && isText ? parseCsv(rows, separator) : undefined
  if (records?.length === rows.length) return records.map((cells) => ({ cells }))
  const [first, ...others] = rows
  if (first === undefined) return []
  if (others.length > 0) return rows.flatMap((row) => recordsOf([row], separator))
  const unreadable = isText ? wrongQuotes : notText
  return [{ problem: first.problem ?? unreadable }]
}

function parseCsv(
  rows: readonly Pick<RawRow, 'bytes'>[],
  separator: number,
): string[][] | undefined {
  try {
    const newline = Buffer.from('\n')
    const lines = rows.flatMap(({ bytes }) => [bytes, newline])
    return parse(Buffer.concat(lines), {
      delimiter: Buffer.of(separator),
      relax_column_count: true,
      record_delimiter: ['\r\n', '\n'],
    })
  } catch (error) {
    if (error instanceof CsvError) return undefined
    throw error
  }
}

function columnsOf(record: CsvRecord, header: RawRow, name: string): readonly string[] {
  const where = `${name}, line ${header.number}`
  const wrongHeader = (problem: string) =>
    new Failure('usage', `${where}: ${problem}`, { hint: 'petstore help import' })
  const misspelling = () => misspellingIn(header.bytes)
  if ('problem' in record)
    throw wrongHeader(misspelling() ?? `the header cannot be read: ${record.problem}`)
  const columns = columnNames(record.cells)
  const repeated = columns.find((column, index) => columns.indexOf(column) < index)
  if (repeated !== undefined)
    throw wrongHeader(`the header names the column '${shorten(repeated)}' twice`)
  if (hasNeededColumns(columns)) return columns
  const names = columns.map((column) => `'${column}'`)
  const found = shorten(names.join(', '))
  const needed = "an import needs 'name' and 'categoryId', separated by commas, semicolons or tabs"
  throw wrongHeader(misspelling() ?? `the header has the columns ${found}; ${needed}`)
}

function columnNames(cells: readonly string[]): string[] {
  return cells.map((cell) => cell.trim())
}

const neededColumns = ['name', 'categoryId'] as const

const hasNeededColumns = (columns: readonly string[]) =>
  neededColumns.every((needed) => columns.includes(needed))

/** Says how to spell the needed columns, if the header has them all in whatever spelling. */
function misspellingIn(header: Uint8Array): string | undefined {
  // A misspelled header has not shown what separates the fields.
  for (const separator of separators) {
    const columns = columnsBy(separator, header)
    const wrong = neededColumns.filter((needed) => !columns.includes(needed))
    const found = wrong.flatMap((needed) => spellingOf(needed, columns) ?? [])
    if (found.length === 0 || found.length < wrong.length) continue
    const subject = wrong.length === 1 ? 'the column' : 'the columns'
    return `the header has ${quoted(found)}: ${subject} must be called ${quoted(wrong)}`
  }
  return undefined
}

function spellingOf(needed: string, columns: readonly string[]): string | undefined {
  return columns.find((column) => lettersOf(column) === lettersOf(needed))
}

/** What `categoryId`, `Category ID` and `category_id` have in common. */
function lettersOf(column: string): string {
  return column.toLowerCase().replace(/[\s_-]/g, '')
}

const quoted = (columns: readonly string[]) =>
  columns.map((column) => `'${shorten(column)}'`).join(' and ')

/** A header of a thousand columns would fill the terminal. */
function shorten(text: string): string {
  return text.length <= 100 ? text : `${text.slice(0, 100)}…`
}

/** The record as a value: an empty cell is an absent field, and a whole number is an integer. */
function recordValue(
  record: CsvRecord,
  columns: readonly string[],
): { value: unknown } | { problem: string } {
  if ('problem' in record) return record
  const { cells } = record
  if (cells.length !== columns.length) {
    const found = plural(cells.length, 'cell')
    return { problem: `it has ${found}, but the header has ${grouped(columns.length)}` }
  }
  // Without a prototype, `__proto__` is a field like any other.
  const value: Record<string, unknown> = Object.create(null)
  columns.forEach((column, index) => {
    const cell = cells[index] ?? ''
    if (cell === '') return
    value[column] = column === 'categoryId' ? integerOf(cell) : cell
  })
  return { value }
}

function integerOf(cell: string): bigint | string {
  return /^-?\d{1,19}$/.test(cell) ? BigInt(cell) : cell
}
