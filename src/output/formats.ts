import type { paintFor } from './paint.ts'

/**
 * The formats of `--output`. Everything that depends on the format is derived from this table. For
 * `people`, a format has colors, and an empty list may print a message. With `json`, stderr is JSON
 * too, for the same reader, and `--int64` applies. For `cells`, neither. Each format's module, and
 * the libraries behind it, load at first use.
 */
export const formats = {
  table: {
    description: 'aligned columns, fitted to the width of the terminal; the default in a terminal',
    kind: 'people',
    load: async () => (await import('./table.ts')).renderTable
  },
  json: {
    description: 'the value that the service sent, with nothing added; the default elsewhere',
    kind: 'json',
    load: async () => (await import('./text-formats.ts')).renderJson
  },
  ndjson: {
    description: 'one JSON value per line',
    kind: 'json',
    load: async () => (await import('./text-formats.ts')).renderNdjson
  },
  csv: {
    description: 'comma-separated values with a header (RFC 4180)',
    kind: 'cells',
    load: async () => (await import('./text-formats.ts')).renderCsv
  },
  tsv: {
    description:
      'one line per row, no header; tab, newline, carriage return and backslash as \\t, \\n, \\r and \\\\',
    kind: 'cells',
    load: async () => (await import('./text-formats.ts')).renderTsv
  }
} satisfies Record<
  string,
  { description: string; kind: 'people' | 'json' | 'cells'; load: () => Promise<object> }
>

export type Format = keyof typeof formats
export const formatNames = Object.keys(formats) as readonly Format[]

/** What the user chose about data, and about messages. */
export interface OutputSettings {
  readonly format: Format
  readonly color: Parameters<typeof paintFor>[2]
  /** Without notices and progress. */
  readonly quiet: boolean
  /** Only these fields, in this order. */
  readonly fields?: readonly string[] | undefined
  readonly int64AsStrings: boolean
  /**
   * The results of this jq expression are printed instead of the data. The format is then one of
   * the JSON formats.
   */
  readonly jq?: string | undefined
}
