import { Shutdown, withEnding } from './ending.ts'
import { openInput } from './input.ts'
import type { Import, ImportOptions } from './opening.ts'
import { checkOutputFiles, openRejectsOf } from './output-files.ts'
import type { ImportBatch, RowResult } from './results.ts'
import { type ImportRow, readRows } from './rows.ts'

/** Prepares to check every row. Nothing is sent. */
export async function openCheck(options: ImportOptions): Promise<Import> {
  checkOutputFiles(options)
  const shutdown = new Shutdown(options.interruption)
  const { signal } = shutdown
  const input = await openInput({ ...options, signal })
  const close = () => input.close()
  try {
    const reader = readRows(input.chunks(), input)
    const rejectsFile = await openRejectsOf(options)
    const results = checkedBatches(reader.batches, options.stopOnError)
    const batches = withEnding(results, { ...options, input, reader, rejectsFile, shutdown })
    return { input, batches, stop: shutdown.begin, close }
  } catch (error) {
    await close()
    throw error
  }
}

async function* checkedBatches(
  batches: AsyncIterable<readonly ImportRow[]>,
  stopOnError = false,
): AsyncGenerator<ImportBatch> {
  for await (const rows of batches) {
    const results = rows.map(resultOf)
    const error = results.findIndex(({ outcome }) => outcome === 'invalid')
    if (stopOnError && error !== -1) {
      yield { results: results.slice(0, error + 1) }
      return
    }
    yield { results }
  }
}

function resultOf(row: ImportRow): RowResult {
  if ('pet' in row) return { row, outcome: 'valid' }
  return { row, outcome: 'invalid', message: row.problem }
}
