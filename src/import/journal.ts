import { randomBytes } from 'node:crypto'
import { stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { Failure } from '../failure.ts'
import { takeLock } from '../platform/lock.ts'
import { commandLine } from '../platform/shell.ts'
import { describeSystemError, spaceHint, systemErrorCode } from '../platform/system-error.ts'
import { writeAll } from '../platform/write-all.ts'
import type { JournalFiles } from './journal-files.ts'
import { entryLines, headLine, isJournal, type JournalEntry } from './journal-format.ts'
import { createRowStates, type JournalOptions, notAJournal, type RowStates, replayJournal } from './journal-replay.ts'

/** A journal that is locked and ready for writing, with the records of earlier runs. */
export interface Journal {
  readonly path: string
  readonly states: RowStates
  /** The new path of the previous journal, if the import starts over. */
  readonly setAside: string | undefined
  /** When an earlier run wrote to it, if this run resumes one. */
  readonly lastWrite: Date | undefined
  /** Resolves when the entries are on disk. If it rejects, none of them may be relied on. One call at a time. */
  append(entries: readonly JournalEntry[]): Promise<void>
  /** Rejects if the path no longer leads to the journal, or another program has changed it: then no run can resume. */
  verify(): Promise<void>
  close(): Promise<void>
}

/** Locks the journal, then continues the existing one or creates it. If it is refused, nothing is changed. */
export async function openJournal(options: JournalOptions): Promise<Journal> {
  const { path, head, isRestart, files, requireStates = () => {} } = options
  let release = () => {}
  try {
    // Before the lock, which would stay beside a file that is not ours.
    if ((await statsOf(path)).size > 0 && isJournal(path) === false) throw notAJournal(path)
    release = await takeLock({ file: path, what: 'the journal', milliseconds: 0 })
    const { size, mtime } = await statsOf(path)
    const exists = size > 0
    const resumed = exists && !isRestart ? await resume(options) : undefined
    if (resumed === undefined) requireStates(createRowStates())
    const setAside = exists && isRestart ? await moveAside(path, head.begun, files) : undefined
    const open = resumed ?? (await create(options))
    return {
      ...createWriter(options, open),
      path,
      states: open.states,
      setAside,
      lastWrite: resumed && mtime,
      close: () => closing(files.close(open.file), path).finally(release),
    }
  } catch (error) {
    release()
    throw journalFailure(path, error)
  }
}

const closing = (closed: Promise<void>, path: string) =>
  closed.catch((error: unknown) => {
    throw journalFailure(path, error)
  })

/** Open for reading and writing; `end` is the position of the next line. */
interface OpenFile {
  readonly file: number
  readonly end: number
  readonly states: RowStates
}

/** Undefined if the journal has no records yet: then it is replaced, even if it belongs to another import. */
async function resume(options: JournalOptions): Promise<OpenFile | undefined> {
  const { path, head, files, requireStates = () => {} } = options
  const file = await files.open(path, 'a+')
  try {
    const { links, size } = await files.inspect(file, path)
    if (links > 1) throw linked(path, links)
    const { states, end, isEmpty } = await replayJournal(file, { ...options, wanted: head })
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

/** Each of its names would have its own lock. */
function linked(path: string, links: number): Failure {
  const copy = `${path}.copy`
  const hint = `${commandLine('cp', { paths: [path, copy] })} && ${commandLine('mv', { paths: [copy, path] })}`
  return new Failure('local', `the journal ${path} has ${links} names (hard links), and only one can be locked`, {
    hint,
  })
}

/** Written under another name first, so that a journal never has a partial head. */
async function create({ path, head, files }: JournalOptions): Promise<OpenFile> {
  const unfinished = `${path}.${randomBytes(8).toString('hex')}.tmp`
  const file = await files.open(unfinished, 'ax+')
  try {
    const bytes = Buffer.from(headLine(head))
    await writeAll(bytes, (rest) => files.write(file, rest))
    await files.synchronize(file)
    await files.rename(unfinished, path)
    return { file, end: bytes.length, states: createRowStates() }
  } catch (error) {
    await files.close(file).catch(() => {})
    await files.remove(unfinished).catch(() => {})
    throw error
  }
}

async function statsOf(path: string): Promise<{ size: number; mtime: Date }> {
  try {
    const stats = await stat(path)
    if (!stats.isFile()) throw new Failure('usage', `${path} is not a file; a journal must be one`)
    return stats
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') return { size: 0, mtime: new Date(0) }
    throw error
  }
}

/** Returns the new path. */
async function moveAside(path: string, now: string, files: JournalFiles): Promise<string> {
  const aside = `${path}.${now.replace(/\W/g, '')}.${randomBytes(2).toString('hex')}`
  await files.rename(path, aside)
  return aside
}

/** How often the file is verified, in milliseconds. */
const verificationInterval = 200

function createWriter(
  { path, files }: JournalOptions,
  { file, end: begin }: OpenFile,
): Pick<Journal, 'append' | 'verify'> {
  let end = begin
  let verifiedAt = Number.NEGATIVE_INFINITY
  /** Set when a partial write could not be removed: nothing may be written after it. */
  let broken: unknown

  const verify = async () => {
    if (broken !== undefined) throw broken
    const { size, isAtPath } = await files.inspect(file, path)
    if (!isAtPath) throw new Failure('local', `the journal ${path} was deleted, moved or replaced during the import`)
    if (size !== end) {
      throw new Failure('local', `another program has changed the journal ${path} during the import`)
    }
    verifiedAt = performance.now()
  }

  const append = async (entries: readonly JournalEntry[]) => {
    if (broken !== undefined || performance.now() - verifiedAt > verificationInterval) await verify()
    const bytes = Buffer.from(entryLines(entries, end), 'latin1')
    try {
      // At the end of the file, wherever that is: so a change by another program is never overwritten, and shows later.
      await writeAll(bytes, (rest) => files.write(file, rest))
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
    append: (entries: readonly JournalEntry[]) => append(entries).catch(explain),
    verify: () => verify().catch(explain),
  }
}

/** The calls that write; a journal that cannot be opened is mostly not writable either. */
const writingCalls = ['open', 'write', 'fdatasync', 'fsync', 'ftruncate', 'rename', 'fchmod', 'close']

export function journalFailure(path: string, error: unknown): Failure {
  if (error instanceof Failure) return error
  const { syscall } = error as NodeJS.ErrnoException
  const isWriting = syscall === undefined || writingCalls.includes(syscall)
  const problem = `the journal ${path} cannot be ${isWriting ? 'written' : 'read'}: ${describeSystemError(error)}`
  return new Failure('local', problem, { hint: spaceHint(error, dirname(path)), isRetryable: true, cause: error })
}
