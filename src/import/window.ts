import type { Journal, RowEnd } from './journal.ts'
import type { RowResult } from './results.ts'
import type { SendingRow } from './rows-to-send.ts'

interface WindowOptions {
  readonly journal: Journal
  /** The most rows that are `sent` on disk without an end. */
  readonly size: number
  readonly source: AsyncGenerator<SendingRow[]>
  /** Aborted when no more rows are to be sent. */
  readonly signal: AbortSignal
  readonly report: (results: readonly RowResult[]) => Promise<void>
  readonly fail: (error: unknown) => void
}

/** A row that has ended: what is recorded, and what is reported. */
export interface EndedRow extends RowEnd {
  /** Undefined if the row was not sent after all. */
  readonly result: RowResult | undefined
}

/** How long an end waits for others to share its commit. */
const longestWaitMilliseconds = 20

/**
 * The rows that are recorded, but have no end yet: nothing is sent that is not recorded, and after a
 * kill no more than these are in doubt. One commit writes the ends since the last one and the next
 * rows, then reports the ends, and lets the workers go on.
 */
export class Window {
  readonly #options: WindowOptions
  #read: SendingRow[] = []
  #recorded: SendingRow[] = []
  #ended: EndedRow[] = []
  /** Recorded without an end on disk. */
  #open = 0
  #waiting: (() => void)[] = []
  #isSourceOver = false
  #isCommitPlanned = false
  #timer: NodeJS.Timeout | undefined

  constructor(options: WindowOptions) {
    this.#options = options
  }

  /** The next recorded row; undefined at the end. */
  async next(): Promise<SendingRow | undefined> {
    for (;;) {
      if (this.#options.signal.aborted) return undefined
      const row = this.#recorded.shift()
      if (row !== undefined) return row
      if (this.#isSourceOver && this.#read.length === 0) return undefined
      this.#planCommit()
      await new Promise<void>(resolve => this.#waiting.push(resolve))
    }
  }

  end(ended: EndedRow): void {
    this.#ended.push(ended)
    this.#timer ??= setTimeout(() => this.#planCommit(), longestWaitMilliseconds)
  }

  /** Records the ends of all rows; those that were not sent are forgotten. */
  async close(): Promise<void> {
    while (this.#isCommitPlanned) await new Promise(resolve => setImmediate(resolve))
    for (const row of this.#recorded.splice(0)) this.#ended.push(unsent(row))
    this.#read = []
    this.#isSourceOver = true
    await this.#commit()
  }

  /** Replies that arrive together share a commit. */
  #planCommit(): void {
    if (this.#isCommitPlanned) return
    this.#isCommitPlanned = true
    const commit = async () => {
      await this.#commit().catch(this.#options.fail)
      this.#isCommitPlanned = false
      for (const resume of this.#waiting.splice(0)) resume()
    }
    setImmediate(commit)
  }

  async #commit(): Promise<void> {
    const { journal, size, signal, report } = this.#options
    clearTimeout(this.#timer)
    this.#timer = undefined
    if (!signal.aborted) await this.#readAhead(size)
    const ended = this.#ended
    const room = signal.aborted ? 0 : size - this.#open + ended.length
    const next = this.#read.slice(0, room)
    if (ended.length + next.length === 0) return
    journal.record(ended, next)
    this.#ended = []
    this.#read.splice(0, next.length)
    this.#open += next.length - ended.length
    for (const row of next) this.#recorded.push(row)
    await report(ended.flatMap(({ result }) => result ?? []))
  }

  async #readAhead(count: number): Promise<void> {
    while (this.#read.length < count && !this.#isSourceOver) {
      const { value = [], done } = await this.#options.source.next()
      this.#isSourceOver = done === true
      for (const row of value) this.#read.push(row)
    }
  }

  /** The ends that could not be recorded: to the next run, these rows are in doubt. */
  get unrecorded(): readonly EndedRow[] {
    return this.#ended
  }
}

export function unsent(row: SendingRow): EndedRow {
  const state = row.wasDoubtful ? 'sent' : 'free'
  return { row, state, result: undefined }
}
