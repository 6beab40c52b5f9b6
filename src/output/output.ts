import { Failure } from '../failure.ts'
import type { Host } from '../platform/host.ts'
import type { Board } from './board.ts'
import type { ChecklistRow } from './checklist.ts'
import { type ColorChoice, wantsColor } from './color.ts'
import { pickFields, type Row } from './columns.ts'
import type { Events } from './events.ts'
import type { JqSurroundings } from './jq.ts'
import { print } from './stream.ts'
import { styleFor } from './style.ts'
import { visibleText } from './visible.ts'

export interface OutputSettings {
  readonly format: 'table' | 'json' | 'ndjson' | 'csv' | 'tsv'
  readonly color: ColorChoice
  /** Only these fields, in this order. */
  readonly fields?: readonly string[] | undefined
  readonly int64AsStrings?: boolean | undefined
  /** What jq makes of the JSON is printed in its place. */
  readonly jq?: string | undefined
}

/** Data on its way to stdout, in the format that the user chose. */
export interface Output {
  /** Many things: an array in JSON. */
  list(rows: readonly Row[], columns: readonly string[]): Promise<void>
  /** Many findings: a line each where others are rows of a table. */
  checklist(rows: readonly ChecklistRow[], columns: readonly string[]): Promise<void>
  /** One thing: an object in JSON, a row elsewhere. */
  item(row: Row, columns: readonly string[]): Promise<void>
  /** A value that is JSON whatever the format. */
  document(value: Row): Promise<void>
  /** One thing that a program waits for while this one goes on: one line in JSON. */
  line(row: Row, columns: readonly string[]): Promise<void>
  /** Things that end one after the other while a command runs, a line each; in a table at the end. */
  events(columns: readonly string[]): Promise<Events>
  /** Something that happened, and the things that it happened to: one line of JSON whatever the format. */
  happened(event: Row, things: Readonly<Record<string, Row>>): Promise<void>
  /** A table that is drawn again and again; undefined where the data is not for people's eyes. */
  board(columns: readonly string[]): Promise<Board | undefined>
  /** Text that is what it is in every format; a newline is added. */
  text(text: string): Promise<void>
  /** Help: text whose headings stand at the margin and end in a colon. It comes out whatever the settings are. */
  page(text: string): Promise<void>
  /** Bytes that are what they are in a pipe or a file, and harmless in a terminal. */
  bytes(bytes: Uint8Array): Promise<void>
  /** The same, or what jq makes of it where that is asked for. */
  reply(bytes: Uint8Array): Promise<void>
}

interface Ingredients extends JqSurroundings {
  readonly settings: () => Promise<OutputSettings>
  /** The same where they can be had, and a guess at them where not. */
  readonly settingsAtLeast: () => Promise<OutputSettings>
}

export function createOutput({ host, settings, settingsAtLeast, notice, withoutSignals }: Ingredients): Output {
  const printJq = async ({ settings: { fields, int64AsStrings }, value }: Page, expression: string) => {
    const [{ printByJq }, { stringifyJson }] = await Promise.all([import('./jq.ts'), import('../model/json.ts')])
    const json = stringifyJson(pick(value, fields), { int64AsStrings })
    await printByJq(json, expression, { host, notice, withoutSignals })
  }
  const present = async (
    contents: Pick<Page, 'value' | 'rows' | 'columns' | 'checklist'>,
    formatFor: (wanted: OutputSettings['format']) => OutputSettings['format'] = (wanted) => wanted,
    overrides: Partial<OutputSettings> = {},
  ) => {
    const chosen = await settings()
    const page = { host, settings: { ...chosen, format: formatFor(chosen.format), ...overrides }, ...contents }
    if (chosen.jq === undefined) await print(host, 'stdout', await render(page))
    else await printJq(page, chosen.jq)
  }
  const paintHeadings = async (text: string) => {
    // Settings cost time, and a page that goes elsewhere has no use for colour.
    if (!host.terminal.stdout) return text
    const { color } = await settingsAtLeast()
    const { header } = await styleFor(wantsColor({ choice: color, isTerminal: true, env: host.env }))
    return text.replace(/^\S.*:$/gm, (heading) => header(heading))
  }
  const printBytes = async (bytes: Uint8Array) => {
    if (!host.terminal.stdout || bytes.length === 0) return print(host, 'stdout', bytes)
    await print(host, 'stdout', `${visibleText(new TextDecoder().decode(bytes)).replace(/\n$/, '')}\n`)
  }
  return {
    list: (rows, columns) => present({ value: rows, rows, columns }),
    checklist: (rows, columns) => present({ value: rows, rows, columns, checklist: rows }),
    item: (row, columns) => present({ value: row, rows: [row], columns }),
    document: (value) => present({ value, rows: [value], columns: [] }, () => 'json'),
    line: (row, columns) =>
      present({ value: row, rows: [row], columns }, (format) => (format === 'json' ? 'ndjson' : format)),
    events: async (columns) => {
      const [{ createEvents }, chosen] = await Promise.all([import('./events.ts'), settings()])
      return createEvents({ host, settings: chosen, columns, notice, withoutSignals })
    },
    happened: async (event, things) => {
      const { fields } = await settings()
      const chosen = Object.entries(things).map(([name, thing]) => [name, pick(thing, fields)])
      const value: Row = { ...event, ...Object.fromEntries(chosen) }
      await present({ value, rows: [value], columns: [] }, () => 'ndjson', { fields: undefined })
    },
    board: async (columns) => {
      const { format, jq, color, fields } = await settings()
      if (!host.terminal.stdout || format !== 'table' || jq !== undefined || host.env.TERM === 'dumb') return undefined
      const [{ createBoard }, style] = await Promise.all([
        import('./board.ts'),
        styleFor(wantsColor({ choice: color, isTerminal: true, env: host.env })),
      ])
      return createBoard({ host, columns: fields ?? columns, style })
    },
    text: (text) => print(host, 'stdout', `${text}\n`),
    page: async (text) => print(host, 'stdout', `${await paintHeadings(text)}\n`),
    bytes: printBytes,
    reply: async (bytes) => {
      if ((await settings()).jq === undefined) return printBytes(bytes)
      await present({ value: await jsonOf(bytes), rows: [], columns: [] })
    },
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
  /** In the place of a table, unless only some fields are wanted. */
  readonly checklist?: readonly ChecklistRow[] | undefined
}

/** Each format's module, and the libraries behind it, are loaded only where it is asked for. */
async function render({ host, settings, value, rows, columns, checklist }: Page): Promise<string> {
  const { format, color, fields, int64AsStrings = false } = settings
  const isTerminal = host.terminal.stdout
  const style = () => styleFor(wantsColor({ choice: color, isTerminal, env: host.env }))
  const shown = fields ?? columns

  switch (format) {
    case 'table': {
      if (checklist !== undefined && fields === undefined) {
        const { renderChecklist } = await import('./checklist.ts')
        return renderChecklist(checklist, await style())
      }
      const { renderTable } = await import('./table.ts')
      const width = isTerminal ? host.columns() : undefined
      return renderTable(rows, shown, { width, style: await style() })
    }
    case 'json': {
      const { renderJson } = await import('./json.ts')
      return renderJson(pick(value, fields), { style: await style(), int64AsStrings })
    }
    case 'ndjson': {
      const { renderNdjson } = await import('./ndjson.ts')
      return renderNdjson(pick(rows, fields), { style: await style(), int64AsStrings })
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

async function jsonOf(bytes: Uint8Array): Promise<Page['value']> {
  const { parseJson } = await import('../model/json.ts')
  try {
    // jq takes any value; only the other formats need rows, and they do not come here.
    return parseJson(new TextDecoder('utf-8', { fatal: true }).decode(bytes)) as Page['value']
  } catch (error) {
    throw new Failure('local', `--jq: the reply is not JSON: ${(error as Error).message}`, { cause: error })
  }
}

function pick(value: readonly Row[], fields: readonly string[] | undefined): readonly Row[]
function pick(value: Row | readonly Row[], fields: readonly string[] | undefined): Row | readonly Row[]
function pick(value: Row | readonly Row[], fields: readonly string[] | undefined): Row | readonly Row[] {
  if (fields === undefined) return value
  return isMany(value) ? value.map((row) => pickFields(row, fields)) : pickFields(value, fields)
}

/** `Array.isArray` does not tell a read-only array from the rest. */
function isMany(value: Row | readonly Row[]): value is readonly Row[] {
  return Array.isArray(value)
}
