import type { Failure } from '../failure.ts'
import { statsOf } from '../system/same-file.ts'
import { unitOf } from './formats.ts'
import { type ImportInput, openInput } from './input.ts'
import type { ImportOptions } from './options.ts'
import { openPlaces, placesPath } from './places.ts'
import { openPlan } from './plan.ts'
import { openRejects } from './rejects.ts'
import { type RowResult, Tally } from './results.ts'
import { readRows } from './rows.ts'
import { rowsToSend } from './rows-to-send.ts'
import { sendRows, stopped } from './send-rows.ts'
import { importFailure, type Shutdown } from './shutdown.ts'

export type Import = Awaited<ReturnType<typeof openImport>>

type ShowResults = (results: readonly RowResult[]) => Promise<void>

/** Finds out what is known of the rows, and sends or checks them when it is run. */
export async function openImport(options: ImportOptions, shutdown: Shutdown) {
  const prepared = await prepare(options, shutdown).catch((error: unknown) => {
    shutdown.close()
    throw importFailure(error)
  })
  const { input, places, rejects, plan } = prepared
  const { service } = options
  const tally = new Tally()
  const unit = unitOf(input.layout.format)
  const send = async (report: ShowResults) => {
    const batches = readRows(input, options.ignoreUnknown)
    const selecting = { options, plan, batches, report }
    const log = plan?.log
    if (service !== undefined && log !== undefined)
      return sendRows({ ...selecting, input, log, service, unit, shutdown })
    for await (const _ of rowsToSend(selecting));
  }
  return {
    ...prepared,
    options,
    tally,
    /** Where this file was imported too. */
    elsewhere: () =>
      (options.place && places?.elsewhere(input.sha256, input.path, options.place)) ?? [],
    /** From now on it counts. */
    begin: async () => plan?.begin(),
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
      await plan?.finish(rejects?.file).catch(shutdown.begin)
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

async function prepare(options: ImportOptions, shutdown: Shutdown) {
  const { check = false, rejects: path, directory } = options
  const input = await openInput(options, shutdown.signal)
  shutdown.closers.push(input.close)
  // A check creates no file that is not asked for.
  if (check && path === undefined && statsOf(placesPath(directory)) === undefined)
    return { input, rows: await countRows(input, options) }
  const places = openPlaces(await options.makeDirectory())
  shutdown.closers.push(places.close)
  const rejects =
    path === undefined ? undefined : await openRejects(path, { input, places, shutdown })
  const plan = await openPlan(options, input, places, shutdown)
  const rows = plan?.rows ?? (await countRows(input, options))
  return { input, places, rejects, plan, rows }
}

async function countRows(input: ImportInput, { ignoreUnknown }: ImportOptions) {
  let count = 0
  for await (const rows of readRows(input, ignoreUnknown, { isCounted: true })) count += rows.length
  return count
}
