import { extname } from 'node:path'
import { isSpace } from './raw-row.ts'

export const importFormats = ['ndjson', 'json', 'csv'] as const
export type ImportFormat = (typeof importFormats)[number]

/** What the number of a row counts: a line of a JSON array may hold many rows. */
export const unitOf = (format: ImportFormat | undefined) => (format === 'json' ? 'element' : 'line')

export const byteOrderMark = Uint8Array.of(0xef, 0xbb, 0xbf)

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

/**
 * The format that the first character shows; undefined if there is no character yet. The bytes
 * begin at `position`.
 */
export function formatByContent(bytes: Uint8Array, position: number): ImportFormat | undefined {
  // Some programs write a byte order mark first.
  const first = bytes.find(
    (byte, index) => !isSpace(byte) && byte !== byteOrderMark[position + index],
  )
  if (first === undefined) return undefined
  if (first === 0x5b) return 'json'
  return first === 0x7b ? 'ndjson' : 'csv'
}
