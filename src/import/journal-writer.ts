import { Failure } from '../failure.ts'
import { commandLine } from '../platform/shell.ts'
import { describeSystemError } from '../platform/system-error.ts'
import { writeAll } from '../platform/write-all.ts'
import type { JournalFiles } from './journal-files.ts'
import { entryLines, type JournalEntry } from './journal-format.ts'

export interface JournalWriter {
  /** Resolves when the entries are on disk. If it rejects, nothing may rely on any of them. One call at a time. */
  append(entries: readonly JournalEntry[]): Promise<void>
  /** Rejects if the path no longer leads to the journal, or another program has changed it: then no run can resume. */
  verify(): Promise<void>
  close(): Promise<void>
}

interface JournalWriterOptions {
  readonly path: string
  /** Open for reading and writing. */
  readonly file: number
  /** The position of the next line. */
  readonly end: number
  readonly files: JournalFiles
}

/** How often the file is verified, in milliseconds. */
const verificationInterval = 200

export function createJournalWriter({ path, file, end, files }: JournalWriterOptions): JournalWriter {
  let verifiedAt = Number.NEGATIVE_INFINITY

  const verify = async () => {
    const { size, isAtPath } = await files.inspect(file, path)
    if (!isAtPath) throw new Failure('local', `the journal ${path} was deleted, moved or replaced during the import`)
    const start = Buffer.alloc(1)
    await files.read(file, start, 0)
    // Where a file was emptied, the next write leaves zeros before it.
    if (size !== end || start[0] === 0) {
      throw new Failure('local', `another program has changed the journal ${path} during the import`)
    }
    verifiedAt = performance.now()
  }

  return {
    async append(entries) {
      try {
        // Before the write: if another program has written here, its lines must not be overwritten.
        if (performance.now() - verifiedAt > verificationInterval) await verify()
        const bytes = Buffer.from(entryLines(entries, end), 'latin1')
        try {
          await writeAll(bytes, (rest, offset) => files.write(file, rest, end + offset))
          await files.synchronize(file)
        } catch (error) {
          // A partial line must not stay. If it cannot be removed now, the next write or the next run removes it.
          await files.truncate(file, end).catch(() => {})
          throw error
        }
        end += bytes.length
      } catch (error) {
        throw journalFailure(path, error)
      }
    },
    verify: () =>
      verify().catch((error: unknown) => {
        throw journalFailure(path, error)
      }),
    close: () => files.close(file),
  }
}

export function journalFailure(path: string, error: unknown): Failure {
  if (error instanceof Failure) return error
  return new Failure('local', `the journal ${path} cannot be written: ${describeSystemError(error)}`, {
    hint: commandLine('df -h', { paths: [path] }),
    isRetryable: true,
    cause: error,
  })
}
