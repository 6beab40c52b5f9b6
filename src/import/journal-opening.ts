import { randomBytes } from 'node:crypto'
import { stat } from 'node:fs/promises'
import { Failure } from '../failure.ts'
import { requireWritable } from '../platform/file-access.ts'
import { takeLock } from '../platform/lock.ts'
import { systemErrorCode } from '../platform/system-error.ts'
import { writeAll } from '../platform/write-all.ts'
import type { JournalFiles } from './journal-files.ts'
import { headLine, type JournalHead, journalVersion, readEntry, readHead, refuseOtherImport } from './journal-format.ts'
import { createRowStates, type RowStates, readJournalLines } from './journal-replay.ts'
import { createJournalWriter, type JournalWriter, journalFailure } from './journal-writer.ts'

/** A journal that is locked and ready for writing, with what earlier runs recorded. */
export interface Journal extends JournalWriter {
  readonly path: string
  readonly states: RowStates
  /** The new path of the previous journal, if the import starts over. */
  readonly setAside: string | undefined
}

interface JournalOptions {
  readonly path: string
  /** The import that it must belong to. */
  readonly head: JournalHead
  /** Sets an existing journal aside, whatever import it belongs to. */
  readonly isRestart: boolean
  /** The command that starts over, for hints. */
  readonly restartCommand: string
  readonly files: JournalFiles
}

/** Locks the journal, then continues the existing one or creates it. */
export async function openJournal(options: JournalOptions): Promise<Journal> {
  const { path, head, isRestart, files } = options
  const release = await lock(path)
  let file: number | undefined
  try {
    requireWritable(path)
    const size = await sizeOf(path)
    const isResumed = size > 0 && !isRestart
    const setAside = size > 0 && isRestart ? await moveAside(path, head.begun, files) : undefined
    const states = createRowStates()
    file = isResumed ? await files.open(path, 'r+') : await create(path, head, files)
    const end = isResumed ? await replay(file, states, options) : Buffer.byteLength(headLine(head))
    const writer = createJournalWriter({ path, file, end, files })
    return { ...writer, path, states, setAside, close: () => writer.close().finally(release) }
  } catch (error) {
    if (file !== undefined) await files.close(file).catch(() => {})
    release()
    throw error instanceof Failure ? error : journalFailure(path, error)
  }
}

async function lock(path: string): Promise<() => void> {
  const release = await takeLock({ file: path, what: 'the journal', milliseconds: 0 })
  if (release !== undefined) return release
  throw new Failure(
    'local',
    'an import needs libsql to lock its journal, and it is not installed or has no build for this machine',
    { hint: 'npm install -g petstore-cli --include=optional' },
  )
}

/** 0 if there is no journal yet. */
async function sizeOf(path: string): Promise<number> {
  try {
    const stats = await stat(path)
    if (!stats.isFile()) throw notAJournal(path)
    return stats.size
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') return 0
    throw error
  }
}

/** Written under another name first, so that a journal never has a partial head. */
async function create(path: string, head: JournalHead, files: JournalFiles): Promise<number> {
  const unfinished = `${path}.${randomBytes(8).toString('hex')}.tmp`
  const file = await files.open(unfinished, 'wx+')
  try {
    const bytes = Buffer.from(headLine(head))
    await writeAll(bytes, (rest, offset) => files.write(file, rest, offset))
    await files.synchronize(file)
    await files.rename(unfinished, path)
    return file
  } catch (error) {
    await files.close(file).catch(() => {})
    await files.remove(unfinished).catch(() => {})
    throw error
  }
}

/** Returns the new path. */
export async function moveAside(path: string, now: string, files: JournalFiles): Promise<string> {
  const aside = `${path}.${now.replace(/\W/g, '')}.${randomBytes(2).toString('hex')}`
  await files.rename(path, aside)
  return aside
}

/** Reads what earlier runs recorded, and removes a torn end. Returns the offset of the next line. */
async function replay(file: number, states: RowStates, options: JournalOptions): Promise<number> {
  const { path, head, restartCommand, files } = options
  let saved: JournalHead | undefined
  let end = 0
  let torn: number | undefined
  for await (const line of readJournalLines(file, files)) {
    if (saved === undefined) {
      saved = readHead(line.text)
      if (saved === undefined) throw notAJournal(path)
      if (saved.version > journalVersion) throw newer(path)
      refuseOtherImport(saved, head, path, restartCommand)
    } else {
      const read = line.isWhole ? readEntry(line.text) : undefined
      const isRow = read !== undefined && read.number <= (head.identity?.size ?? 0)
      // Only the end can be torn: everything before a valid line was on disk before that line.
      if (isRow && torn !== undefined) throw damaged(path, torn, restartCommand)
      if (isRow) states.set(read.number, read.entry)
      else torn ??= line.number
    }
    if (torn === undefined) end = line.end
  }
  if (saved === undefined) throw notAJournal(path)
  if (torn !== undefined) await files.truncate(file, end)
  return end
}

function notAJournal(path: string): Failure {
  return new Failure('usage', `${path} is no journal of an import; it was left as it is`)
}

function newer(path: string): Failure {
  return new Failure('local', `the journal ${path} was written by a newer petstore; it was left as it is`, {
    hint: 'npm install -g petstore-cli@latest',
  })
}

function damaged(path: string, line: number, restart: string): Failure {
  return new Failure('local', `the journal ${path} is damaged in line ${line}; it was left as it is`, {
    hint: restart,
  })
}
