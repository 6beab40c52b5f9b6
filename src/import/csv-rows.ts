import { Failure } from '../failure.ts'
import { grouped, plural } from '../model/quantities.ts'
import type { RowParser } from './format.ts'
import {
  comma,
  largestRow,
  quote,
  type RawRow,
  type RowBounds,
  splitRows,
  wholeLineFrom,
} from './raw-row.ts'

const openedHere = 'a quote is opened on this line'

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
  const firstLine = wholeLineFrom(bytes, start, isEnd)
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
  let index = start
  while (index < line.end) {
    if (bytes[index] === quote) {
      const close = closingQuote(bytes, index + 1, isEnd)
      if (close === undefined) return undefined
      index = close + 1
      const isOnLine = close < line.end
      const lastLine = isOnLine ? line : wholeLineFrom(bytes, index, isEnd)
      if (lastLine === undefined) return undefined
      line = lastLine
    }
    // Only the line is searched, because the next separator may be far away.
    while (index < line.end && bytes[index] !== separator) index += 1
    index += 1
  }
  return line
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

/** Reads the cells of a record, without its line break; undefined if its quotes are wrong. */
function cellsOf(record: string, separator: number): string[] | undefined {
  const end = String.fromCharCode(separator)
  const cell = new RegExp(`(?:((?:"[^"]*")+)|([^"${end}]*))(${end}|$)`, 'gy')
  const cells: string[] = []
  for (const [, quoted, plain = '', ending] of record.replace(/\r+$/, '').matchAll(cell)) {
    cells.push(quoted?.slice(1, -1).replaceAll('""', '"') ?? plain)
    if (ending === '') return cells
  }
  return undefined
}

/** What separates the fields, if the first line is the header of a CSV file with pets. */
export function separatorOf(start: Buffer): number | undefined {
  const line = start.toString('utf8', 0, wholeLineFrom(start, 0, true)?.end)
  return separators.find((separator) => hasNeededColumns(columnsOf(line, separator) ?? []))
}

/** Parses CSV records, the first of which is the header. A quoted field may contain line breaks. */
export function csvRows(name: string, firstLine: number, separator = comma): RowParser {
  const findRecord = recordFrom.bind(undefined, separator)
  let columns: readonly string[] = []
  let header: Buffer | undefined
  return {
    format: 'csv',
    async *split(chunks) {
      for await (const rows of splitRows(chunks, firstLine, findRecord, wholeLineFrom)) {
        const first = header === undefined ? rows.shift() : undefined
        if (first !== undefined) {
          columns = requireColumns(first, separator, name)
          header = first.bytes
        }
        yield rows
      }
    },
    parse: (record) => recordValue(cellsOf(record, separator), columns),
    header: () => header,
  }
}

const columnsOf = (header: string, separator: number) =>
  cellsOf(header, separator)?.map((cell) => cell.trim())

const hasNeededColumns = (columns: readonly string[]) =>
  columns.includes('name') && columns.includes('categoryId')

function requireColumns(header: RawRow, separator: number, name: string): readonly string[] {
  const wrongHeader = (problem: string) =>
    new Failure('usage', `${name}, line ${header.number}: ${problem}`, {
      hint: 'petstore help import',
    })
  const line = header.bytes.toString()
  const columns = columnsOf(line, separator) ?? [line]
  const repeated = columns.find((column, index) => columns.indexOf(column) < index)
  if (repeated !== undefined)
    throw wrongHeader(`the header names the column '${shorten(repeated)}' twice`)
  if (hasNeededColumns(columns)) return columns
  const found = shorten(columns.map((column) => `'${column}'`).join(', '))
  const needed = "an import needs 'name' and 'categoryId', separated by commas, semicolons or tabs"
  throw wrongHeader(`the header has the columns ${found}; ${needed}`)
}

const wrongQuotes = 'its quotes are not valid CSV'

/** A header of a thousand columns would fill the terminal. */
function shorten(text: string): string {
  return text.length <= 100 ? text : `${text.slice(0, 100)}…`
}

/** The record as a value: an empty cell is an absent field, and a whole number is an integer. */
function recordValue(
  cells: readonly string[] | undefined,
  columns: readonly string[],
): Record<string, unknown> {
  if (cells === undefined) throw new SyntaxError(wrongQuotes)
  if (cells.length !== columns.length) {
    const found = plural(cells.length, 'cell')
    throw new SyntaxError(`it has ${found}, but the header has ${grouped(columns.length)}`)
  }
  // Without a prototype, `__proto__` is a field like any other.
  const value: Record<string, unknown> = Object.create(null)
  columns.forEach((column, index) => {
    const cell = cells[index] ?? ''
    if (cell === '') return
    const isInteger = column === 'categoryId' && /^-?\d{1,19}$/.test(cell)
    value[column] = isInteger ? BigInt(cell) : cell
  })
  return value
}
