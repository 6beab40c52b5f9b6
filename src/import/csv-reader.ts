import { isUtf8 } from 'node:buffer'
import { parse } from 'csv-parse/sync'
import { Failure } from '../failure.ts'
import type { Piece } from './raw-row.ts'
import { notText, type Reading } from './reading.ts'

/** Reads records of CSV, the first of which is the header. */
export function createCsvReader(
  name: string,
  onHeader: (bytes: Uint8Array) => void,
): (pieces: readonly Piece[]) => Reading[] {
  let header: readonly string[] | undefined
  return (pieces) => {
    const cells = cellsOf(pieces)
    return pieces.flatMap((piece, index) => {
      const read = cells[index] ?? { problem: notText }
      if (header !== undefined) return [{ piece, ...('problem' in read ? read : recordAsValue(read.cells, header)) }]
      header = 'problem' in read ? noHeader(name, piece) : headerOf(read.cells, name, piece)
      onHeader(piece.bytes)
      return []
    })
  }
}

type Cells = { readonly cells: readonly string[] } | { readonly problem: string }

/** All at once, which is much faster; where that does not come out even, one by one. */
function cellsOf(pieces: readonly Piece[]): Cells[] {
  const isWhole = pieces.every(({ problem, bytes }) => problem === undefined && isUtf8(bytes))
  if (isWhole) {
    const records = parseRecords(Buffer.concat(pieces.flatMap(({ bytes }) => [bytes, Buffer.from('\n')])))
    if (records?.length === pieces.length) return records.map((cells) => ({ cells }))
  }
  return pieces.map(({ bytes, problem }) => {
    if (problem !== undefined) return { problem }
    if (!isUtf8(bytes)) return { problem: notText }
    const [cells, ...others] = parseRecords(bytes) ?? []
    return cells === undefined || others.length > 0 ? { problem: 'its quotes are not as CSV has them' } : { cells }
  })
}

function parseRecords(bytes: Uint8Array): string[][] | undefined {
  try {
    return parse(bytes, { relax_column_count: true, record_delimiter: ['\r\n', '\n'] })
  } catch {
    return undefined
  }
}

function headerOf(cells: readonly string[], name: string, piece: Piece): readonly string[] {
  const header = cells.map((cell) => cell.trim())
  const twice = header.find((column, index) => header.indexOf(column) !== index)
  if (twice !== undefined) {
    throw new Failure('usage', `${name}, line ${piece.line}: the header names the column '${twice}' twice`)
  }
  return header.includes('name') && header.includes('categoryId') ? header : noHeader(name, piece)
}

function noHeader(name: string, { line }: Piece): never {
  throw new Failure(
    'usage',
    `${name}, line ${line}: there is no header; CSV begins with the names of its columns, name and categoryId among them`,
    { hint: 'petstore help import' },
  )
}

/** The record as JSON would have it: an empty cell is no field, and a whole number is one. */
function recordAsValue(cells: readonly string[], header: readonly string[]): { value: unknown } | { problem: string } {
  if (cells.length !== header.length) {
    return { problem: `it has ${cells.length} ${cells.length === 1 ? 'cell' : 'cells'}, the header ${header.length}` }
  }
  const value: Record<string, unknown> = {}
  header.forEach((column, index) => {
    const cell = cells[index] ?? ''
    if (cell !== '') value[column] = column === 'categoryId' ? integerOf(cell) : cell
  })
  return { value }
}

function integerOf(cell: string): bigint | string {
  return /^-?\d{1,19}$/.test(cell) ? BigInt(cell) : cell
}
