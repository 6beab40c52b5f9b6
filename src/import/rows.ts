import { Failure } from '../failure.ts'
import { checkNewPet, type NewPet } from '../model/schema.ts'
import { csvRows, separatorOf } from './csv-rows.ts'
import { formatByName, type ImportFormat, InputStart, type RowParser } from './format.ts'
import { jsonRows } from './json-rows.ts'
import { type RawRow, rowText } from './raw-row.ts'

/** One row of the input: a pet to add, or the problem with it. */
export type ImportRow = SendableRow | { readonly raw: RawRow; readonly problem: string }
export interface SendableRow {
  readonly raw: RawRow
  readonly pet: NewPet
}

/** The layout of a file of rows. */
export type RowLayout = Pick<RowParser, 'format' | 'header'>

export interface ReadingOptions {
  /** The name of the input, for errors. */
  readonly name: string
  /** The one that the user chose. Otherwise the name decides, and then the content. */
  readonly format?: ImportFormat | undefined
  /** The same command for CSV, for hints. */
  readonly commandForCsv?: string | undefined
}

export function readRows(chunks: AsyncIterable<Buffer>, options: ReadingOptions) {
  let layout: RowLayout = { format: 'ndjson' }
  /** The rows in order, those of one chunk at a time. No more than one chunk is held in memory. */
  async function* batches() {
    for await (const { parser, rows } of splitInput(chunks, options)) {
      layout = parser
      yield rows.map(row => rowOf(row, parser))
    }
  }
  return {
    batches: batches(),
    /** Known once there are rows. */
    layout: () => layout
  }
}

/**
 * Counts the rows of an input without checking them. An input that has none, or a wrong header, is
 * refused.
 */
export async function countRows(chunks: AsyncIterable<Buffer>, options: ReadingOptions) {
  let count = 0
  let format: ImportFormat = 'ndjson'
  for await (const { parser, rows } of splitInput(chunks, options)) {
    format = parser.format
    count += rows.length
  }
  return { rows: count, format }
}

/** Yields the rows that end in each chunk, and how to read them. */
async function* splitInput(chunks: AsyncIterable<Buffer>, options: ReadingOptions) {
  const start = new InputStart()
  const rest = chunks[Symbol.asyncIterator]()
  while (!start.isComplete()) {
    const { value, done } = await rest.next()
    if (done) break
    start.push(value)
  }
  const parser = chooseParser(start, options)
  async function* all() {
    yield start.bytes()
    yield* { [Symbol.asyncIterator]: () => rest }
  }
  for await (const rows of parser.split(all())) yield { parser, rows }
}

function chooseParser(
  start: InputStart,
  { name, format: typed, commandForCsv }: ReadingOptions
): RowParser {
  const found = start.format()
  if (found === undefined) throw new Failure('usage', `${name} is empty`)
  const format = typed ?? formatByName(name) ?? found
  if (found === 'csv' || format === 'csv') {
    const separator = separatorOf(start.bytes())
    if (format === 'csv') return csvRows(name, start.line, separator)
    if (typed === undefined && separator !== undefined) throw misnamed(name, commandForCsv)
  }
  if (format === 'json' && found !== 'json') throw notAnArray(name, found)
  return jsonRows(format, start.line)
}

function rowOf(raw: RawRow, { parse }: RowParser): ImportRow {
  try {
    return { raw, pet: checkNewPet(parse(rowText(raw))) }
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    return { raw, problem: error.message }
  }
}

function notAnArray(name: string, found: ImportFormat): Failure {
  const advice = found === 'ndjson' ? '; for one object per line, use --format ndjson' : ''
  return new Failure('usage', `${name} is not a JSON array: it does not begin with [${advice}`, {
    hint: 'petstore pets import --help'
  })
}

function misnamed(name: string, hint = 'petstore pets import --help'): Failure {
  const problem = 'its first line is the header of a CSV file'
  return new Failure('usage', `${name} is not JSON: ${problem}`, { hint })
}
