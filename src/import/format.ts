import { extname } from 'node:path'
import {
  countLines,
  isSpace,
  largestRow,
  newline,
  openBrace,
  openBracket,
  type RawRow,
} from './raw-row.ts'

export const importFormats = ['ndjson', 'json', 'csv'] as const
export type ImportFormat = (typeof importFormats)[number]

/** Reads the rows of one format. */
export interface RowParser {
  readonly format: ImportFormat
  /** Yields the rows that end in each chunk, regardless of where the chunks end. */
  split(chunks: AsyncIterable<Buffer>): AsyncGenerator<readonly RawRow[]>
  /** The value of a row. Throws a SyntaxError, whose message is the problem, if it has none. */
  parse(text: string): unknown
  /** The header of CSV, once it has arrived. */
  header?(): Buffer | undefined
}

/** What the number of a row counts: a line of a JSON array may hold many rows. */
export const unitOf = (format: ImportFormat | undefined) => (format === 'json' ? 'element' : 'line')

/** The format that the file extension stands for, if any. */
export function formatByName(path: string): ImportFormat | undefined {
  const extension = extname(path).slice(1).toLowerCase()
  if (extension === 'jsonl') return 'ndjson'
  return importFormats.find((format) => format === extension)
}

/** Some programs write it first. */
const byteOrderMark = Buffer.of(0xef, 0xbb, 0xbf)
const isBlankByte = (byte: number) => isSpace(byte) || byteOrderMark.includes(byte)

/** The beginning of an input, which decides how it is read. Blank lines are counted, not held. */
export class InputStart {
  /** The line on which the held bytes begin. */
  line = 1
  #held: Buffer = Buffer.alloc(0)

  push(chunk: Buffer): void {
    const bytes = Buffer.concat([this.#held, chunk])
    const first = bytes.findIndex((byte) => !isBlankByte(byte))
    const blank = first === -1 ? bytes : bytes.subarray(0, first)
    const lineStart = blank.lastIndexOf(newline) + 1
    this.line += countLines(blank.toString('latin1'))
    const isTooLong = first === -1 && blank.length - lineStart > largestRow
    this.#held = bytes.subarray(isTooLong ? blank.length : lineStart)
  }

  /** The format that the first character shows; undefined if there is none yet. */
  format(): ImportFormat | undefined {
    const first = this.#held.find((byte) => !isBlankByte(byte))
    if (first === undefined) return undefined
    if (first === openBracket) return 'json'
    return first === openBrace ? 'ndjson' : 'csv'
  }

  /** The bytes from the first line on that is not blank. */
  bytes(): Buffer {
    const first = this.#held.subarray(0, byteOrderMark.length)
    const hasMark = this.line === 1 && first.equals(byteOrderMark)
    return hasMark ? this.#held.subarray(byteOrderMark.length) : this.#held
  }

  /** Whether enough has arrived to read the rows: JSON shows at once, CSV needs its header. */
  isComplete(): boolean {
    const format = this.format()
    if (format !== 'csv') return format !== undefined
    return this.#held.includes(newline) || this.#held.length > largestRow
  }
}
