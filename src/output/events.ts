import type { Host } from '../host.ts'
import { wantsColor } from './color.ts'
import type { Row } from './columns.ts'
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

interface Ingredients {
  readonly host: Host
  readonly settings: OutputSettings
  readonly columns: readonly string[]
}

/** How many things may wait to be read. */
const mostWaiting = 4096

/** Memory must not grow with what comes, and nobody reads a table of many thousands. */
const longestTable = 1000

export async function createEvents({ host, settings, columns }: Ingredients): Promise<Events> {
  if (settings.format === 'table') return tableEvents(host, settings, columns)
  const render = await lineRenderer(host, settings, columns)
  let waiting: Row[] = []
  let writing: Promise<void> | undefined
  let isClosed = false
  let fault: Promise<void> | undefined

  const writeRows = async (rows: readonly Row[]) => {
    try {
      await print(host, 'stdout', await render(rows))
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

async function lineRenderer(
  host: Host,
  { format, color, fields, jq, int64AsStrings = false }: OutputSettings,
  columns: readonly string[],
): Promise<(rows: readonly Row[]) => string | Promise<string>> {
  const { pickFields } = await import('./columns.ts')
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
  const picked = (row: Row) => (fields === undefined ? row : pickFields(row, fields))
  if (jq === undefined) return (rows) => renderNdjson(rows.map(picked), { style, int64AsStrings })
  const { runJq } = await import('./jq.ts')
  return async (rows) => {
    const lines = renderNdjson(rows.map(picked), { style: plainStyle, int64AsStrings })
    const { text, failure } = await runJq(lines, jq, { isTerminal: host.terminal.stdout })
    if (failure !== undefined) throw failure
    return text
  }
}

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
