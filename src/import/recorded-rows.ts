import type { Journal, RowEnd } from './journal.ts'
import type { RowResult } from './results.ts'
import type { SendingRow } from './rows-to-send.ts'
import type { Shutdown } from './shutdown.ts'

interface RecorderOptions {
  readonly journal: Journal
  readonly rows: AsyncIterable<SendingRow>
  readonly concurrency: number
  readonly shutdown: Shutdown
  readonly report: (results: readonly RowResult[]) => Promise<void>
}

interface EndedRow extends RowEnd {
  /** Undefined if the row was not sent after all. */
  readonly result: RowResult | undefined
}

/** What is recorded of a row with this outcome. */
const states: Partial<Record<RowResult['outcome'], RowEnd['state']>> = {
  added: 'added',
  doubtful: 'sent'
}

/** How long an end waits for others to share its commit. */
const longestWaitMilliseconds = 20

/**
 * Records rows before they are sent, as many at once as there are workers, and their ends: one
 * commit writes both. So at most twice as many rows are in doubt after a kill.
 */
export function createRecorder(options: RecorderOptions) {
  const { journal, rows, concurrency, shutdown, report } = options
  let ended: EndedRow[] = []
  let timer: NodeJS.Timeout | undefined
  let flushed = Promise.resolve()
  /** Reports the ends once they are on disk. */
  const commit = async (next: readonly SendingRow[] = []) => {
    clearTimeout(timer)
    timer = undefined
    const ends = ended
    ended = []
    const results = ends.flatMap(({ result }) => result ?? [])
    try {
      if (ends.length + next.length > 0) journal.record(ends, next)
    } catch (error) {
      await report(results.map(inDoubt))
      throw error
    }
    await report(results)
  }
  async function* recorded(): AsyncGenerator<SendingRow> {
    let next: SendingRow[] = []
    for await (const row of rows) {
      next.push(row)
      if (next.length < concurrency) continue
      await commit(next)
      for (const row of next) yield row
      if (shutdown.signal.aborted) return
      next = []
    }
    await commit(next)
    for (const row of next) yield row
  }
  const flush = () => {
    const earlier = flushed
    flushed = commit()
      .catch(shutdown.begin)
      .then(() => earlier)
  }
  return {
    recorded,
    end: (row: SendingRow, result: RowResult | undefined) => {
      ended.push({ row, result, state: (result && states[result.outcome]) ?? 'free' })
      timer ??= setTimeout(flush, longestWaitMilliseconds)
    },
    /** Resolves when every end is reported. */
    close: () => {
      flush()
      return flushed
    }
  }
}

/** What the next run knows of a row whose end is not on disk. */
function inDoubt({ row }: RowResult): RowResult {
  return { row, outcome: 'doubtful', message: 'its outcome could not be recorded' }
}
