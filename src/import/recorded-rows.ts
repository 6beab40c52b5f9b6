import type { Journal, RowEnd } from './journal.ts'
import type { RowResult } from './results.ts'
import type { SendingRow } from './rows-to-send.ts'
import type { Shutdown } from './shutdown.ts'

interface RecorderOptions {
  readonly journal: Journal
  readonly rows: AsyncIterable<readonly SendingRow[]>
  readonly concurrency: number
  readonly shutdown: Shutdown
  readonly report: (results: readonly RowResult[]) => Promise<void>
}

interface EndedRow extends RowEnd {
  readonly row: SendingRow
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
    try {
      if (ends.length + next.length > 0) journal.record(ends, next)
    } catch (error) {
      await report(ends.map(leftInDoubt))
      throw error
    }
    await report(ends.flatMap(({ result }) => result ?? []))
  }
  async function* recorded(): AsyncGenerator<SendingRow> {
    for await (const group of groupsOf(rows, concurrency)) {
      // What is recorded now would be in doubt after a kill, although nothing sends it.
      if (shutdown.signal.aborted) return
      await commit(group)
      // Faster than yield*, which makes one more promise for each row.
      for (const row of group) yield row
    }
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

async function* groupsOf<Row>(
  batches: AsyncIterable<readonly Row[]>,
  size: number
): AsyncGenerator<Row[]> {
  let group: Row[] = []
  for await (const rows of batches) {
    for (const row of rows) {
      group.push(row)
      if (group.length < size) continue
      yield group
      group = []
    }
  }
  if (group.length > 0) yield group
}

/** What the next run knows of a row whose end is not on disk, whatever it was. */
function leftInDoubt({ row: { row } }: EndedRow): RowResult {
  return { row, outcome: 'doubtful', message: 'its outcome could not be recorded' }
}
