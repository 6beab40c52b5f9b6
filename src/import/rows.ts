import { Failure } from '../failure.ts'
import { checkNewPet } from '../model/new-pet.ts'
import type { NewPet } from '../model/pets.ts'
import { splitElements } from './elements.ts'
import { byteOrderMark, formatByContent, type ImportFormat } from './format.ts'
import { splitLines } from './lines.ts'
import type { Piece, Splitter } from './raw-row.ts'
import { type Reading, readJsonPieces } from './reading.ts'
import { splitRecords } from './records.ts'

/** One row of the input: an animal to add, or what is wrong with it. */
export type Row = { readonly piece: Piece } & ({ readonly pet: NewPet } | { readonly problem: string })

interface RowsOptions {
  /** The input's name, for messages. */
  readonly name: string
  /** Undefined where the content has to say it. */
  readonly format: ImportFormat | undefined
  /** Told as soon as they are known: what the rows have to be written as, to be read again. */
  readonly onFormat: (format: ImportFormat) => void
  readonly onHeader: (bytes: Uint8Array) => void
}

/** The rows in their order, as many at a time as came in one chunk. No more than a chunk is held. */
export async function* readRows(
  chunks: AsyncIterable<Uint8Array>,
  options: RowsOptions,
): AsyncGenerator<readonly Row[]> {
  const { name, format } = options
  let parts: Parts | undefined
  let blank: Uint8Array = new Uint8Array()
  for await (const chunk of withoutByteOrderMark(chunks)) {
    if (parts === undefined) {
      // The blank lines that an input may begin with are kept, for they count.
      blank = Buffer.concat([blank, chunk])
      const found = formatByContent(blank)
      if (found === undefined) continue
      const chosen = format ?? found
      if (chosen === 'json' && found !== 'json') throw noArray(name)
      options.onFormat(chosen)
      parts = await partsFor(chosen, options)
      yield rowsOf(parts, parts.splitter.push(blank))
    } else {
      yield rowsOf(parts, parts.splitter.push(chunk))
    }
  }
  if (parts === undefined) throw new Failure('usage', `${name} is empty: there is nothing to import`)
  yield rowsOf(parts, parts.splitter.end())
}

interface Parts {
  readonly splitter: Splitter
  readonly read: (pieces: readonly Piece[]) => Reading[]
}

/** The library for CSV is loaded where there is CSV. */
async function partsFor(format: ImportFormat, { name, onHeader }: RowsOptions): Promise<Parts> {
  if (format === 'ndjson') return { splitter: splitLines(), read: readJsonPieces }
  if (format === 'json') return { splitter: splitElements(), read: readJsonPieces }
  const { createCsvReader } = await import('./csv-reader.ts')
  return { splitter: splitRecords(), read: createCsvReader(name, onHeader) }
}

function rowsOf({ read }: Parts, pieces: readonly Piece[]): Row[] {
  return read(pieces).map((reading) => {
    if ('problem' in reading) return reading
    const { piece, value } = reading
    return { piece, ...checkNewPet(value) }
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
