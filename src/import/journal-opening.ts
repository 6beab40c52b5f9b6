import { randomBytes } from 'node:crypto'
import { stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { Failure } from '../failure.ts'
import type { Programs } from '../platform/host.ts'
import { holdLock } from '../platform/lock.ts'
import { describeFault, errorCode, quoted } from '../platform/system-error.ts'
import { createJournal, type Journal, journalFailure } from './journal.ts'
import type { JournalFiles } from './journal-files.ts'
import { headLine, type JournalHead, journalVersion, readEntry, readHead, refuseOther } from './journal-lines.ts'
import { createRowStates, type RowStates } from './states.ts'

/** A journal, and what earlier runs left in it. */
export interface OpenJournal extends Journal {
  readonly path: string
  readonly states: RowStates
  /** Where the journal that was there before is kept now, where everything begins anew. */
  readonly setAside: string | undefined
}

interface OpeningOptions {
  readonly path: string
  /** What it is to belong to. */
  readonly head: JournalHead
  /** Sets the one that is there aside, whatever it belongs to. */
  readonly isRestart: boolean
  /** The command that does so. */
  readonly restartCommand: string
  readonly programs: Programs
  readonly files: JournalFiles
}

/** Opens the journal for one owner: goes on with the one that is there, or begins one. */
export async function openJournal(options: OpeningOptions): Promise<OpenJournal> {
  const { path, head, isRestart, programs, files } = options
  const release = await takeOver(path, programs)
  let file: number | undefined
  try {
    const kept = await sizeOf(path)
    const isResumed = kept > 0 && !isRestart
    const setAside = kept > 0 && isRestart ? await putAside(path, head.begun, files) : undefined
    const states = createRowStates()
    file = isResumed ? await files.open(path, 'r+') : await begin(path, head, files)
    const end = isResumed ? await replay(file, states, options) : Buffer.byteLength(headLine(head))
    const journal = createJournal({ path, file, end, files })
    return { ...journal, path, states, setAside, close: () => journal.close().finally(release) }
  } catch (error) {
    if (file !== undefined) await files.close(file).catch(() => {})
    release()
    throw error instanceof Failure ? error : journalFailure(path, error)
  }
}

async function takeOver(path: string, programs: Programs): Promise<() => void> {
  try {
    return await holdLock(`${path}.lock`, programs, `the journal ${path}`)
  } catch (error) {
    if (error instanceof Failure) throw error
    throw new Failure('local', `the journal ${path} can't be made: ${describeFault(error)}`, {
      hint: `ls -ld ${quoted(dirname(path))}`,
      cause: error,
    })
  }
}

/** 0 where there is none yet. */
async function sizeOf(path: string): Promise<number> {
  try {
    const stats = await stat(path)
    if (!stats.isFile()) throw noJournal(path)
    return stats.size
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return 0
    throw error
  }
}

/** In a place of its own first, so that there is no moment at which the journal has half a head. */
async function begin(path: string, head: JournalHead, files: JournalFiles): Promise<number> {
  const unfinished = `${path}.${randomBytes(8).toString('hex')}.tmp`
  const file = await files.open(unfinished, 'wx+')
  try {
    const bytes = Buffer.from(headLine(head))
    for (let written = 0; written < bytes.length; ) {
      written += await files.write(file, bytes.subarray(written), written)
    }
    await files.synchronize(file)
    await files.rename(unfinished, path)
    return file
  } catch (error) {
    await files.close(file).catch(() => {})
    await files.remove(unfinished).catch(() => {})
    throw error
  }
}

/** Answers where it is kept now. */
export async function putAside(path: string, now: string, files: JournalFiles): Promise<string> {
  const aside = `${path}.${now.replace(/\W/g, '')}.${randomBytes(2).toString('hex')}`
  await files.rename(path, aside)
  return aside
}

/** Reads what earlier runs wrote; gives back where the next line goes, which is where a torn tail was cut off. */
async function replay(file: number, states: RowStates, options: OpeningOptions): Promise<number> {
  const { path, head, restartCommand, files } = options
  let kept: JournalHead | undefined
  let end = 0
  let torn: number | undefined
  for await (const line of linesOf(file, files)) {
    if (kept === undefined) {
      kept = readHead(line.text)
      if (kept === undefined) throw noJournal(path)
      if (kept.version > journalVersion) throw newer(path)
      refuseOther(kept, head, path, restartCommand)
    } else {
      const read = line.isWhole ? readEntry(line.text) : undefined
      const isRow = read !== undefined && read.number <= (head.identity?.size ?? 0)
      // Only the end may be torn: what stands in front of a whole line was on disk before it.
      if (isRow && torn !== undefined) throw damaged(path, torn, restartCommand)
      if (isRow) states.set(read.number, read.entry)
      else torn ??= line.number
    }
    if (torn === undefined) end = line.end
  }
  if (kept === undefined) throw noJournal(path)
  if (torn !== undefined) await files.truncate(file, end)
  return end
}

interface Line {
  readonly text: string
  readonly number: number
  /** Where the next line begins. */
  readonly end: number
  readonly isWhole: boolean
}

async function* linesOf(file: number, files: JournalFiles): AsyncGenerator<Line> {
  const chunk = Buffer.alloc(1024 * 1024)
  let position = 0
  let end = 0
  let number = 0
  let rest = Buffer.alloc(0)
  for (let length = -1; length !== 0; position += length) {
    length = await files.read(file, chunk, position)
    const bytes = Buffer.concat([rest, chunk.subarray(0, length)])
    let start = 0
    for (let stop = bytes.indexOf(0x0a); stop !== -1; stop = bytes.indexOf(0x0a, start)) {
      number += 1
      end += stop + 1 - start
      yield { text: bytes.toString('utf8', start, stop), number, end, isWhole: true }
      start = stop + 1
    }
    rest = bytes.subarray(start)
  }
  if (rest.length > 0) yield { text: rest.toString('latin1'), number: number + 1, end, isWhole: false }
}

function noJournal(path: string): Failure {
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
