import type { ImportInput } from './input.ts'
import type { Log } from './log.ts'
import type { RowService } from './options.ts'
import type { RowResult } from './results.ts'
import type { Selecting, SendingRow } from './rows-to-send.ts'
import type { Shutdown } from './shutdown.ts'

export interface Sending extends Selecting {
  readonly input: ImportInput
  readonly log: Log
  readonly service: RowService
  readonly unit: string
  readonly shutdown: Shutdown
}

/** How long an end waits for others to share its commit. */
const longestWaitMilliseconds = 20

/** Records the ends of rows together with the starts of others, and reports them once that is done. */
export function createCommits({ log, shutdown, report: tell }: Sending) {
  let ended: SendingRow[] = []
  let timer: NodeJS.Timeout | undefined
  let latest = Promise.resolve()
  let reported = latest
  const report = (results: readonly RowResult[]) => {
    reported = tell(results)
    reported.catch(shutdown.begin)
  }
  const write = async (next: readonly SendingRow[]) => {
    // An output that is slow slows down the import.
    await reported
    clearTimeout(timer)
    timer = undefined
    const ends = ended
    ended = []
    try {
      if (ends.length + next.length > 0) await log.record(ends, next)
    } catch (error) {
      report(ends.map(leftInDoubt))
      throw error
    }
    report(ends.flatMap(({ result }) => result ?? []))
  }
  /** Rejects if these rows are not recorded. Commits follow each other. */
  const commit = (next: readonly SendingRow[] = []) => {
    latest = latest.catch(shutdown.begin).then(() => write(next))
    return latest
  }
  const flush = () => commit().catch(shutdown.begin)
  return {
    commit,
    end: (row: SendingRow) => {
      ended.push(row)
      timer ??= setTimeout(flush, longestWaitMilliseconds)
    },
    /** Resolves when every end is reported. */
    close: async () => {
      await flush()
      await reported
    }
  }
}

/** What the next run knows of a row whose end is not on disk, whatever it was. */
function leftInDoubt({ row }: SendingRow): RowResult {
  return { row, outcome: 'doubtful', message: 'its outcome could not be recorded' }
}

/**
 * The rows, once they are recorded. While the last rows of a group are sent, the next group is
 * recorded. The two together are as many as are sent at a time, so after a kill at most twice as many
 * are in doubt.
 */
export async function* recordedRows(
  { options: { concurrency }, shutdown, input }: Sending,
  rows: AsyncGenerator<readonly SendingRow[]>,
  commit: (rows: readonly SendingRow[]) => Promise<void>
): AsyncGenerator<SendingRow> {
  const rest = Math.floor(concurrency / 8)
  const size = concurrency - rest
  const ahead: SendingRow[] = []
  const recordGroup = async () => {
    while (ahead.length < size) {
      const { value, done } = await rows.next()
      if (done) break
      ahead.push(...value)
    }
    // What is recorded now would be in doubt after a kill, although nothing sends it.
    if (shutdown.signal.aborted) return []
    const group = ahead.splice(0, size)
    if (group.length > 0) input.requireUnchanged()
    await commit(group)
    return group
  }
  const recordAhead = () => {
    const next = recordGroup()
    // Until it is awaited, nothing else would take its error.
    next.catch(shutdown.begin)
    return next
  }
  let group = await recordGroup()
  while (group.length > 0) {
    let next: Promise<SendingRow[]> | undefined
    for (const [index, row] of group.entries()) {
      if (group.length - index === rest) next = recordAhead()
      yield row
    }
    group = await (next ?? recordGroup())
  }
}
