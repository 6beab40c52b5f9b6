import { join } from 'node:path'
import type { Client } from '../client/client.ts'
import { asFailure, Failure } from '../failure.ts'
import { realPathOf } from '../platform/same-file.ts'
import { Shutdown, withEnding } from './ending.ts'
import { type Clock, realClock, sendRows } from './engine.ts'
import { type ImportFormat, unitOf } from './format.ts'
import { type ImportInput, openInput } from './input.ts'
import { type Journal, type JournalFiles, openJournal, realFiles } from './journal.ts'
import type { RowStates } from './journal-replay.ts'
import { journalPathFor } from './journals-directory.ts'
import type { Import, ImportOptions } from './opening.ts'
import { checkOutputFiles, openRejectsOf } from './output-files.ts'
import { Pace } from './pace.ts'
import type { RejectsFile } from './rejects.ts'
import { readRows } from './rows.ts'

export interface SendOptions extends ImportOptions {
  readonly retries: number
  /** The command that shows which pets were added, for hints. */
  readonly look: string
  /**
   * Returns a client that sends each request once, and where they go; the signal aborts requests in
   * flight.
   */
  readonly connect: (signal: AbortSignal) => Promise<Destination>
  /** Tests replace these to make single steps fail, and to make time pass. */
  readonly files?: JournalFiles
  readonly clock?: Clock
}

interface Destination {
  readonly client: Pick<Client, 'addPet'>
  /** The base URL, or the local database. */
  readonly service: string
}

/** Prepares to send the rows that the journal does not know to be added. */
export async function openImport(options: SendOptions): Promise<Import> {
  checkOutputFiles(options, options.journal)
  const shutdown = new Shutdown(options.interruption)
  const { signal } = shutdown
  const { client, service } = await options.connect(shutdown.cutOff)
  const copyBeside = await copyPlaceOf(options)
  const input = await openInput({ ...options, signal, copyBeside })
  let journal: Journal | undefined
  const close = async () => {
    try {
      await journal?.close()
    } finally {
      await input.close()
    }
  }
  try {
    journal = await openJournalOf(input, service, options)
    await acceptDoubtful(journal, options.acceptDoubtful)
    const rejectsFile = await openRejectsOf(options)
    const parts = { input, journal, rejectsFile, client, shutdown }
    return { ...startRun(parts, options), close }
  } catch (error) {
    await close()
    throw error
  }
}

/** What a run works with. */
interface RunParts {
  readonly input: ImportInput
  readonly journal: Journal
  readonly rejectsFile: RejectsFile | undefined
  readonly client: Destination['client']
  readonly shutdown: Shutdown
}

function startRun(
  { input, journal, rejectsFile, client, shutdown }: RunParts,
  options: SendOptions,
): Omit<Import, 'close'> {
  const { format } = input
  const reader = readRows(input.chunks(), input)
  const results = sendRows({
    ...options,
    batches: reader.batches,
    journal,
    send: client.addPet,
    pace: paceOf(journal, options),
    clock: options.clock ?? realClock,
    unit: unitOf(format),
    isResent: (number) => isResent(number, options),
    shutdown,
  })
  /** Why no run can resume the import. */
  let loss: Failure | undefined
  const findLoss = async () => {
    loss = await journal.verify().then(() => undefined, asFailure)
    return loss
  }
  return {
    input,
    journal,
    batches: withEnding(results, { ...options, input, reader, rejectsFile, shutdown, findLoss }),
    rejectsFormat: () => (rejectsFile?.hasRows() ? format : undefined),
    isResumable: () => loss === undefined && !input.hasChanged,
    stop: shutdown.begin,
  }
}

/** An input that can be read only once is copied beside this file. */
async function copyPlaceOf({ journal, makeJournals }: SendOptions): Promise<string> {
  return realPathOf(journal ?? join(await makeJournals(), 'standard-input'))
}

function paceOf(journal: Journal, { concurrency, retries }: SendOptions): Pace {
  return new Pace({
    concurrency,
    retries,
    random: Math.random,
    // The service may still fail: each run would leave some more rows in doubt.
    isCautious: journal.states.counts.doubtful > 0,
  })
}

function isResent(number: number, { resendDoubtful = [] }: SendOptions): boolean {
  return resendDoubtful === true || resendDoubtful.includes(number)
}

async function acceptDoubtful(journal: Journal, numbers: readonly number[] = []): Promise<void> {
  if (numbers.length === 0) return
  const entries = numbers.map((number) => ({ kind: 'accepted', number }) as const)
  await journal.append(entries)
  for (const number of numbers) journal.states.set(number, 'accepted')
}

/**
 * Refuses a number that is not that of a doubtful row: it may be a typing error, and another row
 * was meant.
 */
function requireDoubtful(
  states: RowStates,
  { resendDoubtful = [], acceptDoubtful = [] }: SendOptions,
  format: ImportFormat,
): void {
  const resent = resendDoubtful === true ? [] : resendDoubtful
  const refuse = (number: number, problem: string) => {
    throw new Failure('usage', `${unitOf(format)} ${number} ${problem}`)
  }
  const both = resent.find((number) => acceptDoubtful.includes(number))
  if (both !== undefined) refuse(both, 'is in both --resend-doubtful and --accept-doubtful')
  const named = [...resent, ...acceptDoubtful]
  const other = named.find((number) => states.of(number) !== 'doubtful')
  if (other !== undefined) refuse(other, 'is not doubtful')
}

async function openJournalOf(
  input: ImportInput,
  service: string,
  options: SendOptions,
): Promise<Journal> {
  const { restart: isRestart = false, files = realFiles, look } = options
  const { name, path, content, format } = input
  if (content === undefined || format === undefined)
    throw new Error('the input is not known before it is read')
  const { sha256 } = content
  const journal =
    options.journal === undefined
      ? await journalPathFor(
          await options.makeJournals(),
          { path, sha256, service },
          { isRestart, look },
        )
      : realPathOf(options.journal)
  checkOutputFiles(options, journal)
  return openJournal({
    path: journal,
    head: { input: path ?? name, content, format, service },
    isRestart,
    requireStates: (states) => requireDoubtful(states, options, format),
    look,
    files,
  })
}
