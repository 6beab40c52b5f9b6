import { Failure } from '../failure.ts'
import { checkNewPet, type NewPet } from '../model/schema.ts'
import { byteOrderMark, formatByContent, type ImportFormat } from './format.ts'
import { type ParsedRow, parseJsonRows, splitElements, splitLines } from './json-rows.ts'
import type { RawRow, Splitter } from './raw-row.ts'

/** One row of the input: a pet to add, or what is wrong with it. */
export type ImportRow = SendableRow | { readonly raw: RawRow; readonly problem: string }
export interface SendableRow {
  readonly raw: RawRow
  readonly pet: NewPet
}

export interface RowReader {
  /** The rows in order, those of one chunk at a time. No more than one chunk is held in memory. */
  readonly batches: AsyncGenerator<readonly ImportRow[]>
  /** What a file of these rows needs; known once there are rows. */
  layout(): RowLayout
}

export interface RowLayout {
  readonly format: ImportFormat
  /** The header of CSV. */
  readonly header?: Uint8Array | undefined
}

interface RowsOptions {
  /** The input's name, for messages. */
  readonly name: string
  /** If undefined, the content decides. */
  readonly format: ImportFormat | undefined
}

export function readRows(chunks: AsyncIterable<Uint8Array>, { name, format }: RowsOptions): RowReader {
  let parser: RowParser | undefined

  async function* batches(): AsyncGenerator<readonly ImportRow[]> {
    let blank: Uint8Array = new Uint8Array()
    for await (const chunk of withoutByteOrderMark(chunks)) {
      if (parser !== undefined) {
        yield rowsOf(parser, parser.splitter.push(chunk))
        continue
      }
      // Leading blank lines stay, because they count as lines.
      blank = Buffer.concat([blank, chunk])
      const found = formatByContent(blank)
      if (found === undefined) continue
      if (format === 'json' && found !== 'json') throw notAnArray(name)
      parser = await parserFor(format ?? found, name)
      yield rowsOf(parser, parser.splitter.push(blank))
    }
    if (parser === undefined) throw new Failure('usage', `${name} is empty`)
    yield rowsOf(parser, parser.splitter.end())
  }

  return { batches: batches(), layout: () => parser?.layout() ?? { format: format ?? 'ndjson' } }
}

interface RowParser {
  readonly splitter: Splitter
  parse(rows: readonly RawRow[]): ParsedRow[]
  layout(): RowLayout
}

/** Only CSV loads the library for CSV. */
async function parserFor(format: ImportFormat, name: string): Promise<RowParser> {
  if (format === 'csv') {
    const { createCsvParser, splitRecords } = await import('./csv-rows.ts')
    const { parse, header } = createCsvParser(name)
    return { splitter: splitRecords(), parse, layout: () => ({ format, header: header() }) }
  }
  const splitter = format === 'json' ? splitElements() : splitLines()
  return { splitter, parse: parseJsonRows, layout: () => ({ format }) }
}

function rowsOf({ parse }: RowParser, rawRows: readonly RawRow[]): ImportRow[] {
  return parse(rawRows).map((parsed) => {
    if ('problem' in parsed) return parsed
    const { raw, value } = parsed
    return { raw, ...checkNewPet(value) }
  })
}

async function* withoutByteOrderMark(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let head: Buffer | undefined = Buffer.alloc(0)
  for await (const chunk of chunks) {
    if (head === undefined) {
      yield chunk
      continue
    }
    head = Buffer.concat([head, chunk])
    if (head.length < byteOrderMark.length) continue
    yield head.subarray(0, byteOrderMark.length).equals(byteOrderMark) ? head.subarray(byteOrderMark.length) : head
    head = undefined
  }
  if (head !== undefined) yield head
}

function notAnArray(name: string): Failure {
  return new Failure('usage', `${name} is not a JSON array: it does not begin with [`, {
    hint: 'petstore pets import --help',
  })
}
