import { Failure } from '../failure.ts'
import { describeSystemError, systemFailure } from '../platform/errno.ts'
import { sqliteErrorKind } from '../platform/sqlite.ts'
import { unitOf } from './formats.ts'
import { type Closers, type ImportOptions, prepare } from './prepare.ts'
import { isProblem, type RowResult, Tally } from './results.ts'
import type { RowService } from './row-request.ts'
import { readRows } from './rows.ts'
import { rowsToSend, type SelectionOptions } from './rows-to-send.ts'
import { sendRows, stopped } from './send-rows.ts'
import { Shutdown } from './shutdown.ts'

/** How long services keep an idempotency key. */
const keyLifeSeconds = 24 * 60 * 60

export type Import = Awaited<ReturnType<typeof openImport>>

/** Prepares to check every row, or to send those that no earlier run has added. */
export async function openImport(options: ImportOptions) {
  const shutdown = new Shutdown(options.interruption)
  const service = await options.connect?.(shutdown.cutOff)
  const closers: Closers = []
  const close = () => {
    try {
      for (const closeOne of closers.splice(0).reverse()) closeOne()
    } catch (error) {
      throw journalFailure(error)
    }
  }
  try {
    const prepared = await prepare(options, service, shutdown, closers)
    return importOf(options, service, shutdown, { ...prepared, close })
  } catch (error) {
    close()
    throw journalFailure(error)
  }
}

type Prepared = Awaited<ReturnType<typeof prepare>> & { readonly close: () => void }

function journalFailure(error: unknown): unknown {
  const problem = 'the journal cannot be read or written'
  if (sqliteErrorKind(error) === undefined) return systemFailure(error, 'local', problem)
  return new Failure('local', `${problem}: ${describeSystemError(error)}`, { cause: error })
}

function importOf(
  options: ImportOptions,
  service: RowService | undefined,
  shutdown: Shutdown,
  { input, rejects, rows, journal, before, close }: Prepared
) {
  const { layout } = input
  const { stopOnError = false } = options
  const unit = unitOf(layout.format)
  const tally = new Tally()
  let firstProblem: RowResult | undefined
  let header: readonly string[] = []
  const onHeader = (cells: readonly string[]) => {
    header = cells
  }
  const stop = (error: unknown) => {
    const reason = journalFailure(error)
    if (!(reason instanceof Failure)) throw reason
    shutdown.begin(reason)
  }
  const report = async (results: RowResults, show: (results: RowResults) => Promise<void>) => {
    tally.add(results)
    firstProblem ??= results.find(isProblem)
    if (rejects !== undefined) await rejects.add(results, header).catch(stop)
    await show(results)
  }
  const isIdempotent = service?.endpoint.isIdempotent === true
  const keyLife = service?.endpoint.environment === 'local' ? Infinity : keyLifeSeconds
  return {
    input,
    unit,
    rows,
    before,
    tally,
    journal: journal?.path,
    isIdempotent,
    /** Ends the import early: requests in flight finish, and their outcomes are recorded. */
    stop,
    /** Sends or checks the rows, shows their results, and writes the rejects. */
    async run(show: (results: RowResults) => Promise<void>): Promise<void> {
      const selection = {
        ...options,
        batches: readRows(input.chunks(), { ...options, ...input, onHeader }),
        journal,
        isIdempotent,
        keyLife,
        report: (results: RowResults) => report(results, show)
      }
      const work =
        service === undefined || journal === undefined
          ? checkRows(selection)
          : sendRows({ ...selection, journal, service, unit, shutdown, stop })
      await work.catch(stop)
      if (stopOnError && firstProblem !== undefined) stop(stopped(firstProblem, unit))
      if (rejects !== undefined) await rejects.close().catch(stop)
    },
    /** Why it ended before its last row. */
    get reason(): Failure | undefined {
      return shutdown.signal.reason
    },
    hasRejects: () => rejects?.hasRows() === true,
    close
  }
}

type RowResults = readonly RowResult[]

async function checkRows(selection: SelectionOptions): Promise<void> {
  for await (const _ of rowsToSend(selection));
}
