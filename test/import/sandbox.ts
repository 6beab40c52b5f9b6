import {
  appendFileSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync
} from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect } from 'vitest'
import { Failure } from '../../src/failure.ts'
import type { Clock } from '../../src/import/engine.ts'
import { type JournalFiles, realFiles } from '../../src/import/journal.ts'
import type { RowResult } from '../../src/import/results.ts'
import { openImport } from '../../src/import/run.ts'
import type { NewPet, Pet } from '../../src/model/schema.ts'
import { temporaryDirectory } from '../support/temp.ts'

/**
 * What the service does with a request. `before` and `after`: it fails before or after it adds the
 * pet.
 */
export const behaviors = [
  'add',
  'reject',
  'limit the rate',
  'Retry-After',
  'fail before',
  'fail after',
  'bare 503',
  'drop before',
  'drop after',
  'refuse the connection'
] as const
export type Behavior = (typeof behaviors)[number]

export const inputNames = [
  'path',
  'symbolic link',
  'hard link',
  'other spelling',
  'copy',
  'pipe'
] as const

export const databases = ['first', 'second'] as const
export type Database = (typeof databases)[number]

/** The events of one run. Steps are the operations on the journal and the requests, in order. */
export interface RunPlan {
  readonly inputName: (typeof inputNames)[number]
  /** The service has two databases. */
  readonly database: Database
  /** The behaviors for the requests, in order and repeated. */
  readonly behaviors: readonly Behavior[]
  readonly concurrency: number
  readonly retries: number
  readonly resendDoubtful?: true | readonly number[]
  readonly acceptDoubtful?: readonly number[]
  readonly killAtStep?: number | undefined
  /**
   * If the kill is a power cut: the share of the unsynchronized bytes that survives, from 0 to 1.
   */
  readonly powerCut?: number | undefined
  readonly interruptAtRequest?: number | undefined
  readonly deleteJournalAtRequest?: number | undefined
}

export interface RunReport {
  /** The results until the kill. */
  readonly results: readonly RowResult[]
  readonly failure: Failure | undefined
  readonly wasKilled: boolean
  readonly sent: readonly { readonly row: number; readonly behavior: Behavior }[]
}

/**
 * An input with several names, its journal, and a service that counts how often it adds each row.
 */
export interface Sandbox {
  readonly rowCount: number
  /** How often the service has added the row to the database. */
  timesAdded(database: Database, row: number): number
  run(plan: RunPlan): Promise<RunReport>
  /** The journal of the last run; undefined if there is none. */
  journal(): string | undefined
  lastDatabase(): Database
  /** Replaces the input with a new file of the same content. */
  replaceInput(): void
  /** Runs with other content in the input, then restores it. */
  runWithOtherContent(plan: RunPlan): Promise<RunReport>
  /** Removes all pets of a database and its journal. */
  reset(database: Database): void
}

export function createSandbox(rowCount: number): Sandbox {
  const directory = temporaryDirectory()
  const journals = join(directory, 'journals')
  const path = join(directory, 'pets.ndjson')
  const content = Array.from(
    { length: rowCount },
    (_, index) => `${JSON.stringify(petOf(index + 1))}\n`
  ).join('')
  const added = new Map<string, number>()
  const journalOf = new Map<Database, string>()
  let lastDatabase: Database = 'first'
  mkdirSync(journals)
  mkdirSync(join(directory, 'other'))
  symlinkSync('pets.ndjson', join(directory, 'latest.ndjson'))

  const replaceInput = () => {
    writeFileSync(`${path}.new`, content)
    renameSync(`${path}.new`, path)
    rmSync(join(directory, 'linked.ndjson'), { force: true })
    linkSync(path, join(directory, 'linked.ndjson'))
  }
  replaceInput()
  writeFileSync(join(directory, 'copy.ndjson'), content)
  const isFile = (name: string) => lstatSync(join(journals, name)).isFile()
  /** Each database has one journal, whatever the names of the input are. */
  const journal = () => {
    const names = readdirSync(journals).filter(name => name.endsWith('.journal') && isFile(name))
    const others = [...journalOf]
      .filter(([database]) => database !== lastDatabase)
      .map(([, path]) => path)
    const own = names.map(name => join(journals, name)).filter(name => !others.includes(name))
    expect(own.length).toBeLessThanOrEqual(1)
    const [found] = own
    if (found !== undefined) journalOf.set(lastDatabase, found)
    return found
  }
  const paths = {
    path,
    'symbolic link': join(directory, 'latest.ndjson'),
    'hard link': join(directory, 'linked.ndjson'),
    'other spelling': `${directory}/other/../pets.ndjson`,
    copy: join(directory, 'copy.ndjson'),
    pipe: '-'
  }

  const run = async (plan: RunPlan): Promise<RunReport> => {
    const { database, inputName } = plan
    lastDatabase = database
    const interruption = new AbortController()
    const sent: { row: number; behavior: Behavior }[] = []
    const results: RowResult[] = []
    let steps = 0
    let isKilled = false
    /**
     * Simulates the kill: later steps have no effect. `half` is the part of the last step that was
     * done.
     */
    const step = async (half?: () => Promise<unknown>) => {
      steps += 1
      if (steps === plan.killAtStep) {
        await half?.()
        isKilled = true
      }
      if (isKilled) throw new Error('killed')
    }
    const files = journalFiles(step)
    const addPet = async (pet: NewPet): Promise<Pet> => {
      await step()
      const row = Number(pet.categoryId)
      const behavior = plan.behaviors[sent.length % plan.behaviors.length] ?? 'add'
      sent.push({ row, behavior })
      if (sent.length === plan.interruptAtRequest) {
        interruption.abort(new Failure('interrupted', 'interrupted'))
      }
      if (sent.length === plan.deleteJournalAtRequest) rmSync(journal() ?? '')
      const isAdded = behavior === 'add' || behavior.endsWith('after')
      const key = `${database} ${row}`
      if (isAdded) added.set(key, (added.get(key) ?? 0) + 1)
      await nextTurn()
      if (behavior !== 'add') throw failures[behavior]()
      return { id: BigInt(1000 + row), ...pet }
    }

    let failure: Failure | undefined
    try {
      const options = {
        ...plan,
        path: paths[inputName],
        stdin: Readable.from([Buffer.from(content)]),
        interruption: interruption.signal,
        protectedFiles: [],
        notice: async () => {},
        makeJournals: async () => journals,
        sending: {
          retries: plan.retries,
          connect: async () => ({ client: { addPet }, service: `the local database ${database}` }),
          files: files.operations,
          clock: fastClock()
        }
      }
      const imported = await openImport(options)
      try {
        for await (const batch of imported.batches()) if (!isKilled) results.push(...batch)
      } finally {
        await imported.close()
      }
      failure = imported.reason
    } catch (error) {
      if (!isKilled && !(error instanceof Failure)) throw error
      failure = error instanceof Failure ? error : undefined
    }
    const left = journal()
    if (isKilled && plan.powerCut !== undefined) files.losePowerAt(left, plan.powerCut)
    return { results, failure: isKilled ? undefined : failure, wasKilled: isKilled, sent }
  }

  return {
    rowCount,
    timesAdded: (database, row) => added.get(`${database} ${row}`) ?? 0,
    run,
    journal,
    lastDatabase: () => lastDatabase,
    replaceInput,
    async runWithOtherContent(plan) {
      appendFileSync(path, '{"name":"another row","categoryId":1}\n')
      const report = await run(plan)
      replaceInput()
      return report
    },
    reset(database) {
      for (const key of [...added.keys()]) if (key.startsWith(database)) added.delete(key)
      // Links to the journal stay: they lead nowhere.
      const journal = journalOf.get(database)
      if (journal !== undefined) rmSync(journal, { force: true })
      journalOf.delete(database)
    }
  }
}

const petOf = (row: number) => ({ name: `pet ${row}`, categoryId: row })

const failures: Readonly<Record<Exclude<Behavior, 'add'>, () => Failure>> = {
  reject: () => new Failure('rejected', 'rejected', { status: 422 }),
  'limit the rate': () =>
    new Failure('service', 'too many requests', { status: 429, isRetryable: true }),
  'Retry-After': () =>
    new Failure('service', 'overloaded', { status: 503, isRetryable: true, waitSeconds: 2 }),
  'fail before': () => new Failure('in-doubt', 'failed', { status: 500 }),
  'fail after': () => new Failure('in-doubt', 'failed', { status: 502 }),
  'bare 503': () => new Failure('in-doubt', 'overloaded', { status: 503 }),
  'drop before': () => new Failure('in-doubt', 'lost'),
  'drop after': () => new Failure('in-doubt', 'lost'),
  'refuse the connection': () => new Failure('unreachable', 'refused', { isRetryable: true })
}

/** Whether the failure leaves open if the pet was added. */
export const leavesDoubt = (behavior: Behavior) =>
  failures[behavior as 'reject']?.().code === 'in-doubt'

/** The real operations. The process can be killed at each of them. */
function journalFiles(step: (half?: () => Promise<unknown>) => Promise<void>) {
  let size = 0
  let synchronized = Number.POSITIVE_INFINITY
  const operations: JournalFiles = {
    ...realFiles,
    async open(path, flags) {
      await step()
      const file = await realFiles.open(path, flags)
      size = statSync(path).size
      synchronized = size
      return file
    },
    async append(file, bytes) {
      const half = bytes.subarray(0, bytes.length / 2)
      await step(() => realFiles.append(file, half))
      await realFiles.append(file, bytes)
      size += bytes.length
    },
    async synchronize(file) {
      await step()
      await realFiles.synchronize(file)
      synchronized = size
    },
    async truncate(file, length) {
      await step()
      await realFiles.truncate(file, length)
    },
    async create(path, text) {
      await step()
      await realFiles.create(path, text)
    }
  }
  return {
    operations,
    /** Removes a part of the unsynchronized bytes. */
    losePowerAt(journal: string | undefined, share: number) {
      const all = journal === undefined ? 0 : statSync(journal).size
      if (journal === undefined || all <= synchronized) return
      truncateSync(journal, synchronized + Math.floor((all - synchronized) * share))
    }
  }
}

/** Waits take no time. */
function fastClock(): Clock {
  let now = 0
  return {
    now() {
      now += 0.1
      return now
    },
    after(milliseconds, call) {
      const timer = setImmediate(() => {
        now += milliseconds
        call()
      })
      return () => clearImmediate(timer)
    }
  }
}
