import { extname } from 'node:path'
import { countLines, isSpace, largestRow, newline } from './raw-row.ts'

export const importFormats = ['ndjson', 'json', 'csv'] as const
export type ImportFormat = (typeof importFormats)[number]

/** What the number of a row counts: a line of a JSON array may hold many rows. */
export const unitOf = (format: ImportFormat | undefined) => (format === 'json' ? 'element' : 'line')

/** The format that the file extension stands for, if any. */
export function formatByName(path: string): ImportFormat | undefined {
  const formats: Readonly<Record<string, ImportFormat>> = {
    '.ndjson': 'ndjson',
    '.jsonl': 'ndjson',
    '.json': 'json',
    '.csv': 'csv',
  }
  return formats[extname(path).toLowerCase()]
}

const byteOrderMark = Buffer.of(0xef, 0xbb, 0xbf)
const [openBracket, openBrace] = [0x5b, 0x7b]

/** The beginning of an input, which decides how it is read. Blank lines are counted, not held. */
export class InputStart {
  /** The line on which the held bytes begin. */
  line = 1
  held: Buffer = Buffer.alloc(0)
  #isPastMark = false

  push(chunk: Uint8Array): void {
    this.held = Buffer.concat([this.held, chunk])
    if (!this.#isPastMark) this.#skipMark()
    if (!this.#isPastMark) return
    const blankLength = this.held.findIndex((byte) => !isSpace(byte))
    const blank = blankLength === -1 ? this.held : this.held.subarray(0, blankLength)
    const lineStart = blank.lastIndexOf(newline) + 1
    this.line += countLines(blank)
    const isTooBlank = blankLength === -1 && blank.length - lineStart > largestRow
    this.held = this.held.subarray(isTooBlank ? blank.length : lineStart)
  }

  /** Some programs write a byte order mark first. */
  #skipMark(): void {
    const isCutOff =
      this.held.length < byteOrderMark.length && byteOrderMark.indexOf(this.held) === 0
    if (isCutOff) return
    this.#isPastMark = true
    if (byteOrderMark.equals(this.held.subarray(0, byteOrderMark.length)))
      this.held = this.held.subarray(byteOrderMark.length)
  }

  /** The format that the first character shows; undefined if there is none yet. */
  format(): ImportFormat | undefined {
    const first = this.held.find((byte) => !isSpace(byte))
    if (first === undefined) return undefined
    if (first === openBracket) return 'json'
    return first === openBrace ? 'ndjson' : 'csv'
  }

  /** As far as it has arrived. */
  firstLine(): Buffer {
    const end = this.held.indexOf(newline)
    return end === -1 ? this.held : this.held.subarray(0, end)
  }

  hasFirstLine(): boolean {
    return this.held.length > largestRow || this.held.includes(newline)
  }
}
