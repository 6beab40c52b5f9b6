import { join } from 'node:path'
import type { Client } from '../client/client.ts'
import { Failure } from '../failure.ts'
import { realPathOf } from '../platform/same-file.ts'
import { type Clock, realClock, sendRows } from './engine.ts'
import { type ImportFormat, unitOf } from './format.ts'
import { type Input, openInput } from './input.ts'
import { type Journal, type JournalFiles, openJournal, realFiles } from './journal.ts'
import type { RowStates } from './journal-replay.ts'
import { journalPathFor } from './journals-directory.ts'
import {
  checkOutputs,
  finish,
  type Import,
  type ImportOptions,
  openRejectsOf,
  using,
} from './opening.ts'
import { Pace } from './pace.ts'
import { readRows } from './rows.ts'
import { createShutdown } from './shutdown.ts'

export interface SendOptions extends ImportOptions {
  /** The journal's path; by default a file in `journals`. */
  readonly journal?: string | undefined
  /** Creates the directory of the journals, and returns it. */
  readonly makeJournals: () => Promise<string>
  readonly concurrency: number
  readonly retries: number
  readonly restart?: boolean | undefined
  /** The doubtful rows that are sent again: all, or those with these numbers. */
  readonly resendDoubtful?: true | readonly number[] | undefined
  /** The numbers of doubtful rows that count as added from now on. */
  readonly acceptDoubtful?: readonly number[] | undefined
  /** The command that shows which pets were added, for hints. */
  readonly look: string
  /**
   * Returns a client that sends each request once, and where they go; the signal aborts requests in
   * flight.
   */
  readonly connect: (signal: AbortSignal) => Promise<Connection>
  /** Tests replace these to make single steps fail, and to make time pass. */
  readonly files?: JournalFiles
  readonly clock?: Clock
}

interface Connection {
  readonly client: Pick<Client, 'addPet'>
  /** The base URL, or the local database. */
  readonly service: string
}

/** Lets `use` send the rows that the journal does not know to be added, and record each outcome. */
export async function runImport<Result>(
  options: SendOptions,
  use: (run: Import) => Promise<Result>,
): Promise<Result> {
  checkOutputs(options, options.journal)
  const shutdown = createShutdown(options.interruption)
  const { signal } = shutdown
  const { client, service } = await options.connect(shutdown.cutOff)
  const copyBeside = realPathOf(
    options.journal ?? join(await options.makeJournals(), 'standard-input'),
  )
  return using(openInput({ ...options, signal, copyBeside }), (input) =>
    using(openJournalOf(input, service, options), async (journal) => {
      await acceptDoubtful(journal, options.acceptDoubtful)
      const rejectsFile = await openRejectsOf(options)
      const { resendDoubtful } = options
      const reader = readRows(input.chunks(signal), {
        name: input.name,
        format: input.format,
        signal,
      })
      const results = sendRows({
        ...options,
        batches: reader.batches,
        journal,
        send: client.addPet,
        // The service may still fail: each run would leave some more rows in doubt.
        pace: new Pace({
          ...options,
          random: Math.random,
          isCautious: journal.states.counts.doubtful > 0,
        }),
        clock: options.clock ?? realClock,
        unit: unitOf(input.format),
        isResent: (number) =>
          resendDoubtful === true || (resendDoubtful?.includes(number) ?? false),
        shutdown,
      })
      let isResumable = true
      const verify = () =>
        journal.verify().catch((failure: Failure) => {
          isResumable = false
          return failure
        })
      return use({
        input,
        journal,
        batches: finish(results, { reader, rejectsFile, shutdown, verify }),
        rejectsFormat: () => (rejectsFile?.hasRows() ? input.format : undefined),
        isResumable: () => isResumable && input.hasChanged?.() !== true,
        stop: shutdown.begin,
      })
    }),
  )
}

async function acceptDoubtful(journal: Journal, numbers: readonly number[] = []): Promise<void> {
  if (numbers.length === 0) return
  await journal.append(numbers.map((number) => ({ kind: 'accepted', number })))
  for (const number of numbers) journal.states.set(number, 'accepted')
}

/**
 * Refuses a number that is not that of a doubtful row: it may be a typing error, and another row
 * was meant.
 */
function requireDoubtful(
  states: RowStates,
  { resendDoubtful, acceptDoubtful = [] }: SendOptions,
  format: ImportFormat,
) {
  const resent = resendDoubtful === true ? [] : (resendDoubtful ?? [])
  for (const number of [...resent, ...acceptDoubtful]) {
    if (states.of(number) === 'doubtful') continue
    throw new Failure('usage', `${unitOf(format)} ${number} is not doubtful`)
  }
}

async function openJournalOf(
  input: Input,
  service: string,
  options: SendOptions,
): Promise<Journal> {
  const { restart: isRestart = false, files = realFiles, look } = options
  const { name, path, content, format } = input
  if (content === undefined || format === undefined)
    throw new Error('the input is not known before it is read')
  const head = { input: path ?? name, content, format, service }
  const requireStates = (states: RowStates) => requireDoubtful(states, options, format)
  const open = (journal: string) => {
    checkOutputs(options, journal)
    return openJournal({ path: journal, head, isRestart, requireStates, look, files })
  }
  if (options.journal !== undefined) return open(realPathOf(options.journal))
  const directory = await options.makeJournals()
  return open(
    await journalPathFor(directory, { path, sha256: content.sha256, service }, { isRestart, look }),
  )
}
