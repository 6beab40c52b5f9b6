import { Failure } from '../failure.ts'
import { checkNewPet, type NewPet } from '../model/schema.ts'
import { byteOrderMark, formatByContent, type ImportFormat } from './format.ts'
import { jsonRows } from './json-rows.ts'
import type { RawRow, RowParser } from './raw-row.ts'

/** One row of the input: a pet to add, or the problem with it. */
export type ImportRow = SendableRow | { readonly raw: RawRow; readonly problem: string }
export interface SendableRow {
  readonly raw: RawRow
  readonly pet: NewPet
}

export interface RowReader {
  /** The rows in order, those of one chunk at a time. No more than one chunk is held in memory. */
  readonly batches: AsyncGenerator<readonly ImportRow[]>
  /** Known once there are rows. */
  layout(): RowLayout
}

/** The layout of a file of rows. */
export interface RowLayout {
  readonly format: ImportFormat
  /** The header of CSV. */
  readonly header?: Uint8Array | undefined
}

interface ReadingOptions {
  /** The name of the input, for errors. */
  readonly name: string
  /** Without a format, the content decides. */
  readonly format?: ImportFormat | undefined
  /** Ends the reading early: then the last row may be incomplete, and is left out. */
  readonly signal?: AbortSignal | undefined
}

export function readRows(chunks: AsyncIterable<Uint8Array>, options: ReadingOptions): RowReader {
  let layout = (): RowLayout => ({ format: options.format ?? 'ndjson' })
  async function* batches() {
    for await (const { parser, format, rows } of splitInput(chunks, options)) {
      layout = () => ({ format, header: parser.header?.() })
      yield rowsOf(parser, rows)
    }
  }
  return { batches: batches(), layout: () => layout() }
}

/**
 * Counts the rows of an input without checking them. An input that has none, or a wrong header, is
 * refused.
 */
export async function countRows(
  chunks: AsyncIterable<Uint8Array>,
  options: ReadingOptions,
): Promise<{ rows: number; format: ImportFormat }> {
  let rows = 0
  let format = options.format ?? 'ndjson'
  for await (const split of splitInput(chunks, options)) {
    format = split.format
    rows += split.rows.length
  }
  return { rows, format }
}

interface SplitRows {
  readonly parser: RowParser
  readonly format: ImportFormat
  /** The rows that ended in one chunk. */
  readonly rows: readonly RawRow[]
}

async function* splitInput(
  chunks: AsyncIterable<Uint8Array>,
  { name, format: wanted, signal }: ReadingOptions,
): AsyncGenerator<SplitRows> {
  let parser: RowParser | undefined
  let format = wanted ?? 'ndjson'
  /** Leading blank lines stay, because they count as lines. */
  const blank: Uint8Array[] = []
  let position = 0
  for await (const chunk of chunks) {
    if (parser !== undefined) {
      yield { parser, format, rows: parser.push(chunk) }
      continue
    }
    const found = formatByContent(chunk, position)
    position += chunk.length
    blank.push(Buffer.from(chunk))
    if (found === undefined) continue
    if (wanted === 'json' && found !== 'json') throw notAnArray(name, found)
    format = wanted ?? found
    parser = await parserFor(format, name)
    yield {
      parser,
      format,
      rows: parser.push(withoutByteOrderMark(Buffer.concat(blank.splice(0)))),
    }
  }
  if (signal?.aborted) return
  if (parser === undefined) throw new Failure('usage', `${name} is empty`)
  yield { parser, format, rows: parser.end() }
}

/** Only CSV loads the library for CSV. */
async function parserFor(format: ImportFormat, name: string): Promise<RowParser> {
  return format === 'csv' ? (await import('./csv-rows.ts')).csvRows(name) : jsonRows(format)
}

function rowsOf({ parse }: RowParser, rawRows: readonly RawRow[]): ImportRow[] {
  return parse(rawRows).map((parsed) => {
    if ('problem' in parsed) return parsed
    const { raw, value } = parsed
    return { raw, ...checkNewPet(value) }
  })
}

function withoutByteOrderMark(bytes: Uint8Array): Uint8Array {
  const hasMark = byteOrderMark.every((byte, index) => bytes[index] === byte)
  return hasMark ? bytes.subarray(byteOrderMark.length) : bytes
}

function notAnArray(name: string, found: ImportFormat): Failure {
  const advice = found === 'ndjson' ? '; for one object per line, use --format ndjson' : ''
  return new Failure('usage', `${name} is not a JSON array: it does not begin with [${advice}`, {
    hint: 'petstore pets import --help',
  })
}
