import { join } from 'node:path'
import type { Readable } from 'node:stream'
import type { Client } from '../client/client.ts'
import { Failure } from '../failure.ts'
import { requireWritable } from '../platform/file-access.ts'
import { lockPathOf, refuseLock, takeLock } from '../platform/lock.ts'
import { realPathOf, requireSeparateFiles, type UsedFile } from '../platform/same-file.ts'
import { type Clock, sendRows } from './engine.ts'
import { formatByName, type ImportFormat } from './format.ts'
import { type Input, openInput } from './input.ts'
import { type Journal, openJournal } from './journal.ts'
import { type JournalFiles, realFiles } from './journal-files.ts'
import { isJournal, journalVersion } from './journal-format.ts'
import type { JournalCommands } from './journal-replay.ts'
import { journalPathFor } from './journals-directory.ts'
import { createPace } from './pace.ts'
import { openRejects, type RejectsFile } from './rejects.ts'
import type { ImportBatch, RowResult } from './results.ts'
import { type ImportRow, type RowReader, readRows } from './rows.ts'
import { createShutdown, type Shutdown } from './shutdown.ts'

/** The user's options, and the parts of the program that every import needs. */
interface ImportOptions {
  /** The file; `-` for standard input. */
  readonly path: string
  readonly format?: ImportFormat | undefined
  readonly rejects?: string | undefined
  readonly stopOnError?: boolean | undefined
  readonly stdin: Readable
  readonly interruption: AbortSignal
  /** Files that neither the rejects nor the journal may overwrite. */
  readonly protectedFiles: readonly UsedFile[]
}

export interface SendOptions extends ImportOptions {
  /** The journal's path; by default a file in `journalsDirectory`. */
  readonly journal?: string | undefined
  readonly journalsDirectory: () => Promise<string>
  readonly environment: string
  readonly concurrency: number
  readonly retries: number
  readonly restart?: boolean | undefined
  readonly resendDoubtful?: boolean | undefined
  readonly commands: (input: Input) => JournalCommands
  /** Returns a client that sends each request once, and its base URL; the signal aborts requests in flight. */
  readonly connect: (signal: AbortSignal) => Promise<{ client: Pick<Client, 'addPet'>; url: string }>
  readonly now: () => Date
  /** Tests replace these to make single steps fail, and to make time pass. */
  readonly files?: JournalFiles
  readonly clock?: Clock
}

/** An import that is ready to run. */
export interface Import {
  readonly input: Pick<Input, 'path' | 'content'>
  /** Undefined if nothing is sent. */
  readonly journal: Pick<Journal, 'path' | 'setAside'> | undefined
  /** Yields the results of all rows. If the import ends early, it throws the reason after the last result. */
  readonly batches: AsyncGenerator<ImportBatch>
  /** The format of the rejects; undefined if they are kept nowhere. Known at the end. */
  rejectsFormat(): ImportFormat | undefined
  /** Whether the same command can continue the import; known at its end. */
  isResumable(): boolean
  /** Ends the import early: requests in flight finish, and their outcomes are recorded. */
  stop(reason: Failure): void
  close(): Promise<void>
}

/** Checks every row and sends nothing. */
export async function openCheck(options: ImportOptions): Promise<Import> {
  checkOutputs(options)
  return opening(options, async ({ shutdown, open }) => {
    const input = await open(openInput({ ...options, signal: shutdown.signal }))
    const reader = readRows(input.chunks(shutdown.signal), { name: input.name, format: formatOf(input, options) })
    const rejectsFile = await openRejectsOf(options)
    const batches = finish(checkRows(reader.batches, options.stopOnError), { reader, rejectsFile, shutdown })
    return { input, journal: undefined, batches, rejectsFormat: () => undefined, isResumable: () => false }
  })
}

/** Sends the rows that the journal does not know to be added, and records each outcome. */
export async function openImport(options: SendOptions): Promise<Import> {
  checkOutputs(options, options.journal)
  return opening(options, async ({ shutdown, open }) => {
    const { client, url } = await options.connect(shutdown.cutOff)
    const copyBeside = options.journal && realPathOf(options.journal)
    const input = await open(openInput({ ...options, signal: shutdown.signal, copyBeside }))
    const format = formatOf(input, options)
    const journal = await open(openJournalOf(input, format, { ...options, url }))
    const rejectsFile = await openRejectsOf(options)
    const reader = readRows(input.chunks(shutdown.signal), { name: input.name, format })
    const results = sendRows({
      ...options,
      rows: reader.batches,
      journal,
      send: client.addPet,
      pace: createPace({ ...options, random: Math.random }),
      clock: options.clock ?? realClock,
      shutdown,
    })
    let lost: Failure | undefined
    const verify = async () => {
      lost = await journal.verify().then(
        () => undefined,
        (failure: Failure) => failure,
      )
      return lost
    }
    return {
      input,
      journal,
      batches: finish(results, { reader, rejectsFile, shutdown, verify }),
      rejectsFormat: () => (rejectsFile?.keepsRows ? reader.layout().format : undefined),
      isResumable: () => input.content !== undefined && lost === undefined,
    }
  })
}

interface Opening {
  readonly shutdown: Shutdown
  /** Waits for a part, which is closed with the import. */
  open<Part extends { close(): Promise<void> }>(opening: Promise<Part>): Promise<Part>
}

/** Opens an import; if a part cannot be opened, those before it are closed. */
async function opening(
  { interruption }: ImportOptions,
  openParts: (opening: Opening) => Promise<Omit<Import, 'stop' | 'close'>>,
): Promise<Import> {
  const shutdown = createShutdown(interruption)
  const opened: { close(): Promise<void> }[] = []
  const close = async () => {
    for (const part of opened.splice(0).reverse()) await part.close()
    shutdown.dispose()
  }
  try {
    const parts = await openParts({
      shutdown,
      async open(opening) {
        const part = await opening
        opened.push(part)
        return part
      },
    })
    return { ...parts, stop: shutdown.begin, close }
  } catch (error) {
    await close()
    throw error
  }
}

const formatOf = (input: Input, { format, path }: ImportOptions) =>
  format ?? formatByName(input.path ?? path) ?? input.format

const openRejectsOf = async ({ rejects, interruption }: ImportOptions) =>
  rejects === undefined ? undefined : openRejects({ path: rejects, signal: interruption })

/** Refuses outputs that may not be written, before anything is written. */
function checkOutputs({ path, rejects, protectedFiles }: ImportOptions, journal?: string): void {
  const outputs: UsedFile[] = []
  const others: UsedFile[] = [{ name: 'the input', file: path === '-' ? standardInput : path }, ...protectedFiles]
  if (rejects !== undefined) outputs.push({ name: '--rejects', file: rejects })
  if (journal !== undefined) {
    outputs.push({ name: 'the journal', file: journal })
    others.push({ name: "the journal's lock", file: lockPathOf(journal) })
  }
  requireSeparateFiles(outputs, others)
  for (const file of [rejects, journal]) if (file !== undefined) refuseLock(file)
  if (rejects !== undefined && isJournal(rejects)) throw new Failure('usage', `${rejects} is the journal of an import`)
  if (journal !== undefined) requireWritable(journal)
}

/** The descriptor. */
const standardInput = 0

async function openJournalOf(
  input: Input,
  format: ImportFormat | undefined,
  options: SendOptions & { url: string },
): Promise<Journal> {
  const { environment, restart: isRestart = false, files = realFiles } = options
  const commands = options.commands(input)
  const head = {
    version: journalVersion,
    input: input.path ?? input.name,
    content: input.content,
    file: input.file,
    format,
    environment,
    baseUrl: options.url,
    begun: options.now().toISOString(),
  }
  const open = (path: string) => {
    checkOutputs(options, path)
    return openJournal({ path, head, isRestart, commands, files })
  }
  if (options.journal !== undefined) return open(realPathOf(options.journal))
  const directory = await options.journalsDirectory()
  // While it is held, no other program can look for the journal of the same file under another name, and miss this one.
  const release = await takeLock({
    file: join(directory, 'journals'),
    what: 'the list of journals in',
    milliseconds: 10_000,
    signal: options.interruption,
  })
  try {
    return await open(await journalPathFor(directory, input, environment, options.now()))
  } finally {
    release?.()
  }
}

async function* checkRows(
  batches: AsyncIterable<readonly ImportRow[]>,
  stopOnError = false,
): AsyncGenerator<ImportBatch> {
  for await (const rows of batches) {
    const results = rows.map(
      (row): RowResult =>
        'pet' in row ? { row, outcome: 'valid' } : { row, outcome: 'invalid', message: row.problem },
    )
    const error = stopOnError ? results.findIndex(({ outcome }) => outcome === 'invalid') : -1
    yield { results: error === -1 ? results : results.slice(0, error + 1) }
    if (error !== -1) return
  }
}

interface FinishOptions {
  readonly reader: RowReader
  readonly rejectsFile: RejectsFile | undefined
  readonly shutdown: Shutdown
  /** Checks after the last row whether the import can still be resumed; if not, this failure comes first. */
  readonly verify?: () => Promise<Failure | undefined>
}

/** Writes the rejects, and throws at the end if the import did not reach its last row. */
async function* finish(
  batches: AsyncGenerator<ImportBatch>,
  { reader, rejectsFile, shutdown, verify }: FinishOptions,
): AsyncGenerator<ImportBatch> {
  try {
    for await (const batch of batches) {
      await rejectsFile?.add(batch.results, reader.layout()).catch(shutdown.begin)
      // If a row arrives in several parts, the last one counts.
      const results = batch.results.filter(({ row }) => !row.raw.isUnfinished)
      yield { ...batch, results }
    }
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    shutdown.begin(error)
  }
  await rejectsFile?.close().catch(shutdown.begin)
  const lost = await verify?.()
  const reason = shutdown.reason()
  if (lost !== undefined && reason?.code !== 'interrupted') throw lost
  if (reason !== undefined) throw reason
}

export const realClock: Clock = {
  now: () => performance.now(),
  after(milliseconds, call) {
    // A timer may fire a millisecond late, which at 300 requests per second is too much. An early timer is harmless,
    // because callers ask again.
    if (milliseconds >= 2) {
      const timer = setTimeout(call, milliseconds - 1)
      return () => clearTimeout(timer)
    }
    const timer = setImmediate(call)
    return () => clearImmediate(timer)
  },
}
