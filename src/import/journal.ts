import { type FileHandle, open, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { Failure } from '../failure.ts'
import { describeSystemError, isMissing, spaceHint, systemErrorCode } from '../platform/errno.ts'
import { takeLock } from '../platform/lock.ts'
import {
  removeTemporaryFiles,
  replacePrivateFile,
  syncDirectory
} from '../platform/private-file.ts'
import { inodeOf } from '../platform/same-file.ts'
import {
  entryLines,
  headLine,
  isJournal,
  type JournalEntry,
  type JournalHead,
  refuseOtherImport
} from './journal-format.ts'
import { notAJournal, type Replay, RowStates, replayJournal } from './journal-replay.ts'

/** The file operations of a journal. Tests replace them to make single steps fail. */
export type JournalFiles = typeof realFiles

export const realFiles = {
  /**
   * Creates a file with this text, which only its owner can access, or replaces one: completely or
   * not at all.
   */
  async create(path: string, text: string): Promise<void> {
    removeTemporaryFiles(path)
    await replacePrivateFile(path, text)
    syncDirectory(dirname(path))
  },
  open: (path: string, flags: string) => open(path, flags),
  /** Writes every byte: one call of the system takes only some of them on a nearly full disk. */
  append: (file: FileHandle, bytes: Uint8Array) => file.appendFile(bytes),
  /** Resolves when the data is on disk. */
  synchronize: (file: FileHandle) => file.datasync(),
  /** The size of the open file, and whether the path still leads to it. */
  async inspect(file: FileHandle, path: string) {
    // Not synchronously: a network file system may hang, and Ctrl-C must still end the import.
    const orMissing = (error: unknown) => {
      if (!isMissing(error)) throw error
      return undefined
    }
    const [open, named] = await Promise.all([
      file.stat({ bigint: true }),
      stat(path, { bigint: true }).catch(orMissing)
    ])
    const isAtPath = named !== undefined && inodeOf(named) === inodeOf(open)
    return { size: Number(open.size), isAtPath }
  },
  truncate: (file: FileHandle, length: number) => file.truncate(length),
  close: (file: FileHandle) => file.close()
}

export interface JournalOptions {
  /** A real path: a journal has one lock, whatever links lead to it. */
  readonly path: string
  /** The import that it must belong to. */
  readonly head: JournalHead
  /** Replaces an existing journal, whatever import it belongs to. */
  readonly isRestart: boolean
  /** Throws if the rows of the journal do not fit the command line: then nothing is changed. */
  readonly requireStates: (states: RowStates) => void
  readonly files: JournalFiles
}

/**
 * Locks the journal, then continues the existing one or creates it. If it is refused, nothing is
 * changed.
 */
export async function openJournal(options: JournalOptions) {
  const { path, head, isRestart, files, requireStates } = options
  let release = () => {}
  let file: FileHandle | undefined
  try {
    // Before the lock, which would stay beside a file that is not ours.
    const found = await requireRegularFile(path)
    if (found.size > 0 && isJournal(path) === false) throw notAJournal(path)
    release = await takeLock({ file: path, what: 'the journal', milliseconds: 0 })
    const { size, mtime } = await requireRegularFile(path)
    let replay: Replay | undefined
    if (size > 0 && !isRestart) {
      file = await files.open(path, 'a+')
      replay = await replayJournal(file, path)
      if (!replay.isEmpty) refuseOtherImport(replay.head, head, path)
    }
    const { states = new RowStates(), end = 0, isEmpty = true } = replay ?? {}
    requireStates(states)
    let start = end
    // Without records, it is replaced, even if it belongs to another import.
    if (file === undefined || isEmpty) {
      const text = headLine(head)
      await file?.close()
      await files.create(path, text)
      file = await files.open(path, 'a+')
      start = Buffer.byteLength(text)
    } else if (end < size) {
      await files.truncate(file, end)
    }
    return {
      path,
      states,
      /** When an earlier run wrote to it, if this run resumes one. */
      lastWrite: mtime,
      ...writerOf(options, { file, start, release })
    }
  } catch (error) {
    await file?.close().catch(() => {})
    release()
    throw journalFailure(path, error)
  }
}

async function requireRegularFile(path: string) {
  try {
    const stats = await stat(path)
    const problem = `${path} is not a file; a journal must be one`
    if (!stats.isFile()) throw new Failure('usage', problem)
    return stats
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') return { size: 0, mtime: new Date(0) }
    throw error
  }
}

/** How often the file is verified, in milliseconds. */
const verificationInterval = 200

interface OpenFile {
  /** Open for reading and writing. */
  readonly file: FileHandle
  /** The position of the next line. */
  readonly start: number
  readonly release: () => void
}

/** A journal that is locked and ready for writing, with the records of earlier runs. */
export type Journal = Awaited<ReturnType<typeof openJournal>>

function writerOf({ path, files }: JournalOptions, { file, start, release }: OpenFile) {
  let end = start
  let verifiedAt = Number.NEGATIVE_INFINITY
  /** Set when a partial write could not be removed: nothing may be written after it. */
  let broken: unknown

  const verify = async () => {
    if (broken !== undefined) throw broken
    const { size, isAtPath } = await files.inspect(file, path)
    if (!isAtPath) throw lost(`the journal ${path} was deleted, moved or replaced`)
    if (size !== end) throw lost(`another program has changed the journal ${path}`)
    verifiedAt = performance.now()
  }
  const append = async (entries: readonly JournalEntry[]) => {
    const isVerified = performance.now() - verifiedAt <= verificationInterval
    if (broken !== undefined || !isVerified) await verify()
    const bytes = Buffer.from(entryLines(entries, end), 'latin1')
    try {
      // At the end of the file, wherever that is: so a change by another program is never
      // overwritten, and shows later.
      await files.append(file, bytes)
      await files.synchronize(file)
    } catch (error) {
      await files.truncate(file, end).catch(() => {
        broken = error
      })
      throw error
    }
    end += bytes.length
  }
  const explain = (error: unknown) => {
    throw journalFailure(path, error)
  }
  return {
    /**
     * Resolves when the entries are on disk. If it rejects, none of them may be relied on. One call
     * at a time.
     */
    append: (entries: readonly JournalEntry[]) => append(entries).catch(explain),
    /**
     * Rejects if the path no longer leads to the journal, or another program has changed it: then
     * no run can resume.
     */
    verify: () => verify().catch(explain),
    close: () => files.close(file).catch(explain).finally(release)
  }
}

const lostAdvice = 'Check which pets were added, then import the others'

const lost = (problem: string) =>
  new Failure('local', `${problem} during the import. ${lostAdvice}`)

export function journalFailure(path: string, error: unknown): Failure {
  if (error instanceof Failure) return error
  const problem = `the journal ${path} cannot be read or written: ${describeSystemError(error)}`
  return new Failure('local', problem, {
    hint: spaceHint(error, dirname(path)),
    isRetryable: true,
    cause: error
  })
}
