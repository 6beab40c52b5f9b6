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

/** Reads the rows of the input with this name. Without a format, the content decides. */
export function readRows(
  chunks: AsyncIterable<Uint8Array>,
  { name, format }: { name: string; format: ImportFormat | undefined },
): RowReader {
  let parser: RowParser | undefined
  let layout: RowLayout = { format: format ?? 'ndjson' }

  async function* batches(): AsyncGenerator<readonly ImportRow[]> {
    let blank: Uint8Array = new Uint8Array()
    for await (const chunk of chunks) {
      if (parser !== undefined) {
        yield rowsOf(parser, parser.splitter.push(chunk))
        continue
      }
      // Leading blank lines stay, because they count as lines.
      blank = Buffer.concat([blank, chunk])
      const found = formatByContent(withoutByteOrderMark(blank))
      if (found === undefined) continue
      if (format === 'json' && found !== 'json') throw notAnArray(name, found)
      layout = { format: format ?? found }
      parser = await parserFor(layout.format, name)
      yield rowsOf(parser, parser.splitter.push(withoutByteOrderMark(blank)))
    }
    if (parser === undefined) throw new Failure('usage', `${name} is empty`)
    yield rowsOf(parser, parser.splitter.end())
  }

  return {
    batches: batches(),
    layout: () => ({ ...layout, header: parser?.header?.() }),
  }
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
