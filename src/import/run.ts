import type { Readable } from 'node:stream'
import type { Client } from '../client/client.ts'
import type { Failure } from '../failure.ts'
import type { NewPet } from '../model/pets.ts'
import { lockPathOf } from '../platform/lock.ts'
import { requireSeparateFiles, type UsedFile } from '../platform/same-file.ts'
import { sendRows } from './engine.ts'
import { formatByName, type ImportFormat } from './format.ts'
import { type Input, openInput } from './input.ts'
import { realFiles } from './journal-files.ts'
import { journalVersion } from './journal-format.ts'
import { type Journal, openJournal } from './journal-opening.ts'
import { journalPath, pipeJournalPath } from './journals-directory.ts'
import { createPace } from './pace.ts'
import { createShutdown } from './shutdown.ts'
import { openTally, type RowResult, type Tally } from './tally.ts'

/** The descriptor. */
const standardInput = 0

/** What the user requested. */
interface ImportOptions {
  /** The file; `-` for standard input. */
  readonly path: string
  readonly format?: ImportFormat | undefined
  readonly rejects?: string | undefined
  readonly stopOnError?: boolean | undefined
  /** Files that neither the rejects nor the journal may overwrite. */
  readonly protectedFiles: readonly UsedFile[]
}

/** The parts of the program that an import works with, and its callbacks. */
export interface ImportEnvironment {
  readonly stdin: Readable
  readonly now: () => Date
  readonly interruption: AbortSignal
  /** Called before the first row. */
  readonly onStart: (tally: Tally) => Promise<void>
  /** Called with each row's result. */
  readonly onResult: (result: RowResult) => void
  /** A promise if the reader of the results is behind. It rejects if the results cannot be written. */
  readonly isBehind: () => Promise<void> | undefined
}

/** How an import ended. */
export interface ImportReport {
  readonly tally: Tally
  /** Why it ended before its last row. */
  readonly reason: Failure | undefined
}

interface CheckOptions extends ImportOptions {
  /** Called with each valid row. */
  readonly onPet?: (pet: NewPet) => Promise<void>
}

/** Checks every row and sends nothing. */
export async function checkRows(options: CheckOptions, environment: ImportEnvironment): Promise<ImportReport> {
  requireSeparateOutputs(options)
  const shutdown = createShutdown(environment.interruption)
  const input = await openInput({ ...options, stdin: environment.stdin, signal: shutdown.signal })
  try {
    const format = options.format ?? formatByName(options.path)
    const tally = openTally({
      ...options,
      format,
      input,
      report: environment.onResult,
      onFailure: shutdown.begin,
    })
    try {
      await environment.onStart(tally)
      await check(tally, options, environment, shutdown.signal)
    } finally {
      tally.close()
    }
    return { tally, reason: shutdown.reason() }
  } finally {
    await input.close()
    shutdown.dispose()
  }
}

async function check(
  tally: Tally,
  options: CheckOptions,
  environment: ImportEnvironment,
  signal: AbortSignal,
): Promise<void> {
  for await (const rows of tally.rows(signal)) {
    for (const row of rows) {
      if ('pet' in row) {
        tally.recordValid(row)
        await options.onPet?.(row.pet)
      } else {
        tally.record({ row, outcome: 'invalid', message: row.problem })
      }
      if (options.stopOnError && tally.counts.invalid > 0) return
    }
    await environment.isBehind()
  }
}

interface SendOptions extends ImportOptions {
  /** The journal's path; by default a file in `journalsDirectory`. */
  readonly journal: string | undefined
  readonly journalsDirectory: () => Promise<string>
  readonly environment: string
  readonly concurrency: number
  readonly retries: number
  readonly restart?: boolean | undefined
  /** The command that starts over. */
  readonly restartCommand: string
  readonly resendDoubtful?: boolean | undefined
}

interface SendEnvironment extends ImportEnvironment {
  /** Returns a client that sends each request once, and its base URL; the signal aborts requests in flight. */
  readonly connect: (signal: AbortSignal) => Promise<{ client: Pick<Client, 'addPet'>; url: string }>
  readonly onJournal: (journal: { path: string; setAside: string | undefined }) => void
  readonly onPause: (failure: Failure, seconds: number) => void
}

/** Sends the rows that the journal does not know to be added, and records each outcome. */
export async function sendFile(options: SendOptions, environment: SendEnvironment): Promise<ImportReport> {
  requireSeparateOutputs(options, options.journal)
  const shutdown = createShutdown(environment.interruption)
  const { client, url: address } = await environment.connect(shutdown.cutOff)
  const { stdin } = environment
  const input = await openInput({ ...options, stdin, signal: shutdown.signal, copyBeside: options.journal })
  try {
    const format = options.format ?? formatByName(options.path) ?? input.format
    const journal = await openJournalFor(options, { input, format, address }, environment)
    try {
      environment.onJournal(journal)
      const tally = openTally({
        ...options,
        format,
        input,
        report: environment.onResult,
        onFailure: shutdown.begin,
      })
      try {
        await environment.onStart(tally)
        const { signal } = shutdown
        await sendRows({
          ...options,
          rows: tally.rows(signal),
          journal,
          send: client.addPet,
          report: tally.record,
          isBehind: environment.isBehind,
          pace: createPace({ ...options, signal, random: Math.random, onPause: environment.onPause }),
          shutdown,
        })
      } finally {
        tally.close()
      }
      return { tally, reason: shutdown.reason() }
    } finally {
      await journal.close()
    }
  } finally {
    await input.close()
    shutdown.dispose()
  }
}

interface JournalOwner {
  readonly input: Input
  readonly format: ImportFormat | undefined
  readonly address: string
}

async function openJournalFor(
  options: SendOptions,
  { input, format, address }: JournalOwner,
  { now }: ImportEnvironment,
): Promise<Journal> {
  const { environment, restart: isRestart = false, restartCommand } = options
  const head = {
    version: journalVersion,
    input: input.name,
    identity: input.identity,
    format,
    environment,
    address,
    begun: now().toISOString(),
  }
  const path = options.journal ?? (await defaultJournalPath(options, input, now()))
  requireSeparateOutputs(options, path)
  return openJournal({ path, head, isRestart, restartCommand, files: realFiles })
}

function requireSeparateOutputs({ path, rejects, protectedFiles }: ImportOptions, journal?: string): void {
  const outputs: UsedFile[] = []
  const others: UsedFile[] = [{ name: 'the input', file: path === '-' ? standardInput : path }, ...protectedFiles]
  if (rejects !== undefined) outputs.push({ name: '--rejects', file: rejects })
  if (journal !== undefined) {
    outputs.push({ name: 'the journal', file: journal })
    others.push({ name: "the journal's lock", file: lockPathOf(journal) })
  }
  requireSeparateFiles(outputs, others)
}

async function defaultJournalPath(options: SendOptions, input: Input, now: Date): Promise<string> {
  const directory = await options.journalsDirectory()
  return input.identity === undefined
    ? pipeJournalPath(directory, options.path, now)
    : journalPath(directory, options.path, options.environment)
}
