import type { Host } from '../platform/host.ts'
import { nextTurn } from '../platform/promises.ts'
import { formats, type OutputSettings, viewOf } from './formats.ts'
import { ClosedPipe, print } from './stream.ts'
import { pickFields, type Row } from './view.ts'

/** Rows that are printed while a command runs. */
export interface RowStream {
  /** Whether each row is printed as it arrives; a table is printed at the end. */
  readonly isLive: boolean
  add(row: Row): void
  /**
   * A promise to wait for if the reader is slow. It rejects if stdout cannot be written; a closed
   * pipe is not a failure.
   */
  isBehind(): Promise<void> | undefined
  /**
   * Resolves when everything is written, with the number of rows that are left out, and rejects as
   * above.
   */
  end(): Promise<number>
}

export type PrintJq = (
  values: readonly unknown[],
  expression: string,
  settings: OutputSettings,
  noun?: string,
) => Promise<void>

interface RowStreamOptions {
  readonly host: Host
  readonly printJq: PrintJq
  readonly settings: OutputSettings
  readonly columns: readonly string[]
}

/** The maximum number of rows that wait for the reader. */
const mostWaitingRows = 4096

/** Memory must not grow with the stream, and no one reads a table of many thousands of rows. */
const longestTable = 1000

export async function createRowStream(options: RowStreamOptions): Promise<RowStream> {
  const { host, settings, columns, printJq } = options
  const { fields, jq } = settings
  // Everything is loaded before the first row: later, another version of the program may have taken
  // its place.
  const [{ stream }, view] = await Promise.all([
    formats[settings.format].load(),
    viewOf(host, settings, columns),
  ])
  if (jq !== undefined) {
    await Promise.all([formats.json.load(), import('../model/json.ts')])
    return liveStream(async (rows) =>
      rows.length > 0 ? printJq(pickFields(rows, fields), jq, settings) : undefined,
    )
  }
  if (stream === undefined) return tableStream(options)
  let isFirst = true
  return liveStream((rows) => {
    const text = stream(pickFields(rows, fields), view, isFirst)
    isFirst = false
    return print(host, 'stdout', text)
  })
}

function liveStream(printRows: (rows: readonly Row[]) => Promise<void>): RowStream {
  let waiting: Row[] = []
  let writing: Promise<void> | undefined
  let isClosed = false
  let failure: Promise<void> | undefined

  const writeRows = async (rows: readonly Row[]) => {
    try {
      await printRows(rows)
    } catch (error) {
      isClosed = true
      if (error instanceof ClosedPipe) return
      failure = Promise.reject(error)
      // The next call of `isBehind` or `end` reports it.
      failure.catch(() => {})
    }
  }
  const writeWaiting = async () => {
    // Rows that arrive together are written together.
    await nextTurn()
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
    isBehind: () => failure ?? (waiting.length > mostWaitingRows ? writing : undefined),
    async end() {
      await writing
      // Without rows, CSV still has its header.
      if (!isClosed) await writeRows([])
      await failure
      return 0
    },
  }
}

function tableStream({ host, settings, columns }: RowStreamOptions): RowStream {
  const rows: Row[] = []
  let omitted = 0
  return {
    isLive: false,
    add(row) {
      if (rows.length < longestTable) rows.push(row)
      else omitted += 1
    },
    isBehind: () => undefined,
    async end() {
      if (rows.length === 0) return 0
      // An empty column would only take room from the others.
      const isFilled = (column: string) => rows.some((row) => row[column] !== undefined)
      const filled = columns.filter(isFilled)
      const [{ list }, view] = await Promise.all([
        formats[settings.format].load(),
        viewOf(host, settings, filled),
      ])
      await print(host, 'stdout', list(rows, view)).catch((error: unknown) => {
        if (!(error instanceof ClosedPipe)) throw error
      })
      return omitted
    },
  }
}
