import type { Host } from '../system/host.ts'
import { paintFor, unpainted } from './paint.ts'
import type { View } from './view.ts'

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

/** How stdout shows data under these settings. */
export async function viewOf(
  host: Host,
  { format, color, fields, int64AsStrings }: OutputSettings,
  columns: readonly string[]
): Promise<View> {
  const isForPeople = formats[format].kind === 'people'
  return {
    columns: fields ?? columns,
    width: host.terminal.stdout ? host.columns() : undefined,
    paint: isForPeople ? await paintFor(host, 'stdout', color) : unpainted,
    int64AsStrings
  }
}
