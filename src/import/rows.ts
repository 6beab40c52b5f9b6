import { Failure } from '../failure.ts'
import { checkNewPet } from '../model/new-pet.ts'
import type { NewPet } from '../model/pets.ts'
import { byteOrderMark, formatByContent, type ImportFormat } from './format.ts'
import { type ParsedRow, parseJsonRows, splitElements, splitLines } from './json-rows.ts'
import type { RawRow, Splitter } from './raw-row.ts'

/** One row of the input: a pet to add, or what is wrong with it. */
export type ImportRow = { readonly raw: RawRow } & ({ readonly pet: NewPet } | { readonly problem: string })

interface RowsOptions {
  /** The input's name, for messages. */
  readonly name: string
  /** If undefined, the content decides. */
  readonly format: ImportFormat | undefined
  /** Called as soon as each is known: a file of rejected rows needs both. */
  readonly onFormat: (format: ImportFormat) => void
  readonly onHeader: (bytes: Uint8Array) => void
}

/** The rows in order, those of one chunk at a time. No more than one chunk is held in memory. */
export async function* readRows(
  chunks: AsyncIterable<Uint8Array>,
  options: RowsOptions,
): AsyncGenerator<readonly ImportRow[]> {
  const { name, format } = options
  let parser: RowParser | undefined
  let blank: Uint8Array = new Uint8Array()
  for await (const chunk of withoutByteOrderMark(chunks)) {
    if (parser === undefined) {
      // Leading blank lines stay, because they count as lines.
      blank = Buffer.concat([blank, chunk])
      const found = formatByContent(blank)
      if (found === undefined) continue
      const chosen = format ?? found
      if (chosen === 'json' && found !== 'json') throw noArray(name)
      options.onFormat(chosen)
      parser = await parserFor(chosen, options)
      yield rowsOf(parser, parser.splitter.push(blank))
    } else {
      yield rowsOf(parser, parser.splitter.push(chunk))
    }
  }
  if (parser === undefined) throw new Failure('usage', `${name} is empty`)
  yield rowsOf(parser, parser.splitter.end())
}

interface RowParser {
  readonly splitter: Splitter
  readonly parse: (rows: readonly RawRow[]) => ParsedRow[]
}

/** Only CSV loads the library for CSV. */
async function parserFor(format: ImportFormat, { name, onHeader }: RowsOptions): Promise<RowParser> {
  if (format === 'ndjson') return { splitter: splitLines(), parse: parseJsonRows }
  if (format === 'json') return { splitter: splitElements(), parse: parseJsonRows }
  const { createCsvParser, splitRecords } = await import('./csv-rows.ts')
  return { splitter: splitRecords(), parse: createCsvParser(name, onHeader) }
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

function noArray(name: string): Failure {
  return new Failure('usage', `${name} is no JSON array: it does not begin with [`, {
    hint: 'petstore pets import --help',
  })
}
