import { join } from 'node:path'
import type { Readable } from 'node:stream'
import type { Client } from '../client/client.ts'
import { asFailure, Failure } from '../failure.ts'
import { plural } from '../model/quantities.ts'
import { realPathOf } from '../platform/same-file.ts'
import { type Clock, realClock, sendRows } from './engine.ts'
import { unitOf } from './format.ts'
import { type ImportInput, openInput } from './input.ts'
import { type Journal, type JournalFiles, openJournal, realFiles } from './journal.ts'
import type { RowStates } from './journal-replay.ts'
import { journalPathFor } from './journals-directory.ts'
import { checkOutputFiles, type ImportFiles } from './output-files.ts'
import { Pace } from './pace.ts'
import { openRejects, type RejectsFile } from './rejects.ts'
import { type RowResult, Tally } from './results.ts'
import { type ImportRow, type ReadingOptions, readRows } from './rows.ts'
import { Shutdown } from './shutdown.ts'

/** What the command line asks for. */
export interface ImportChoices
  extends Pick<ImportFiles, 'rejects' | 'journal'>,
    Pick<ReadingOptions, 'format'> {
  readonly stopOnError?: boolean | undefined
  readonly concurrency: number
  readonly restart?: boolean | undefined
  /** The doubtful rows that are sent again: all, or those with these numbers. */
  readonly resendDoubtful?: true | readonly number[] | undefined
  /** The numbers of doubtful rows that count as added from now on. */
  readonly acceptDoubtful?: readonly number[] | undefined
}

/** The same with the parts of the program that every import needs. */
export interface ImportOptions
  extends ImportChoices,
    ImportFiles,
    Pick<ReadingOptions, 'commandForCsv'> {
  readonly stdin: Readable
  readonly interruption: AbortSignal
  /** Creates the directory of the journals, and returns it. */
  readonly makeJournals: () => Promise<string>
  /** Tells the user something; the code is for programs. */
  readonly notice: (code: string, message: string) => Promise<void>
  /** Undefined if the rows are only checked. */
  readonly sending?: SendOptions
}

interface SendOptions {
  readonly retries: number
  /**
   * Returns a client that sends each request once, and where they go; the signal aborts requests in
   * flight.
   */
  readonly connect: (signal: AbortSignal) => Promise<{
    readonly client: Pick<Client, 'addPet'>
    /** The base URL, or the local database. */
    readonly service: string
  }>
  /** Tests replace these to make single steps fail, and to make time pass. */
  readonly files?: JournalFiles
  readonly clock?: Clock
}

/** Prepares to check every row, or to send those that the journal does not know to be added. */
export async function openImport(options: ImportOptions): Promise<Import> {
  const { sending } = options
  checkOutputFiles(options, options.journal)
  const shutdown = new Shutdown(options.interruption)
  const connection = sending && { ...sending, ...(await sending.connect(shutdown.cutOff)) }
  const copyBeside =
    connection &&
    realPathOf(options.journal ?? join(await options.makeJournals(), 'standard-input'))
  const input = await openInput({ ...options, signal: shutdown.signal, copyBeside })
  let journal: Journal | undefined
  const close = async () => {
    try {
      await journal?.close()
    } finally {
      await input.close()
    }
  }
  try {
    journal = connection && (await openJournalOf(input, connection, options))
    await acceptDoubtful(journal, options)
    const rejects = await openRejectsOf(options)
    const run = runOf({ input, connection, journal, rejects, shutdown }, options)
    return Object.assign(run, { close })
  } catch (error) {
    await close()
    throw error
  }
}

/** An import that is ready to run. Call `close` after the last batch. */
export type Import = ReturnType<typeof runOf> & { close(): Promise<void> }

interface ImportParts {
  readonly input: ImportInput
  /** Undefined if nothing is sent, like the journal. */
  readonly connection: Connection | undefined
  readonly journal: Journal | undefined
  readonly rejects: RejectsFile | undefined
  readonly shutdown: Shutdown
}

function runOf(parts: ImportParts, options: ImportOptions) {
  const { input, journal, rejects, shutdown } = parts
  const reader = readRows(input.chunks(), { ...options, name: input.name })
  const results = resultsOf(reader.batches, parts, options)
  const tally = new Tally()
  /** Why no run can resume the import. */
  let loss: Failure | undefined
  /** Ends the import early: requests in flight finish, and their outcomes are recorded. */
  const stop = (reason: unknown) => {
    if (!(reason instanceof Failure)) throw reason
    shutdown.begin(reason)
  }
  return {
    input,
    journal,
    tally,
    stop,
    /** Yields the results of all rows, and writes the rejects. */
    async *batches() {
      try {
        for await (const batch of results) {
          tally.add(batch)
          await rejects?.add(batch, reader.layout()).catch(stop)
          yield batch
        }
      } catch (error) {
        stop(error)
      }
      await rejects?.close().catch(stop)
      await reportGrowth(input, options)
      loss = await journal?.verify().then(() => undefined, asFailure)
    },
    /** Why it ended before its last row. Only Ctrl-C is more important than a lost journal. */
    get reason() {
      const reason: Failure | undefined = shutdown.signal.reason
      return reason?.code === 'interrupted' ? reason : (loss ?? reason)
    },
    /** How many rows the input has, or those of it that were read. */
    get rows() {
      return input.content?.rows ?? tally.finished
    },
    /** Whether the same command can continue it; known at its end. */
    get isResumable() {
      return loss === undefined && !input.hasChanged
    },
    /** Known at the end; undefined if there are no rejects, or if they are kept nowhere. */
    get rejectsFormat() {
      return rejects?.hasRows() ? input.format : undefined
    }
  }
}

async function reportGrowth(input: ImportInput, { notice }: ImportOptions): Promise<void> {
  const bytes = input.grownBy?.() ?? 0
  if (bytes <= 0 || input.hasChanged) return
  const left = `the ${plural(bytes, 'byte')} that were appended since this run began were left out`
  await notice(
    'grown',
    `${input.name} has grown: ${left}; move them to a file of their own before you run this import again`
  )
}

async function* validateRows(
  batches: AsyncIterable<readonly ImportRow[]>,
  stopOnError = false
): AsyncGenerator<readonly RowResult[]> {
  for await (const rows of batches) {
    const results = rows.map(
      (row): RowResult =>
        'pet' in row ? { row, outcome: 'valid' } : { row, outcome: 'invalid', message: row.problem }
    )
    const error = results.findIndex(({ outcome }) => outcome === 'invalid')
    if (stopOnError && error !== -1) {
      yield results.slice(0, error + 1)
      return
    }
    yield results
  }
}

/** The client of an import, and where it sends the rows. */
type Connection = SendOptions & Awaited<ReturnType<SendOptions['connect']>>

function resultsOf(
  batches: AsyncGenerator<readonly ImportRow[]>,
  { input, connection, journal, shutdown }: ImportParts,
  { concurrency, resendDoubtful = [], stopOnError, notice }: ImportOptions
) {
  if (!connection || !journal) return validateRows(batches, stopOnError)
  const { client, retries, clock = realClock } = connection
  // The service may still fail: each run would leave some more rows in doubt.
  const isCautious = journal.states.counts.doubtful > 0
  return sendRows({
    batches,
    journal,
    send: client.addPet,
    pace: new Pace({ concurrency, retries, random: Math.random, isCautious }),
    clock,
    concurrency,
    unit: unitOf(input.format),
    isResent: number => resendDoubtful === true || resendDoubtful.includes(number),
    stopOnError,
    shutdown,
    notice
  })
}

async function openJournalOf(
  { name, path, content, format }: ImportInput,
  { service, files = realFiles }: Connection,
  options: ImportOptions
): Promise<Journal> {
  const isRestart = options.restart === true
  if (content === undefined || format === undefined)
    throw new Error('the input is not known before it is read')
  const head = { input: path ?? name, content, format, service }
  const journal =
    options.journal === undefined
      ? await journalPathFor(await options.makeJournals(), path, head, isRestart)
      : realPathOf(options.journal)
  checkOutputFiles(options, journal)
  return openJournal({
    path: journal,
    head,
    isRestart,
    requireStates: states => requireDoubtful(states, options, unitOf(format)),
    files
  })
}

async function acceptDoubtful(
  journal: Journal | undefined,
  { acceptDoubtful: numbers = [] }: ImportOptions
): Promise<void> {
  if (journal === undefined || numbers.length === 0) return
  await journal.append(numbers.map(number => ({ kind: 'counted', number })))
  for (const number of numbers) journal.states.set(number, 'counted')
}

/**
 * Refuses a number that is not that of a doubtful row: it may be a typing error, and another row
 * was meant.
 */
function requireDoubtful(
  states: RowStates,
  { resendDoubtful = [], acceptDoubtful = [] }: ImportOptions,
  unit: string
): void {
  const resent = resendDoubtful === true ? [] : resendDoubtful
  const both = resent.find(number => acceptDoubtful.includes(number))
  const named = [...resent, ...acceptDoubtful]
  const number = both ?? named.find(one => states.of(one) !== 'doubtful')
  if (number === undefined) return
  const isBoth = 'is in both --resend-doubtful and --accept-doubtful'
  const problem = both === undefined ? 'is not doubtful' : isBoth
  throw new Failure('usage', `${unit} ${number} ${problem}`)
}

async function openRejectsOf(options: ImportOptions): Promise<RejectsFile | undefined> {
  if (options.rejects === undefined) return undefined
  checkOutputFiles(options)
  return openRejects(options.rejects, options)
}
