import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { type RunningCli, startCli } from '../../support/spawn-cli.ts'
import { temporaryDirectory } from '../../support/temp.ts'
import { petsIn, readStderr } from './cases.ts'

/** An import that can run several times: its input and the files that its runs create. */
export interface ImportJob {
  readonly rows: readonly string[]
  readonly home: string
  readonly argv: readonly string[]
  journal(): string
  readonly rejects: string
}

interface ImportOptions {
  readonly concurrency?: number
  /** One row in this many is invalid. */
  readonly invalidEvery?: number
  /** The name of one row in this many contains "refused". */
  readonly refusedEvery?: number
  /** Whether the rows are piped in, and the journal is not named. */
  readonly isPiped?: boolean
}

interface RowEvent {
  readonly line: number
  readonly outcome: 'added' | 'skipped' | 'rejected' | 'invalid' | 'doubtful'
  readonly id?: string
}

interface Counts extends Readonly<Record<RowEvent['outcome'], number>> {
  readonly inDatabase: number
}

/** Writes the input of an import. Each row has a unique name. */
export function createImport(count: number, options: ImportOptions = {}): ImportJob {
  const {
    concurrency = 8,
    invalidEvery = Infinity,
    refusedEvery = Infinity,
    isPiped = false
  } = options
  const home = temporaryDirectory()
  const rows = Array.from({ length: count }, (_, index) => {
    const line = index + 1
    if (line % invalidEvery === 0) return `{"name":"${nameOf(line)}","categoryId":"none"}`
    const name = line % refusedEvery === 0 ? `refused ${nameOf(line)}` : nameOf(line)
    return `{"name":"${name}","categoryId":${line}}`
  })
  const at = (name: string) => join(home, name)
  writeFileSync(at('pets.ndjson'), `${rows.join('\n')}\n`)
  const places = isPiped ? ['-'] : [at('pets.ndjson'), '--journal', at('journal')]
  const pace = ['--rejects', at('rejects.ndjson'), '--concurrency', String(concurrency)]
  return {
    rows,
    home,
    argv: ['pets', 'import', ...places, ...pace, '-o', 'ndjson'],
    journal: () => (isPiped ? onlyJournal(at('.config/petstore/journals')) : at('journal')),
    rejects: at('rejects.ndjson')
  }
}

function onlyJournal(directory: string): string {
  const files = readdirSync(directory, { withFileTypes: true }).filter(file => file.isFile())
  const [name = '', ...others] = files
    .map(file => file.name)
    .filter(file => file.endsWith('.journal'))
  expect(others).toEqual([])
  return join(directory, name)
}

/** The command line with another value of an option that it has. */
export function withValue(argv: readonly string[], option: string, value: string): string[] {
  return argv.with(argv.indexOf(option) + 1, value)
}

/** Starts the import, run by the command in `under`. */
export function startImport(
  job: ImportJob,
  env: Readonly<Record<string, string>>,
  under: readonly string[] = []
): RunningCli {
  return startCli(job.argv, { home: job.home, env, under })
}

/** Resolves when the run has reported this many rows. Rejects if it ends before. */
export function hasFinished(running: RunningCli, count: number): Promise<void> {
  return running.printed('stdout', new RegExp(`^(?:.*\n){${count}}`))
}

interface ImportEnd extends Counts {
  readonly code: number | null
  readonly message: string | undefined
  /** The number of rows whose outcome a later run does not change. */
  readonly finished: number
}

/** Waits for the end of a run, and audits its rows. */
export async function endOfImport(
  job: ImportJob,
  running: RunningCli,
  database: string
): Promise<ImportEnd> {
  const { code, stdout, stderr } = await running.finished
  const counts = audit(job, stdout, database)
  const message = readStderr(stderr).error?.message
  return { code, message, ...counts, finished: counts.added + counts.skipped + counts.doubtful }
}

/**
 * Compares the records of an import after a run: the events of the last run, the journal, the
 * rejects and the service's database. A doubtful row may be in the database once or not at all.
 * Everything else must agree.
 */
function audit(job: ImportJob, stdout: string, database: string): Counts {
  const events = eventsOf(stdout)
  const pets = petsIn(database)
  const journal = readJournal(job.journal())
  const byLine = new Map(events.map(event => [event.line, event]))
  expect(byLine.size, 'one event for each row').toBe(events.length)

  const known = new Set(job.rows.map(nameIn))
  expect([...pets].filter(([name, ids]) => ids.length > 1 || !known.has(name))).toEqual([])

  const wrong = job.rows.flatMap((row, index) => {
    const line = index + 1
    const [event, entry] = [byLine.get(line), journal.get(line)]
    const [id] = pets.get(nameIn(row)) ?? []
    return isConsistent(event, entry, id) ? [] : [{ line, event, entry, id }]
  })
  expect(wrong).toEqual([])

  const failed = events.filter(({ outcome }) => outcome === 'rejected' || outcome === 'invalid')
  const rejected = readFileSync(job.rejects, 'utf8').split('\n').slice(0, -1)
  expect(rejected.sort()).toEqual(failed.map(({ line }) => job.rows[line - 1]).sort())

  const count = (outcome: RowEvent['outcome']) =>
    events.filter(event => event.outcome === outcome).length
  return {
    added: count('added'),
    skipped: count('skipped'),
    rejected: count('rejected'),
    invalid: count('invalid'),
    doubtful: count('doubtful'),
    inDatabase: pets.size
  }
}

interface JournalEntry {
  readonly letter: string
  readonly id: string | undefined
}

/** Whether the event of a row, the last entry of the journal and the database agree. */
function isConsistent(
  event: RowEvent | undefined,
  entry: JournalEntry | undefined,
  id: string | undefined
): boolean {
  // If this run ended early, a row that an earlier run added has an entry but no event.
  if (entry?.letter === 'a' && entry.id !== id) return false
  switch (event?.outcome) {
    case 'added':
      return entry?.letter === 'a' && id !== undefined && event.id === id
    case 'skipped':
      return entry?.letter === 'a' && id !== undefined
    case 'doubtful':
      return entry?.letter === 'd' || entry?.letter === 'i'
    case 'rejected':
    case 'invalid':
      return id === undefined && (entry === undefined || entry.letter === 'f')
    case undefined:
      return id === undefined || (entry !== undefined && entry.letter !== 'f')
  }
}

function eventsOf(stdout: string): RowEvent[] {
  const lines = stdout.split('\n').slice(0, -1)
  return lines.map(line => {
    const { id, ...event } = JSON.parse(line)
    return id === undefined ? event : { ...event, id: String(id) }
  })
}

/** The last entry of each row. */
function readJournal(path: string): Map<number, JournalEntry> {
  const lines = readFileSync(path, 'utf8').matchAll(/^([iafd]) (\d+)(?: (\d+))?.*$/gm)
  return new Map([...lines].map(([, letter = '', line, id]) => [Number(line), { letter, id }]))
}

const nameOf = (line: number) => `pet ${line}`
const nameIn = (row: string): string => JSON.parse(row).name
