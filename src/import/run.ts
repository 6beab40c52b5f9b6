import type { Failure } from '../failure.ts'
import { unitOf } from './formats.ts'
import { type ImportOptions, prepare } from './prepare.ts'
import { type RowResult, Tally } from './results.ts'
import type { RowService } from './row-request.ts'
import { readRows } from './rows.ts'
import { rowsToSend } from './rows-to-send.ts'
import { sendRows, stopped } from './send-rows.ts'
import { importFailure, Shutdown } from './shutdown.ts'

export type Import = Awaited<ReturnType<typeof openImport>>

type ShowResults = (results: readonly RowResult[]) => Promise<void>

/** Prepares to check every row, or to send those that no earlier run has added. */
export async function openImport(options: ImportOptions) {
  const shutdown = new Shutdown(options.interruption)
  const service = await options.connect?.(shutdown.cutOff)
  try {
    const prepared = await prepare(options, service, shutdown)
    const { input, rejects, journal, rows, before } = prepared
    const tally = new Tally()
    const unit = unitOf(input.layout.format)
    const send = async (show: ShowResults) => {
      const selection = {
        ...options,
        journal,
        keyLife: keyLifeAt(service),
        batches: readRows(input.chunks(), { ...options, ...input, onHeader: rejects?.setHeader }),
        report: async (results: readonly RowResult[]) => {
          tally.add(results)
          await show(results)
          rejects?.add(results)
        }
      }
      if (service === undefined || journal === undefined)
        for await (const _ of rowsToSend(selection));
      else await sendRows({ ...selection, journal, service, unit, shutdown })
    }
    return {
      input,
      unit,
      rows,
      before,
      tally,
      journal: journal?.path,
      isIdempotent: keyLifeAt(service) > 0,
      /** Sends or checks the rows, shows their results, and writes the rejects. */
      async run(show: ShowResults): Promise<void> {
        await send(show).catch(shutdown.begin)
        const { firstProblem } = tally
        if (options.stopOnError && firstProblem !== undefined)
          shutdown.begin(stopped(firstProblem, unit))
        await rejects?.close().catch(shutdown.begin)
      },
      /** Ends the import early. */
      stop: shutdown.begin,
      /** Why it ended before its last row. */
      get reason(): Failure | undefined {
        return shutdown.signal.reason
      },
      hasRejects: () => rejects?.hasRows() === true,
      close: shutdown.close
    }
  } catch (error) {
    shutdown.close()
    throw importFailure(error)
  }
}

const day = 24 * 60 * 60

/** How long a service keeps an idempotency key, in seconds. */
function keyLifeAt(service: RowService | undefined): number {
  if (service?.endpoint.isIdempotent !== true) return 0
  return service.endpoint.environment === 'local' ? Number.POSITIVE_INFINITY : day
}
