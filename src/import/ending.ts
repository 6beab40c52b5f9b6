import { Failure } from '../failure.ts'
import type { RejectsFile } from './rejects.ts'
import type { ImportBatch } from './results.ts'
import type { RowReader } from './rows.ts'
import type { Shutdown } from './shutdown.ts'

interface EndingOptions {
  readonly reader: RowReader
  readonly rejectsFile: RejectsFile | undefined
  readonly shutdown: Shutdown
  /**
   * Checks after the last row whether the import can still be resumed; if not, this failure comes
   * first.
   */
  readonly verify?: () => Promise<unknown>
}

/** Writes the rejects, and throws at the end if the import did not reach its last row. */
export async function* withEnding(
  batches: AsyncGenerator<ImportBatch>,
  { reader, rejectsFile, shutdown, verify }: EndingOptions,
): AsyncGenerator<ImportBatch> {
  try {
    for await (const batch of batches) {
      await rejectsFile?.add(batch.results, reader.layout()).catch(shutdown.begin)
      yield batch
    }
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    shutdown.begin(error)
  }
  await rejectsFile?.close().catch(shutdown.begin)
  const lost = await verify?.()
  const reason = shutdown.reason()
  if (lost instanceof Failure && reason?.code !== 'interrupted') throw lost
  if (reason !== undefined) throw reason
}
