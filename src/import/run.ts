import type { Readable } from 'node:stream'
import type { Client } from '../client/client.ts'
import { Failure } from '../failure.ts'
import type { NewPet } from '../model/pets.ts'
import type { Programs } from '../platform/host.ts'
import { makePrivateDirectory } from '../platform/private-file.ts'
import { anotherDirectory, describeFault, errorCode } from '../platform/system-error.ts'
import { type Book, openBook } from './book.ts'
import { type RowEnd, sendRows } from './engine.ts'
import { formatByName, type ImportFormat } from './format.ts'
import { type Input, openInput } from './input.ts'
import { realFiles } from './journal-files.ts'
import { journalVersion } from './journal-lines.ts'
import { type OpenJournal, openJournal } from './journal-opening.ts'
import { journalPlace, journalPlaceOfPipe } from './journal-place.ts'
import { createPace } from './pace.ts'
import { createStopping } from './stopping.ts'

/** What was asked for. */
interface ImportJob {
  /** The file; `-` for standard input. */
  readonly path: string
  readonly format?: ImportFormat | undefined
  readonly rejects?: string | undefined
  readonly stopOnError?: boolean | undefined
}

/** What a run needs from outside, and whom it tells. */
export interface Surroundings {
  readonly stdin: Readable
  readonly programs: Programs
  readonly now: () => Date
  readonly interruption: AbortSignal
  /** Told when the rows begin to come. */
  readonly onStart: (book: Book) => Promise<void>
  /** Told of each row as it ends. */
  readonly onEnd: (end: RowEnd) => void
  /** A promise where whoever is told is behind. It rejects where that can't go on. */
  readonly isBehind: () => Promise<void> | undefined
}

/** How a run ended. */
export interface ImportReport {
  readonly book: Book
  /** Why it ended before its rows did. */
  readonly reason: Failure | undefined
}

interface CheckingJob extends ImportJob {
  /** Told of each animal that could be sent. */
  readonly onPet?: (pet: NewPet) => Promise<void>
}

/** Looks at every row and sends nothing. */
export async function checkRows(job: CheckingJob, around: Surroundings): Promise<ImportReport> {
  const stopping = createStopping(around.interruption)
  const input = await openInput({ ...job, stdin: around.stdin, signal: stopping.signal })
  try {
    const format = job.format ?? formatByName(job.path)
    const book = openBook({
      ...job,
      format,
      input,
      otherFiles: [job.path],
      report: around.onEnd,
      onFault: stopping.stop,
    })
    try {
      await around.onStart(book)
      await check(book, job, around, stopping.signal)
    } finally {
      book.close()
    }
    return { book, reason: stopping.reason() }
  } finally {
    await input.close()
    stopping.done()
  }
}

async function check(book: Book, job: CheckingJob, around: Surroundings, signal: AbortSignal): Promise<void> {
  for await (const rows of book.rows(signal)) {
    for (const row of rows) {
      if ('pet' in row) {
        book.pass(row)
        await job.onPet?.(row.pet)
      } else {
        book.enter({ row, outcome: 'invalid', message: row.problem })
      }
      if (job.stopOnError && book.counts.invalid > 0) return
    }
    await around.isBehind()
  }
}

export interface SendingJob extends ImportJob {
  /** Where the journal is to be; undefined for a place of its own in `journalsDirectory`. */
  readonly journal: string | undefined
  readonly journalsDirectory: () => string
  readonly environment: string
  readonly concurrency: number
  readonly retries: number
  readonly restart?: boolean | undefined
  /** The command that begins anew. */
  readonly restartCommand: string
  readonly resendDoubtful?: boolean | undefined
}

export interface SendingSurroundings extends Surroundings {
  /** What sends one animal, once, and where to; the signal cuts off what is under way. */
  readonly connect: (signal: AbortSignal) => Promise<{ client: Pick<Client, 'addPet'>; address: string }>
  readonly onJournal: (journal: { path: string; setAside: string | undefined }) => void
  readonly onPause: (failure: Failure, seconds: number) => void
}

/** Adds what the journal does not know to be added, and writes down each row's fate. */
export async function sendFile(job: SendingJob, around: SendingSurroundings): Promise<ImportReport> {
  const stopping = createStopping(around.interruption)
  const { client, address } = await around.connect(stopping.cutOff)
  const input = await openInput({ ...job, stdin: around.stdin, signal: stopping.signal, copyBeside: job.journal })
  try {
    const format = job.format ?? formatByName(job.path) ?? input.format
    const journal = await openJournalFor(job, { input, format, address }, around)
    try {
      around.onJournal(journal)
      const otherFiles = [job.path, journal.path]
      const book = openBook({ ...job, format, input, otherFiles, report: around.onEnd, onFault: stopping.stop })
      try {
        await around.onStart(book)
        await sendRows({
          ...job,
          rows: book.rows(stopping.signal),
          journal,
          send: client.addPet,
          report: book.enter,
          isBehind: around.isBehind,
          pace: createPace({ ...job, signal: stopping.signal, random: Math.random, onPause: around.onPause }),
          stopping,
        })
      } finally {
        book.close()
      }
      return { book, reason: stopping.reason() }
    } finally {
      await journal.close()
    }
  } finally {
    await input.close()
    stopping.done()
  }
}

interface Belonging {
  readonly input: Input
  readonly format: ImportFormat | undefined
  readonly address: string
}

function openJournalFor(
  job: SendingJob,
  { input, format, address }: Belonging,
  { now, programs }: Surroundings,
): Promise<OpenJournal> {
  const { environment, restart: isRestart = false, restartCommand } = job
  const head = {
    version: journalVersion,
    input: input.name,
    identity: input.identity,
    format,
    environment,
    address,
    begun: now().toISOString(),
  }
  const path = job.journal ?? placeOf(job, input, now(), programs.pid)
  return openJournal({ path, head, isRestart, restartCommand, programs, files: realFiles })
}

function placeOf(job: SendingJob, input: Input, now: Date, pid: number): string {
  const directory = job.journalsDirectory()
  makeJournals(directory)
  return input.identity === undefined
    ? journalPlaceOfPipe(directory, job.path, now, pid)
    : journalPlace(directory, job.path, job.environment)
}

function makeJournals(directory: string): void {
  try {
    makePrivateDirectory(directory)
  } catch (error) {
    if (errorCode(error) === undefined) throw error
    throw new Failure('local', `the journal can't be written: there can be no ${directory}: ${describeFault(error)}`, {
      hint: anotherDirectory,
      cause: error,
    })
  }
}
