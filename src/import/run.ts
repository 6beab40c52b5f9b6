import type { Readable } from 'node:stream'
import type { Client } from '../client/client.ts'
import { Failure } from '../failure.ts'
import { realPathOf } from '../platform/same-file.ts'
import { sendRows } from './engine.ts'
import { openInput } from './input.ts'
import { type Journal, journalPathFor, openJournal } from './journal.ts'
import { Pace } from './pace.ts'
import { openRejects } from './rejects.ts'
import { type RowResult, Tally } from './results.ts'
import { type ImportRow, type ReadingOptions, readRows, unitOf } from './rows.ts'
import { Shutdown } from './shutdown.ts'

/** What the command line asks for. */
export interface ImportChoices extends Pick<ReadingOptions, 'format'> {
  readonly rejects?: string | undefined
  readonly journal?: string | undefined
  readonly stopOnError?: boolean | undefined
  readonly concurrency: number
  readonly restart?: boolean | undefined
  /** The doubtful rows that are sent again: all, or those with these numbers. */
  readonly resendDoubtful?: true | readonly number[] | undefined
  /** The numbers of doubtful rows that count as added from now on. */
  readonly acceptDoubtful?: readonly number[] | undefined
}

export interface ImportOptions extends ImportChoices {
  readonly path: string
  readonly stdin: Readable
  readonly interruption: AbortSignal
  /** Creates the directory of the journals, and returns it. */
  readonly makeJournals: () => Promise<string>
  /** Tells the user something; the code is for programs. */
  readonly notice: (code: string, message: string) => Promise<void>
  /** Undefined if the rows are only checked. */
  readonly sending?: {
    readonly retries: number
    /** The signal aborts requests in flight. */
    readonly connect: (signal: AbortSignal) => Promise<{
      readonly client: Pick<Client, 'addPet'>
      /** The base URL, or the local database. */
      readonly service: string
    }>
  }
}

export type Import = Awaited<ReturnType<typeof openImport>>

/** Prepares to check every row, or to send those that the journal does not know to be added. */
export async function openImport(options: ImportOptions) {
  const { path, sending, rejects: rejectsPath, notice } = options
  const shutdown = new Shutdown(options.interruption)
  const connection = await sending?.connect(shutdown.cutOff)
  const directory = await options.makeJournals()
  const input = await openInput({ ...options, signal: shutdown.signal, directory })
  let journal: Journal | undefined
  if (connection !== undefined) {
    const head = { path: input.path, content: input.content, service: connection.service }
    const isRestart = options.restart === true
    const file = options.journal ?? journalPathFor(directory, head, isRestart)
    journal = openJournal(realPathOf(file), head, isRestart)
    await acceptDoubtful(journal, options, unitOf(input.format))
  }
  const others = [path, journal?.path]
  const rejects = rejectsPath && (await openRejects(rejectsPath, { others, notice }))
  const reader = readRows(input.chunks(), { ...options, name: input.name })
  const results =
    connection && journal && sending
      ? sendRows({
          ...options,
          batches: reader.batches,
          journal,
          send: connection.client.addPet,
          pace: new Pace({ ...options, retries: sending.retries }),
          isResent: number => isResent(options, number),
          shutdown
        })
      : checkRows(reader.batches, options.stopOnError)
  const tally = new Tally()
  const addedBefore = journal?.count('added') ?? 0
  const stop = (reason: unknown) => {
    if (!(reason instanceof Failure)) throw reason
    shutdown.begin(reason)
  }
  return {
    input,
    journal,
    tally,
    addedBefore,
    rows: input.content.rows,
    /** Ends the import early: requests in flight finish, and their outcomes are recorded. */
    stop,
    /** Yields the results of all rows, and writes the rejects. */
    async *batches() {
      try {
        for await (const batch of results) {
          tally.add(batch)
          if (rejects) await rejects.add(batch, reader.layout()).catch(stop)
          yield batch
        }
      } catch (error) {
        stop(error)
      }
      if (rejects) await rejects.close().catch(stop)
      if (journal?.isLost()) stop(new Failure('local', `the journal ${journal.path} was deleted`))
    },
    /** Why it ended before its last row. */
    get reason(): Failure | undefined {
      const { reason } = shutdown.signal
      return reason?.message === 'the import was abandoned' ? undefined : reason
    },
    /** Undefined if there are no rejects. */
    get rejectsFormat() {
      return rejects && rejects.hasRows() ? input.format : undefined
    },
    close: async () => {
      journal?.close()
      input.close()
    }
  }
}

async function* checkRows(
  batches: AsyncIterable<readonly ImportRow[]>,
  stopOnError = false
): AsyncGenerator<readonly RowResult[]> {
  for await (const rows of batches) {
    const results = rows.map(
      (row): RowResult =>
        'pet' in row ? { row, outcome: 'valid' } : { row, outcome: 'invalid', message: row.problem }
    )
    yield results
    if (stopOnError && results.some(({ outcome }) => outcome === 'invalid')) return
  }
}

const isResent = ({ resendDoubtful = [] }: ImportChoices, number: number) =>
  resendDoubtful === true || resendDoubtful.includes(number)

/** Refuses the number of a row that is not doubtful: another row was meant. */
async function acceptDoubtful(
  journal: Journal,
  { resendDoubtful = [], acceptDoubtful = [] }: ImportChoices,
  unit: string
): Promise<void> {
  const named = [...(resendDoubtful === true ? [] : resendDoubtful), ...acceptDoubtful]
  const wrong = named.find(number => !['sent', 'doubtful'].includes(journal.stateOf(number) ?? ''))
  if (wrong !== undefined) throw new Failure('usage', `${unit} ${wrong} is not doubtful`)
  for (const number of acceptDoubtful) await journal.record(number, 'added')
}
