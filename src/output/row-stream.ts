import { ClosedPipe } from './stream.ts'
import type { Row, Shape } from './view.ts'

/** Prints rows, or values of any type if the format is JSON. */
export type PrintRows = (rows: readonly unknown[]) => Promise<void>

export type OpenPrinter = (columns: readonly string[], shape: Shape) => Promise<PrintRows>

/** Memory must not grow with the stream, and no one reads a table of many thousands of rows. */
const longestTable = 1000

export type RowStream = Awaited<ReturnType<typeof openRowStream>>

/** Prints rows while a command runs: each as it arrives, or as a table at the end. */
export async function openRowStream(
  openPrinter: OpenPrinter,
  columns: readonly string[],
  isLive: boolean
) {
  const printRows = await openPrinter(columns, 'stream')
  const table: Row[] = []
  let omitted = 0
  let isClosed = false
  const printUnlessClosed = async (rows: readonly Row[], print: PrintRows) => {
    if (isClosed) return
    try {
      await print(rows)
    } catch (error) {
      isClosed = true
      if (!(error instanceof ClosedPipe)) throw error
    }
  }
  const addToTable = async (rows: readonly Row[]) => {
    const shown = rows.slice(0, longestTable - table.length)
    table.push(...shown)
    omitted += rows.length - shown.length
  }
  const printTable = async () => {
    if (table.length === 0) return
    // An empty column would only take room from the others.
    const isFilled = (column: string) => table.some(row => row[column] !== undefined)
    await printUnlessClosed(table, await openPrinter(columns.filter(isFilled), 'list'))
  }
  return {
    isLive,
    /**
     * Resolves once the reader has taken the rows, and rejects if stdout cannot be written; a closed
     * pipe is not a failure. After either, rows are dropped.
     */
    add: (rows: readonly Row[]) => (isLive ? printUnlessClosed(rows, printRows) : addToTable(rows)),
    /** Resolves with the number of rows that are left out, and rejects as above. */
    end: async () => {
      // Without rows, CSV still has its header.
      await (isLive ? printUnlessClosed([], printRows) : printTable())
      return omitted
    }
  }
}
