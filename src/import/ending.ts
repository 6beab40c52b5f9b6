import { Failure } from '../failure.ts'
import { plural } from '../model/quantities.ts'
import type { ImportInput } from './input.ts'
import type { ImportOptions } from './opening.ts'
import type { RejectsFile } from './rejects.ts'
import type { ImportBatch } from './results.ts'
import type { RowReader } from './rows.ts'

/**
 * How long requests in flight may take after Ctrl-C; the rest of one second is for recording their
 * outcomes.
 */
const requestGraceMilliseconds = 500

/** The early end of an import. */
export class Shutdown {
  readonly #interruption: AbortSignal
  readonly #stopper = new AbortController()
  readonly #cutter = new AbortController()
  /** Aborted when no more rows are to be sent. */
  readonly signal = this.#stopper.signal
  /** Aborted when requests in flight have to end. */
  readonly cutOff = this.#cutter.signal

  constructor(interruption: AbortSignal) {
    this.#interruption = interruption
    if (interruption.aborted) this.#interrupt()
    else interruption.addEventListener('abort', () => this.#interrupt(), { once: true })
  }

  /** Only the first reason counts. */
  readonly begin = (reason: Failure): void => this.#stopper.abort(reason)

  reason(): Failure | undefined {
    return this.signal.reason
  }

  /** Whether the failure is from a request that was cut off before it started. */
  isUnstarted(failure: Failure): boolean {
    // For such a request, the client throws the reason itself.
    return failure === this.#interruption.reason
  }

  #interrupt(): void {
    const { reason } = this.#interruption
    this.begin(reason)
    setTimeout(() => this.#cutter.abort(reason), requestGraceMilliseconds).unref()
  }
}

interface EndingOptions extends Pick<ImportOptions, 'notice'> {
  readonly input: ImportInput
  readonly reader: RowReader
  readonly rejectsFile: RejectsFile | undefined
  readonly shutdown: Shutdown
  /**
   * Called after the last row: returns why no run can resume the import, if so. Only Ctrl-C is a
   * more important reason.
   */
  readonly findLoss?: () => Promise<Failure | undefined>
}

/** Writes the rejects, and throws at the end if the import did not reach its last row. */
export async function* withEnding(
  batches: AsyncGenerator<ImportBatch>,
  { input, notice, reader, rejectsFile, shutdown, findLoss }: EndingOptions,
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
  await reportGrowth(input, notice)
  const loss = await findLoss?.()
  const reason = shutdown.reason()
  if (loss !== undefined && reason?.code !== 'interrupted') throw loss
  if (reason !== undefined) throw reason
}

async function reportGrowth(input: ImportInput, notice: EndingOptions['notice']): Promise<void> {
  const bytes = input.grownBy?.() ?? 0
  if (bytes <= 0 || input.hasChanged) return
  const left = `the ${plural(bytes, 'byte')} that were appended since this run began were left out`
  await notice(
    'grown',
    `${input.name} has grown: ${left}; move them to a file of their own before you run this import again`,
  )
}
