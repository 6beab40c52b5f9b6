import { Failure } from '../failure.ts'
import { commandLine } from '../platform/shell.ts'
import { describeSystemError } from '../platform/system-error.ts'
import { writeAll } from '../platform/write-all.ts'
import type { JournalFiles } from './journal-files.ts'
import { entryLine, type JournalEntry } from './journal-format.ts'

/** Records each row's state on disk before the next step relies on it. */
export interface JournalWriter {
  /** Resolves when the disk has recorded that the row is about to be sent. If it rejects, the row must not be sent. */
  intend(number: number): Promise<void>
  /** Records the row's outcome. `then` is called when it is on disk or, if the disk fails, at the end. */
  settle(number: number, entry: Exclude<JournalEntry, 'intended'>, id?: bigint, then?: () => void): void
  /** Writes the rest. Rejects if anything is not on disk. */
  finish(): Promise<void>
  close(): Promise<void>
}

interface JournalWriterOptions {
  readonly path: string
  /** Open for reading and writing. */
  readonly file: number
  /** The offset of the next line. */
  readonly end: number
  readonly files: JournalFiles
}

interface WaitingIntent {
  resolve(): void
  reject(error: unknown): void
}

/** Intents that arrive during an fdatasync share the next one, so that one fdatasync serves many concurrent requests. */
export function createJournalWriter({ path, file, end, files }: JournalWriterOptions): JournalWriter {
  let intents = ''
  let outcomes = ''
  let waiting: WaitingIntent[] = []
  let listeners: (() => void)[] = []
  let writing: Promise<void> | undefined
  let failure: Failure | undefined

  const append = async (text: string) => {
    const bytes = Buffer.from(text, 'latin1')
    try {
      await writeAll(bytes, (rest, offset) => files.write(file, rest, end + offset))
      await files.synchronize(file)
    } catch (error) {
      // A partial line must not stay before later lines. If it cannot be removed now, the next run removes it.
      await files.truncate(file, end).catch(() => {})
      throw error
    }
    end += bytes.length
  }

  const writeBatch = async () => {
    const [newOutcomes, newIntents, newWaiting, newListeners] = [outcomes, intents, waiting, listeners]
    outcomes = ''
    intents = ''
    waiting = []
    listeners = []
    try {
      await append(newOutcomes + newIntents)
    } catch (error) {
      failure ??= journalFailure(path, error)
      for (const { reject } of [...newWaiting, ...waiting]) reject(failure)
      outcomes = newOutcomes + outcomes
      listeners = [...newListeners, ...listeners]
      intents = ''
      waiting = []
      return
    }
    for (const { resolve } of newWaiting) resolve()
    // The lines are written: an error in a listener is not a disk error.
    for (const listener of newListeners) listener()
  }

  const writeBatches = async () => {
    // Replies that arrived together are handled first, so that they share the write.
    await new Promise((resolve) => setImmediate(resolve))
    while (failure === undefined && outcomes + intents !== '') await writeBatch()
    writing = undefined
  }

  return {
    intend(number) {
      if (failure !== undefined) return Promise.reject(failure)
      intents += entryLine('intended', number)
      writing ??= writeBatches()
      return new Promise((resolve, reject) => waiting.push({ resolve, reject }))
    },
    settle(number, entry, id, then) {
      outcomes += entryLine(entry, number, id)
      if (then !== undefined) listeners.push(then)
      writing ??= writeBatches()
    },
    async finish() {
      await writing
      try {
        // A full disk often still has room for the outcomes.
        if (outcomes !== '') await append(outcomes)
      } catch (error) {
        failure ??= journalFailure(path, error)
      }
      outcomes = ''
      for (const listener of listeners) listener()
      listeners = []
      if (failure !== undefined) throw failure
    },
    close: () => files.close(file),
  }
}

export function journalFailure(path: string, error: unknown): Failure {
  return new Failure('local', `the journal ${path} cannot be written: ${describeSystemError(error)}`, {
    hint: commandLine('df -h', { paths: [path] }),
    isRetryable: true,
    cause: error,
  })
}
