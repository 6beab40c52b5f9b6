import { extname } from 'node:path'
import { countLines, largestRow, type RawRow } from './raw-row.ts'

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
  return importFormats.find(format => format === extension)
}

/** The blank lines at the start, with byte order marks, which some programs write first. */
const blankOf = (text: string) => /^[ \t\r\n\xef\xbb\xbf]*/.exec(text)?.[0] ?? ''

/** The beginning of an input, which decides how it is read. Blank lines are counted, not held. */
export class InputStart {
  /** The line on which the held text begins. */
  line = 1
  /** A character stands for a byte. */
  #held = ''

  push(chunk: Buffer): void {
    const text = this.#held + chunk.toString('latin1')
    const blank = blankOf(text)
    const lineStart = blank.lastIndexOf('\n') + 1
    this.line += countLines(blank)
    const isTooLong = blank === text && blank.length - lineStart > largestRow
    this.#held = text.slice(isTooLong ? blank.length : lineStart)
  }

  /** The format that the first character shows; undefined if there is none yet. */
  format(): ImportFormat | undefined {
    const first = this.#held[blankOf(this.#held).length]
    if (first === undefined) return undefined
    if (first === '[') return 'json'
    return first === '{' ? 'ndjson' : 'csv'
  }

  /** The bytes from the first line on that is not blank. */
  bytes(): Buffer {
    const text = this.line === 1 ? this.#held.replace(/^\xef\xbb\xbf/, '') : this.#held
    return Buffer.from(text, 'latin1')
  }

  /** Whether enough has arrived to read the rows: JSON shows at once, CSV needs its header. */
  isComplete(): boolean {
    const format = this.format()
    if (format !== 'csv') return format !== undefined
    return this.#held.includes('\n') || this.#held.length > largestRow
  }
}
