import { Failure } from '../failure.ts'
import { grouped, plural } from '../model/quantities.ts'
import type { RowParser } from './format.ts'
import { type FindEnd, largestRow, type RawRow, splitRows, wholeLineFrom } from './raw-row.ts'

const openedHere = 'a quote is opened on this line'

/** What may separate the fields. Excel writes semicolons in many countries. */
const separators = [',', ';', '\t']

/**
 * A record ends where its quotes end, also if they are wrong: what follows a closing quote belongs
 * to the field, in which further quotes have no meaning. Python's csv module does the same. If a
 * quote is never closed, only its first line is lost: it must not swallow every row after it.
 */
function recordFinder(separator: string): FindEnd {
  const field = `(?:(?:"[^"]*")+(?!")|(?!"))[^${separator}\\n]*`
  const record = new RegExp(`(?:${field}${separator})*${field}(\\n|$)`, 'y')
  return (text, start, isEnd) => {
    const firstLine = wholeLineFrom(text, start, isEnd)
    if (firstLine === undefined || firstLine.end - start > largestRow) return firstLine
    record.lastIndex = start
    const lineBreak = record.exec(text)?.[1]
    const isUnclosed = lineBreak === undefined
    const next = isUnclosed ? text.length : record.lastIndex
    const end = lineBreak === '\n' ? next - 1 : next
    if (isUnclosed && isEnd) return { ...firstLine, problem: `${openedHere} and never closed` }
    if (end - start > largestRow)
      return { ...firstLine, problem: `${openedHere} and not closed within 1 MiB` }
    return lineBreak === '\n' || isEnd ? { end, next } : undefined
  }
}

/** Reads the cells of a record, without its line break; undefined if its quotes are wrong. */
function cellsOf(record: string, separator: string): string[] | undefined {
  const cell = new RegExp(`(?:((?:"[^"]*")+)|([^"${separator}]*))(${separator}|$)`, 'gy')
  const cells: string[] = []
  for (const [, quoted, plain = '', ending] of record.replace(/\r+$/, '').matchAll(cell)) {
    cells.push(quoted?.slice(1, -1).replaceAll('""', '"') ?? plain)
    if (ending === '') return cells
  }
  return undefined
}

/** What separates the fields, if the first line is the header of a CSV file with pets. */
export function separatorOf(start: Buffer): string | undefined {
  const [line = ''] = start.toString().split('\n', 1)
  return separators.find(separator => hasNeededColumns(columnsOf(line, separator) ?? []))
}

/** Parses CSV records, the first of which is the header. A quoted field may contain line breaks. */
export function csvRows(name: string, firstLine: number, separator = ','): RowParser {
  const findRecord = recordFinder(separator)
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
    parse: record => recordValue(cellsOf(record, separator), columns),
    header: () => header
  }
}

const columnsOf = (header: string, separator: string) =>
  cellsOf(header, separator)?.map(cell => cell.trim())

const hasNeededColumns = (columns: readonly string[]) =>
  columns.includes('name') && columns.includes('categoryId')

function requireColumns(header: RawRow, separator: string, name: string): readonly string[] {
  const wrongHeader = (problem: string) =>
    new Failure('usage', `${name}, line ${header.number}: ${problem}`, {
      hint: 'petstore help import'
    })
  const line = header.bytes.toString()
  // `.xlsx` and `.ods` are ZIP files.
  const isZip = line.startsWith('PK\x03\x04')
  if (isZip) throw wrongHeader('this is a spreadsheet or another ZIP file: save it as CSV first')
  const columns = columnsOf(line, separator) ?? [line]
  const repeated = columns.find((column, index) => columns.indexOf(column) < index)
  if (repeated !== undefined)
    throw wrongHeader(`the header names the column '${repeated.slice(0, 100)}' twice`)
  if (hasNeededColumns(columns)) return columns
  // A header of a thousand columns would fill the terminal.
  const found = columns.slice(0, 10).map(column => `'${column.slice(0, 100)}'`)
  const needed = "an import needs 'name' and 'categoryId', separated by commas, semicolons or tabs"
  throw wrongHeader(`the header has the columns ${found.join(', ')}; ${needed}`)
}

const wrongQuotes = 'its quotes are not valid CSV'

/** The record as a value: an empty cell is an absent field, and a whole number is an integer. */
function recordValue(
  cells: readonly string[] | undefined,
  columns: readonly string[]
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
