import { Failure } from '../failure.ts'
import { describeFault, quoted } from '../platform/system-error.ts'
import type { JournalFiles } from './journal-files.ts'
import { type Entry, entryLine } from './journal-lines.ts'

/** What becomes of each row, on disk before anything is taken for granted. */
export interface Journal {
  /** Resolves once it is on disk that the row is about to be sent. Rejects where that can't be: then nothing may be sent. */
  intend(number: number): Promise<void>
  /** What became of the row. `then` is called when it is on disk; after a fault of the disk, at the end all the same. */
  settle(number: number, entry: Exclude<Entry, 'intended'>, id?: bigint, then?: () => void): void
  /** Writes what is left. Rejects where something is not on disk. */
  finish(): Promise<void>
  close(): Promise<void>
}

interface JournalOptions {
  readonly path: string
  /** Open for reading and writing. */
  readonly file: number
  /** Where the next line goes. */
  readonly end: number
  readonly files: JournalFiles
}

interface Waiting {
  resolve(): void
  reject(error: unknown): void
}

/**
 * Intents that come while the disk is busy share the next visit to it: with many requests under way that makes one
 * fdatasync for many rows.
 */
export function createJournal({ path, file, end, files }: JournalOptions): Journal {
  let intents = ''
  let outcomes = ''
  let waiting: Waiting[] = []
  let told: (() => void)[] = []
  let visits: Promise<void> | undefined
  let fault: Failure | undefined

  const writeAll = async (text: string) => {
    const bytes = Buffer.from(text, 'latin1')
    let written = 0
    try {
      while (written < bytes.length) {
        written += await files.write(file, written === 0 ? bytes : bytes.subarray(written), end + written)
      }
      await files.synchronize(file)
    } catch (error) {
      // Half a line must not stay in front of what may yet be written. Failing that, it is cut off at the next run.
      await files.truncate(file, end).catch(() => {})
      throw error
    }
    end += bytes.length
  }

  const visitDisk = async () => {
    const [newOutcomes, newIntents, served, listeners] = [outcomes, intents, waiting, told]
    outcomes = ''
    intents = ''
    waiting = []
    told = []
    try {
      await writeAll(newOutcomes + newIntents)
    } catch (error) {
      fault ??= journalFailure(path, error)
      for (const { reject } of [...served, ...waiting]) reject(fault)
      outcomes = newOutcomes + outcomes
      told = [...listeners, ...told]
      intents = ''
      waiting = []
      return
    }
    for (const { resolve } of served) resolve()
    // What goes wrong there is no fault of the disk: the lines are written.
    for (const listener of listeners) listener()
  }

  const keepVisiting = async () => {
    // Replies that came together are handled together first, and so share the visit.
    await new Promise((resolve) => setImmediate(resolve))
    while (fault === undefined && outcomes + intents !== '') await visitDisk()
    visits = undefined
  }

  return {
    intend(number) {
      if (fault !== undefined) return Promise.reject(fault)
      intents += entryLine('intended', number)
      visits ??= keepVisiting()
      return new Promise((resolve, reject) => waiting.push({ resolve, reject }))
    },
    settle(number, entry, id, then) {
      outcomes += entryLine(entry, number, id)
      if (then !== undefined) told.push(then)
      visits ??= keepVisiting()
    },
    async finish() {
      await visits
      try {
        // A full disk often has room for the outcomes alone.
        if (outcomes !== '') await writeAll(outcomes)
      } catch (error) {
        fault ??= journalFailure(path, error)
      }
      outcomes = ''
      for (const listener of told) listener()
      told = []
      if (fault !== undefined) throw fault
    },
    close: () => files.close(file),
  }
}

export function journalFailure(path: string, error: unknown): Failure {
  return new Failure('local', `the journal ${path} can't be written: ${describeFault(error)}`, {
    hint: `df -h ${quoted(path)}`,
    isRetryable: true,
    cause: error,
  })
}
