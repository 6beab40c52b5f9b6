import type { Host } from '../host.ts'
import { type ColorChoice, wantsColor } from './color.ts'
import { pickFields, type Row } from './columns.ts'
import { write } from './stream.ts'
import { styleFor } from './style.ts'

export interface OutputSettings {
  readonly format: 'table' | 'json' | 'ndjson' | 'csv' | 'tsv'
  readonly color: ColorChoice
  /** Only these fields, in this order. */
  readonly fields?: readonly string[] | undefined
  readonly int64AsStrings?: boolean | undefined
}

/** Data on its way to stdout, in the format that the user chose. */
export interface Output {
  /** Many things: an array in JSON. */
  list(rows: readonly Row[], columns: readonly string[]): Promise<void>
  /** One thing: an object in JSON, a row elsewhere. */
  item(row: Row, columns: readonly string[]): Promise<void>
  /** A value that is JSON whatever the format. */
  document(value: Row): Promise<void>
  /** One thing that a program waits for while this one goes on: one line in JSON. */
  line(row: Row, columns: readonly string[]): Promise<void>
  /** Text that is what it is in every format; a newline is added. */
  text(text: string): Promise<void>
  /** Help: text whose headings stand at the margin and end in a colon. It comes out whatever the settings are. */
  page(text: string): Promise<void>
}

interface Ingredients {
  readonly host: Host
  readonly settings: () => Promise<OutputSettings>
  /** The same where they can be had, and a guess at them where not. */
  readonly settingsAtLeast: () => Promise<OutputSettings>
}

export function createOutput({ host, settings, settingsAtLeast }: Ingredients): Output {
  const print = async (value: Row | readonly Row[], rows: readonly Row[], columns: readonly string[]) => {
    await write(host.stdout, await render({ host, settings: await settings(), value, rows, columns }))
  }
  const paintHeadings = async (text: string) => {
    // Settings cost time, and a page that goes elsewhere has no use for colour.
    if (!host.terminal.stdout) return text
    const { color } = await settingsAtLeast()
    const { header } = await styleFor(wantsColor({ choice: color, isTerminal: true, env: host.env }))
    return text.replace(/^\S.*:$/gm, header)
  }
  const printLine = async (row: Row, columns: readonly string[]) => {
    const { format, ...rest } = await settings()
    const oneLine = { ...rest, format: format === 'json' ? ('ndjson' as const) : format }
    await write(host.stdout, await render({ host, settings: oneLine, value: row, rows: [row], columns }))
  }
  return {
    list: (rows, columns) => print(rows, rows, columns),
    item: (row, columns) => print(row, [row], columns),
    document: async (value) => {
      const page = { host, value, rows: [value], columns: [] }
      await write(host.stdout, await render({ ...page, settings: { ...(await settings()), format: 'json' } }))
    },
    line: printLine,
    text: (text) => write(host.stdout, `${text}\n`),
    page: async (text) => write(host.stdout, `${await paintHeadings(text)}\n`),
  }
}

interface Page {
  readonly host: Host
  readonly settings: OutputSettings
  /** What JSON shows. */
  readonly value: Row | readonly Row[]
  /** What the other formats show. */
  readonly rows: readonly Row[]
  readonly columns: readonly string[]
}

/** Each format's module, and the libraries behind it, are loaded only where it is asked for. */
async function render({ host, settings, value, rows, columns }: Page): Promise<string> {
  const { format, color, fields, int64AsStrings = false } = settings
  const isTerminal = host.terminal.stdout
  const style = () => styleFor(wantsColor({ choice: color, isTerminal, env: host.env }))
  const picked = (row: Row) => (fields === undefined ? row : pickFields(row, fields))
  const shown = fields ?? columns

  switch (format) {
    case 'table': {
      const { renderTable } = await import('./table.ts')
      const width = isTerminal ? host.columns() : undefined
      return renderTable(rows, shown, { width, style: await style() })
    }
    case 'json': {
      const { renderJson } = await import('./json.ts')
      const whole = isMany(value) ? value.map(picked) : picked(value)
      return renderJson(whole, { style: await style(), int64AsStrings })
    }
    case 'ndjson': {
      const { renderNdjson } = await import('./ndjson.ts')
      return renderNdjson(rows.map(picked), { style: await style(), int64AsStrings })
    }
    case 'csv': {
      const { renderCsv } = await import('./csv.ts')
      return renderCsv(rows, shown, { isTerminal })
    }
    case 'tsv': {
      const { renderTsv } = await import('./tsv.ts')
      return renderTsv(rows, shown)
    }
  }
}

/** `Array.isArray` does not tell a read-only array from the rest. */
function isMany(value: Row | readonly Row[]): value is readonly Row[] {
  return Array.isArray(value)
}
