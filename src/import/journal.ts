import { appendFile, close, fdatasync, fstat, ftruncate, open, read, stat } from 'node:fs'
import { dirname } from 'node:path'
import { promisify } from 'node:util'
import { Failure } from '../failure.ts'
import { describeSystemError, isMissing, spaceHint, systemErrorCode } from '../platform/errno.ts'
import { takeLock } from '../platform/lock.ts'
import {
  removeTemporaryFiles,
  replacePrivateFile,
  syncDirectory,
} from '../platform/private-file.ts'
import { inodeOf } from '../platform/same-file.ts'
import {
  entryLines,
  headLine,
  isJournal,
  type JournalEntry,
  type JournalHead,
} from './journal-format.ts'
import { notAJournal, RowStates, replayJournal } from './journal-replay.ts'

/** The file operations of a journal. Tests replace them to make single steps fail. */
export type JournalFiles = typeof realFiles

export const realFiles = {
  /**
   * Creates a file with this text, which only its owner can access, or replaces one: completely or
   * not at all.
   */
  async create(path: string, text: string): Promise<void> {
    removeTemporaryFiles(path)
    replacePrivateFile(path, text)
    syncDirectory(dirname(path))
  },
  open: promisify(open) as (path: string, flags: string) => Promise<number>,
  async read(file: number, into: Buffer, position: number): Promise<number> {
    const { bytesRead } = await promisify(read)(file, into, 0, into.length, position)
    return bytesRead
  },
  /** Writes every byte: one call of the system takes only some of them on a nearly full disk. */
  append: promisify(appendFile) as (file: number, bytes: Uint8Array) => Promise<void>,
  /** Resolves when the data is on disk. */
  synchronize: promisify(fdatasync),
  /** The size of the open file, and whether the path still leads to it. */
  async inspect(file: number, path: string) {
    // Not synchronously: a network file system may hang, and Ctrl-C must still end the import.
    const orMissing = (error: unknown) => {
      if (!isMissing(error)) throw error
      return undefined
    }
    const [open, named] = await Promise.all([
      promisify(fstat)(file, { bigint: true }),
      promisify(stat)(path, { bigint: true }).catch(orMissing),
    ])
    const isAtPath = named !== undefined && inodeOf(named) === inodeOf(open)
    return { size: Number(open.size), isAtPath }
  },
  truncate: (file: number, length: number) => promisify(ftruncate)(file, length),
  close: promisify(close),
}

export interface JournalOptions {
  /** A real path: a journal has one lock, whatever links lead to it. */
  readonly path: string
  /** The import that it must belong to. */
  readonly head: JournalHead
  /** Replaces an existing journal, whatever import it belongs to. */
  readonly isRestart: boolean
  /** Throws if the rows of the journal do not fit the command line: then nothing is changed. */
  readonly requireStates?: (states: RowStates) => void
  /** The command that shows which pets were added, for hints. */
  readonly look: string
  readonly files: JournalFiles
}

/** A journal that is locked and ready for writing, with the records of earlier runs. */
export interface Journal {
  readonly path: string
  readonly states: RowStates
  /** When an earlier run wrote to it, if this run resumes one. */
  readonly lastWrite: Date | undefined
  /**
   * Resolves when the entries are on disk. If it rejects, none of them may be relied on. One call
   * at a time.
   */
  append(entries: readonly JournalEntry[]): Promise<void>
  /**
   * Rejects if the path no longer leads to the journal, or another program has changed it: then no
   * run can resume.
   */
  verify(): Promise<void>
  close(): Promise<void>
}

/**
 * Locks the journal, then continues the existing one or creates it. If it is refused, nothing is
 * changed.
 */
export async function openJournal(options: JournalOptions): Promise<Journal> {
  const { path, isRestart, files, requireStates = () => {} } = options
  const explain = explainFor(path)
  let release = () => {}
  try {
    // Before the lock, which would stay beside a file that is not ours.
    const found = await requireRegularFile(path)
    if (found.size > 0 && isJournal(path) === false) throw notAJournal(path)
    release = await takeLock({ file: path, what: 'the journal', milliseconds: 0 })
    const { size, mtime } = await requireRegularFile(path)
    const resumed = size > 0 && !isRestart ? await reopen(options) : undefined
    if (resumed === undefined) requireStates(new RowStates())
    const open = resumed ?? (await create(options))
    return {
      ...createWriter(options, open),
      path,
      states: open.states,
      lastWrite: resumed && mtime,
      close: () => files.close(open.file).catch(explain).finally(release),
    }
  } catch (error) {
    release()
    throw journalFailure(path, error)
  }
}

/** Open for reading and writing; `end` is the position of the next line. */
interface OpenFile {
  readonly file: number
  readonly end: number
  readonly states: RowStates
}

/**
 * Undefined if the journal has no records yet: then it is replaced, even if it belongs to another
 * import.
 */
async function reopen(options: JournalOptions): Promise<OpenFile | undefined> {
  const { path, head, files, requireStates = () => {} } = options
  const file = await files.open(path, 'a+')
  try {
    const { size } = await files.inspect(file, path)
    const { states, end, isEmpty } = await replayJournal({
      ...options,
      wanted: head,
      read: (into, position) => files.read(file, into, position),
    })
    if (!isEmpty) {
      requireStates(states)
      if (end < size) await files.truncate(file, end)
      return { file, end, states }
    }
  } catch (error) {
    await files.close(file).catch(() => {})
    throw error
  }
  await files.close(file)
  return undefined
}

async function create({ path, head, files }: JournalOptions): Promise<OpenFile> {
  const text = headLine(head)
  await files.create(path, text)
  return {
    file: await files.open(path, 'a+'),
    end: Buffer.byteLength(text),
    states: new RowStates(),
  }
}

async function requireRegularFile(path: string): Promise<{ size: number; mtime: Date }> {
  try {
    const stats = await promisify(stat)(path)
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

function createWriter(
  { path, files, look }: JournalOptions,
  { file, end: begin }: OpenFile,
): Pick<Journal, 'append' | 'verify'> {
  let end = begin
  let verifiedAt = Number.NEGATIVE_INFINITY
  /** Set when a partial write could not be removed: nothing may be written after it. */
  let broken: unknown

  const lost = (problem: string) =>
    new Failure('local', `${problem} during the import. ${lostAdvice}`, { hint: look })
  const verify = async () => {
    if (broken !== undefined) throw broken
    const { size, isAtPath } = await files.inspect(file, path)
    if (!isAtPath) throw lost(`the journal ${path} was deleted, moved or replaced`)
    if (size !== end) throw lost(`another program has changed the journal ${path}`)
    verifiedAt = performance.now()
  }

  const append = async (entries: readonly JournalEntry[]) => {
    if (broken !== undefined || performance.now() - verifiedAt > verificationInterval)
      await verify()
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

  const explain = explainFor(path)
  return {
    append: (entries) => append(entries).catch(explain),
    verify: () => verify().catch(explain),
  }
}

const lostAdvice = 'Check which pets were added, then import the others'

const explainFor = (path: string) => (error: unknown) => {
  throw journalFailure(path, error)
}

export function journalFailure(path: string, error: unknown): Failure {
  if (error instanceof Failure) return error
  const problem = `the journal ${path} cannot be read or written: ${describeSystemError(error)}`
  return new Failure('local', problem, {
    hint: spaceHint(error, dirname(path)),
    isRetryable: true,
    cause: error,
  })
}
