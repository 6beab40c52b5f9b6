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
  /** Text that is what it is in every format; a newline is added. */
  text(text: string): Promise<void>
}

interface Ingredients {
  readonly host: Host
  readonly settings: () => Promise<OutputSettings>
}

export function createOutput({ host, settings }: Ingredients): Output {
  const print = async (value: Row | readonly Row[], rows: readonly Row[], columns: readonly string[]) => {
    await write(host.stdout, await render({ host, settings: await settings(), value, rows, columns }))
  }
  return {
    list: (rows, columns) => print(rows, rows, columns),
    item: (row, columns) => print(row, [row], columns),
    text: (text) => write(host.stdout, `${text}\n`),
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
