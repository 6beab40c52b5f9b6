import type { Host } from '../platform/host.ts'
import { wantsColor } from './color.ts'
import { pickFields, type Row } from './columns.ts'
import type { JqSurroundings } from './jq.ts'
import type { OutputSettings } from './output.ts'
import { ClosedPipe, print } from './stream.ts'
import { plainStyle, styleFor } from './style.ts'

/** Things that come one after the other while a command runs. */
export interface Events {
  /** Whether each thing is shown as it comes; a table is shown at the end. */
  readonly isLive: boolean
  add(row: Row): void
  /** A promise where whoever reads is behind. It rejects where stdout can't be written; that nobody reads is no fault. */
  isBehind(): Promise<void> | undefined
  /** Resolves when everything is written, and rejects as above. */
  end(): Promise<void>
}

interface Ingredients extends JqSurroundings {
  readonly settings: OutputSettings
  readonly columns: readonly string[]
}

/** How many things may wait to be read. */
const mostWaiting = 4096

/** Memory must not grow with what comes, and nobody reads a table of many thousands. */
const longestTable = 1000

export async function createEvents(ingredients: Ingredients): Promise<Events> {
  const { host, settings, columns } = ingredients
  if (settings.format === 'table') return tableEvents(host, settings, columns)
  const printRows =
    settings.jq === undefined ? await linePrinter(ingredients) : await jqPrinter(ingredients, settings.jq)
  let waiting: Row[] = []
  let writing: Promise<void> | undefined
  let isClosed = false
  let fault: Promise<void> | undefined

  const writeRows = async (rows: readonly Row[]) => {
    try {
      await printRows(rows)
    } catch (error) {
      isClosed = true
      if (error instanceof ClosedPipe) return
      fault = Promise.reject(error)
      // It is told of whenever somebody asks.
      fault.catch(() => {})
    }
  }
  const writeWaiting = async () => {
    // What comes in one go is written in one go.
    await new Promise((resolve) => setImmediate(resolve))
    while (waiting.length > 0 && !isClosed) {
      const rows = waiting
      waiting = []
      await writeRows(rows)
    }
    writing = undefined
  }

  return {
    isLive: true,
    add(row) {
      if (isClosed) return
      waiting.push(row)
      writing ??= writeWaiting()
    },
    isBehind: () => fault ?? (waiting.length > mostWaiting ? writing : undefined),
    async end() {
      await writing
      // Where there were no rows, CSV still has its header.
      if (!isClosed) await writeRows([])
      await fault
    },
  }
}

type Printer = (rows: readonly Row[]) => Promise<void>

async function jqPrinter({ settings, ...around }: Ingredients, expression: string): Promise<Printer> {
  const { fields, int64AsStrings = false } = settings
  const [{ printByJq }, { renderNdjson }] = await Promise.all([import('./jq.ts'), import('./ndjson.ts')])
  let { withoutSignals } = around
  return async (rows) => {
    if (rows.length === 0) return
    const lines = renderNdjson(picked(rows, fields), { style: plainStyle, int64AsStrings })
    await printByJq(lines, expression, { ...around, withoutSignals })
    // It has come to an end once: from now on Ctrl-C is heard, and what is under way is finished and written down.
    withoutSignals = (work) => work()
  }
}

async function linePrinter({ host, settings, columns }: Ingredients): Promise<Printer> {
  const render = await lineRenderer(host, settings, columns)
  return (rows) => print(host, 'stdout', render(rows))
}

async function lineRenderer(
  host: Host,
  { format, color, fields, int64AsStrings = false }: OutputSettings,
  columns: readonly string[],
): Promise<(rows: readonly Row[]) => string> {
  const shown = fields ?? columns
  if (format === 'tsv') {
    const { renderTsv } = await import('./tsv.ts')
    return (rows) => renderTsv(rows, shown)
  }
  if (format === 'csv') {
    const { renderCsv } = await import('./csv.ts')
    let hasHeader = false
    return (rows) => {
      const text = renderCsv(rows, shown, { isTerminal: host.terminal.stdout })
      const from = hasHeader ? text.indexOf('\n') + 1 : 0
      hasHeader = true
      return text.slice(from)
    }
  }
  const { renderNdjson } = await import('./ndjson.ts')
  const style = await styleFor(wantsColor({ choice: color, isTerminal: host.terminal.stdout, env: host.env }))
  return (rows) => renderNdjson(picked(rows, fields), { style, int64AsStrings })
}

const picked = (rows: readonly Row[], fields: readonly string[] | undefined) =>
  fields === undefined ? rows : rows.map((row) => pickFields(row, fields))

async function tableEvents(host: Host, { color, fields }: OutputSettings, columns: readonly string[]): Promise<Events> {
  const rows: Row[] = []
  return {
    isLive: false,
    add(row) {
      if (rows.length < longestTable) rows.push(row)
    },
    isBehind: () => undefined,
    async end() {
      if (rows.length === 0) return
      const { renderTable } = await import('./table.ts')
      const isTerminal = host.terminal.stdout
      const style = await styleFor(wantsColor({ choice: color, isTerminal, env: host.env }))
      // A column that would stay empty takes room from the others.
      const filled = columns.filter((column) => rows.some((row) => row[column] !== undefined))
      const text = renderTable(rows, fields ?? filled, { width: isTerminal ? host.columns() : undefined, style })
      await print(host, 'stdout', text).catch((error: unknown) => {
        if (!(error instanceof ClosedPipe)) throw error
      })
    },
  }
}
