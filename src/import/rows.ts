import { extname } from 'node:path'
import { Readable } from 'node:stream'
import { CsvError, type InfoRecord, parse } from 'csv-parse'
import { Failure } from '../failure.ts'
import { parseJson, parseJsonObject, stringifyJson } from '../model/json.ts'
import { checkNewPet, type NewPet } from '../model/schema.ts'
import { type ImportFormat, importFormats } from './formats.ts'

/** A row of the input: its number (a line, or an element of an array) and its text. */
export interface RawRow {
  readonly number: number
  readonly text: string
}

/** A pet to add, or the problem with the row. */
export type ImportRow = SendableRow | { readonly raw: RawRow; readonly problem: string }
export interface SendableRow {
  readonly raw: RawRow
  readonly pet: NewPet
}

export interface ReadingOptions {
  /** The name of the input, for errors. */
  readonly name: string
  /** The one that the user chose. Otherwise the name decides, and then the content. */
  readonly format?: ImportFormat | undefined
}

/** What the number of a row counts. */
export const unitOf = (format: ImportFormat | undefined) => (format === 'json' ? 'element' : 'line')

/** The format that the file extension stands for, if any. */
export function formatByName(path: string): ImportFormat | undefined {
  const extension = extname(path).slice(1).toLowerCase().replace('jsonl', 'ndjson')
  return importFormats.find(format => format === extension)
}

const mebibyte = 2 ** 20
const largestArray = 16 * mebibyte

/** A row that is not read yet: `read` throws a SyntaxError with the problem. */
interface UnreadRow {
  readonly raw: RawRow
  readonly read: () => unknown
}

/** How a file of rows is written. */
export interface RowLayout {
  readonly format: ImportFormat
  /** The first line of CSV. */
  readonly header?: string
}

export function readRows(chunks: AsyncIterable<Buffer>, options: ReadingOptions) {
  let layout: RowLayout = { format: 'ndjson' }
  async function* batches() {
    for await (const { records, ...found } of recordsIn(chunks, options)) {
      layout = found
      yield records.map(rowOf)
    }
  }
  /** The layout is known once there are rows. */
  return { batches: batches(), layout: () => layout }
}

/** Counts the rows without checking them. An input that cannot be read is refused. */
export async function countRows(chunks: AsyncIterable<Buffer>, options: ReadingOptions) {
  let rows = 0
  let format: ImportFormat = 'ndjson'
  for await (const found of recordsIn(chunks, options)) {
    format = found.format
    rows += found.records.length
  }
  return { rows, format }
}

/** The rows in order, some hundred at a time, and how they are written. */
async function* recordsIn(chunks: AsyncIterable<Buffer>, { name, format: typed }: ReadingOptions) {
  const source = chunks[Symbol.asyncIterator]()
  const { value: first = Buffer.alloc(0) } = await source.next()
  const [header = ''] = first.toString().trimStart().split(/\r?\n/, 1)
  if (header === '') throw new Failure('usage', `${name} is empty`)
  const byContent = header.startsWith('[') ? 'json' : header.startsWith('{') ? 'ndjson' : 'csv'
  const format = typed ?? formatByName(name) ?? byContent
  async function* all() {
    yield first
    yield* { [Symbol.asyncIterator]: () => source }
  }
  const split = { ndjson: linesIn, json: elementsIn, csv: csvRecordsIn }[format]
  for await (const records of split(all(), name, header)) yield { format, header, records }
}

function rowOf({ raw, read }: UnreadRow): ImportRow {
  try {
    if (raw.text.includes('\ufffd')) throw new SyntaxError('it is not UTF-8 text')
    return { raw, pet: checkNewPet(read()) }
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    return { raw, problem: error.message }
  }
}

type Records = AsyncGenerator<UnreadRow[]>

async function* linesIn(chunks: AsyncIterable<Buffer>, name: string): Records {
  const decoder = new TextDecoder()
  let held = ''
  let number = 0
  const recordsOf = (lines: readonly string[]) =>
    lines.flatMap(line => {
      number += 1
      const text = line.trim()
      return text === '' ? [] : { raw: { number, text }, read: () => parseJsonObject(text) }
    })
  for await (const chunk of chunks) {
    const lines = (held + decoder.decode(chunk, { stream: true })).split('\n')
    held = lines.pop() ?? ''
    if (held.length > mebibyte)
      throw new Failure('usage', `${name}: line ${number + lines.length + 1} is longer than 1 MiB`)
    yield recordsOf(lines)
  }
  yield recordsOf([held])
}

/** Read as a whole: for more, NDJSON has no limit. */
async function* elementsIn(chunks: AsyncIterable<Buffer>, name: string): Records {
  const parts: Buffer[] = []
  let size = 0
  for await (const chunk of chunks) {
    parts.push(chunk)
    size += chunk.length
    if (size > largestArray)
      throw new Failure('usage', `${name}: a JSON array of more than 16 MiB must become NDJSON`, {
        hint: "jq -c '.[]' < FILE > FILE.ndjson"
      })
  }
  try {
    const value = parseJson(Buffer.concat(parts).toString())
    if (!Array.isArray(value)) throw new SyntaxError('it is not an array')
    yield value.map((element, index) => {
      const raw = { number: index + 1, text: stringifyJson(element) }
      return { raw, read: () => element }
    })
  } catch (error) {
    throw error instanceof SyntaxError ? new Failure('usage', `${name}: ${error.message}`) : error
  }
}

const batchSize = 256

async function* csvRecordsIn(chunks: AsyncIterable<Buffer>, name: string, header: string): Records {
  const parser = Readable.from(chunks).pipe(
    parse({
      bom: true,
      columns: columns => requireColumns(columns, name),
      // Excel writes semicolons in many countries.
      delimiter: [',', ';', '\t'].find(separator => header.includes(separator)) ?? ',',
      info: true,
      raw: true,
      relax_column_count: true,
      skip_empty_lines: true,
      max_record_size: mebibyte
    })
  )
  let records: UnreadRow[] = []
  let number = 2
  try {
    for await (const { record, raw, info } of parser as AsyncIterable<CsvRecord>) {
      records.push({ raw: { number, text: raw.trimEnd() }, read: () => petIn(record, info) })
      number = info.lines + 1
      if (records.length < batchSize) continue
      yield records
      records = []
    }
  } catch (error) {
    throw error instanceof CsvError ? new Failure('usage', `${name}: ${error.message}`) : error
  }
  yield records
}

interface CsvRecord {
  readonly record: Readonly<Record<string, string>>
  readonly raw: string
  readonly info: InfoRecord
}

/** An empty cell is an absent field, and a whole number is an integer. */
function petIn(record: CsvRecord['record'], { error }: InfoRecord): unknown {
  if (error !== undefined) throw new SyntaxError(error.message)
  const filled = Object.entries(record).filter(([, cell]) => cell !== '')
  const fields = filled.map(([column, cell]) =>
    column === 'categoryId' && /^-?\d{1,19}$/.test(cell) ? [column, BigInt(cell)] : [column, cell]
  )
  return Object.fromEntries(fields)
}

function requireColumns(header: readonly string[], name: string): string[] {
  const columns = header.map(column => column.trim())
  if (columns.includes('name') && columns.includes('categoryId')) return columns
  const found = columns.slice(0, 10).map(column => `'${column.slice(0, 100)}'`)
  const problem = `the header has the columns ${found.join(', ')}, not 'name' and 'categoryId'`
  throw new Failure('usage', `${name}: ${problem}`, { hint: 'petstore help import' })
}
