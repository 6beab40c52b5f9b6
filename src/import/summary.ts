import { basename } from 'node:path'
import { duration, grouped, plural } from '../model/quantities.ts'
import type { ImportSummary } from '../model/results.ts'
import type { NewPet } from '../model/schema.ts'
import { commandLine, type HintOptions } from '../platform/shell.ts'
import { formatByName, type ImportFormat } from './format.ts'
import { type Counts, rowOutcomes } from './results.ts'
import type { SendableRow } from './rows.ts'

interface ImportCommand {
  /** Undefined for a pipe: no command line repeats it. */
  readonly path: string | undefined
  readonly environment: string
  readonly rejects?: string | undefined
  /** The command that was typed, for another file or with other options. */
  readonly retyped: (change: HintOptions, paths: readonly string[]) => string
}

/** What a run has done. */
export interface RunFacts {
  readonly counts: Readonly<Counts>
  readonly doubtful: readonly SendableRow[]
  /** What the number of a row counts: lines or elements. */
  readonly unit: string
  /** How many rows the input has. */
  readonly rows: number
  readonly seconds: number
  /** Whether every row was processed. */
  readonly isWhole: boolean
  /** Whether it ended at a row that ends it again, because it is still in the input. */
  readonly isStopped: boolean
  /** Whether the same command finds the journal again. */
  readonly isResumable: boolean
  /** Undefined if there are no rejects, or if they are kept nowhere. */
  readonly rejectsFormat: ImportFormat | undefined
}

/** What is left to do: in words that end with the command, if there is one. */
export interface NextStep {
  readonly text: string
  readonly command?: string
  /** What to do before that, for readers of the command alone. */
  readonly first?: string
}

/** A user may paste a hint unread, and each of these can send rows twice or lose them. */
const unsafe = {
  '--restart': undefined,
  '--resend-doubtful': undefined,
  '--accept-doubtful': undefined,
}

/** What to do after a run; undefined if there is nothing, or no way to do it. */
export function nextStep(command: ImportCommand, facts: RunFacts): NextStep | undefined {
  const { path, environment, rejects, retyped } = command
  const { counts, doubtful, isWhole, isStopped, isResumable, rejectsFormat } = facts
  const step = (text: string, line: string): NextStep => ({
    text: `${text}: ${line}`,
    command: line,
  })
  if (!isResumable) return undefined
  if (!isWhole) {
    const change = isStopped ? { ...unsafe, '--stop-on-error': undefined } : unsafe
    const purpose = isStopped ? 'for the other rows' : 'to resume'
    if (path !== undefined) return step(purpose, retyped(change, [path]))
    return {
      text: `${purpose}, run the same pipe again${isStopped ? ' without --stop-on-error' : ''}`,
    }
  }
  if (counts.doubtful > 0) {
    return step(
      'look whether they are there, then use --accept-doubtful or --resend-doubtful with their numbers',
      findPets(
        doubtful.map(({ pet }) => pet),
        environment,
      ),
    )
  }
  if (counts.rejected + counts.invalid === 0) return undefined
  if (rejects === undefined) {
    if (path === undefined)
      return { text: 'for a file of the rows to correct, run the same pipe again with --rejects' }
    const change = { ...unsafe, '--rejects': `rejects-${basename(path)}` }
    return step('for a file of the rows to correct', retyped(change, [path]))
  }
  if (rejectsFormat === undefined) return undefined
  const unlessByName = rejectsFormat === formatByName(rejects) ? undefined : rejectsFormat
  const change = {
    ...unsafe,
    '--format': unlessByName,
    '--journal': undefined,
    '--rejects': undefined,
  }
  return {
    ...step(`correct ${rejects}, then`, retyped(change, [rejects])),
    first: `correct the rows in ${rejects} first`,
  }
}

const mostPetsToFind = 10

/** The command that shows whether these pets exist, if the service has at most 100. */
function findPets(pets: readonly NewPet[], environment: string): string {
  const wanted = pets.map(({ name, categoryId }) => `[${JSON.stringify(name)},${categoryId}]`)
  const isReadable =
    pets.length <= mostPetsToFind && pets.every(({ name }) => !/[\p{C}\p{Zl}\p{Zp}]/u.test(name))
  const filter = isReadable
    ? `.[] | select([.name, .categoryId] | IN(${[...new Set(wanted)].join(', ')}))`
    : undefined
  return commandLine('petstore pets list', {
    options: { '--env': environment, '--limit': '100', '--jq': filter },
  })
}

/** The line that ends an import, for people. */
export function summaryText(
  { counts, doubtful, unit, rows, seconds, isWhole }: RunFacts,
  next?: NextStep,
): string {
  const sent = counts.added + counts.rejected
  const rate =
    sent > 0 && seconds > 0 ? ` (${plural(Math.round(sent / seconds), 'row')} per second)` : ''
  const processed = rowOutcomes.some((outcome) => counts[outcome] > 0)
    ? formatCounts(counts)
    : '0 added'
  const all = isWhole ? '' : ` of ${plural(rows, 'row')}`
  const where = doubtful.length === 0 ? '' : ` (doubtful: ${placesOf(doubtful, unit)})`
  return `${processed}${all} in ${duration(seconds)}${rate}${where}${next === undefined ? '' : `; ${next.text}`}`
}

/** The same for programs. */
export function summaryValue(
  { counts, doubtful, rows }: Pick<RunFacts, 'counts' | 'doubtful' | 'rows'>,
  next?: NextStep,
  journal?: string,
): ImportSummary {
  const { added, skipped, rejected, invalid } = counts
  const doubtfulLines = doubtful.map(({ raw }) => raw.number)
  const command = next?.command
  return {
    added,
    skipped,
    rejected,
    invalid,
    doubtful: counts.doubtful,
    doubtfulLines,
    rows,
    journal,
    next: command,
  }
}

const mostPlaces = 10

/** `lines 7, 19`; `element 7`; `lines 1, 2, … and 12 more` */
function placesOf(rows: readonly SendableRow[], unit: string): string {
  const numbers = rows.slice(0, mostPlaces).map(({ raw }) => raw.number)
  const more = rows.length > mostPlaces ? ` and ${grouped(rows.length - mostPlaces)} more` : ''
  return `${unit}${rows.length === 1 ? '' : 's'} ${numbers.join(', ')}${more}`
}

/** `4,990 added, 10 skipped`: every outcome that occurred. */
export function formatCounts(counts: Readonly<Counts>): string {
  const parts = rowOutcomes
    .filter((outcome) => counts[outcome] > 0)
    .map((outcome) => `${grouped(counts[outcome])} ${outcome}`)
  return parts.length === 0 ? 'no rows' : parts.join(', ')
}

/** `3 rows were rejected, 1 is invalid`; undefined if there are no such rows. */
export function describeProblems(counts: Readonly<Counts>): string | undefined {
  const parts = [
    [counts.rejected, 'was rejected', 'were rejected'],
    [counts.invalid, 'is invalid', 'are invalid'],
    [counts.doubtful, 'is doubtful', 'are doubtful'],
  ] as const
  const descriptions = parts
    .filter(([count]) => count > 0)
    .map(([count, one, many], index) => {
      const quantity = index === 0 ? plural(count, 'row') : grouped(count)
      return `${quantity} ${count === 1 ? one : many}`
    })
  if (descriptions.length === 0) return undefined
  const problems = descriptions.join(', ')
  if (counts.doubtful === 0) return problems
  const look =
    'look whether these pets are there (pets list shows them if the service has at most 100)'
  return `${problems}; ${look}, then use --accept-doubtful or --resend-doubtful with their numbers`
}
