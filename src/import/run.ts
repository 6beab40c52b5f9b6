import type { Failure } from '../failure.ts'
import { unitOf } from './formats.ts'
import type { ImportOptions, RowService } from './options.ts'
import { prepare } from './prepare.ts'
import { type RowResult, Tally } from './results.ts'
import { readRows } from './rows.ts'
import { rowsToSend } from './rows-to-send.ts'
import { sendRows, stopped } from './send-rows.ts'
import { importFailure, Shutdown } from './shutdown.ts'

export type Import = Awaited<ReturnType<typeof openImport>>

type ShowResults = (results: readonly RowResult[]) => Promise<void>

/** Prepares to check every row, or to send those that no earlier run has added. */
export async function openImport(options: ImportOptions) {
  const shutdown = new Shutdown(options.interruption)
  const prepared = await prepare(options, shutdown).catch((error: unknown) => {
    shutdown.close()
    throw importFailure(error)
  })
  const { input, rejects, service, journal } = prepared
  const tally = new Tally()
  const unit = unitOf(input.layout.format)
  const keyLife = keyLifeAt(service)
  const send = async (report: ShowResults) => {
    const batches = readRows(input, options.ignoreUnknown)
    const selection = { ...options, journal, keyLife, batches, report }
    if (service !== undefined && journal !== undefined)
      return sendRows({ ...selection, journal, service, unit, shutdown })
    for await (const _ of rowsToSend(selection));
  }
  return {
    ...prepared,
    tally,
    isIdempotent: keyLife > 0,
    /** Sends or checks the rows, shows their results, and writes the rejects. */
    async run(show: ShowResults): Promise<void> {
      const report = async (results: readonly RowResult[]) => {
        tally.add(results)
        await show(results)
        rejects?.add(results)
      }
      await send(report).catch(shutdown.begin)
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
    close: shutdown.close
  }
}

const day = 24 * 60 * 60

/** How long a service keeps an idempotency key, in seconds. */
function keyLifeAt(service: RowService | undefined) {
  if (service?.endpoint.isIdempotent !== true) return 0
  return service.endpoint.environment === 'local' ? Number.POSITIVE_INFINITY : day
}
