import { duration, grouped, plural } from '../model/quantities.ts'
import type { ImportSummary } from '../model/results.ts'
import type { NextStep } from './next-step.ts'
import { type Counts, type RunFacts, rowOutcomes } from './results.ts'
import type { SendableRow } from './rows.ts'

/** The line that ends an import, for people. */
export function summaryText(
  { counts, doubtful, unit, rows, seconds, isWhole }: RunFacts,
  next?: NextStep,
): string {
  const sent = counts.added + counts.rejected
  let text = formatCounts(counts, '0 added')
  if (!isWhole) text += ` of ${plural(rows, 'row')}`
  text += ` in ${duration(seconds)}`
  if (sent > 0 && seconds > 0) text += ` (${plural(Math.round(sent / seconds), 'row')} per second)`
  if (doubtful.length > 0) text += ` (doubtful: ${placesOf(doubtful, unit)})`
  if (next !== undefined) text += `; ${next.text}`
  return text
}

/** The same for programs. */
export function summaryValue(
  { counts, doubtful, rows }: Pick<RunFacts, 'counts' | 'doubtful' | 'rows'>,
  next?: NextStep,
  journal?: string,
): ImportSummary {
  const { valid: _, ...outcomes } = counts
  const doubtfulLines = doubtful.map(({ raw }) => raw.number)
  return { ...outcomes, doubtfulLines, rows, journal, next: next?.command }
}

const mostPlaces = 10

/** `lines 7, 19`; `element 7`; `lines 1, 2, … and 12 more` */
function placesOf(rows: readonly SendableRow[], unit: string): string {
  const numbers = rows.slice(0, mostPlaces).map(({ raw }) => raw.number)
  const units = rows.length === 1 ? unit : `${unit}s`
  const places = `${units} ${numbers.join(', ')}`
  const left = rows.length - numbers.length
  return left === 0 ? places : `${places} and ${grouped(left)} more`
}

/** `4,990 added, 10 skipped`: every outcome that occurred. */
export function formatCounts(counts: Readonly<Counts>, none: string): string {
  const parts = rowOutcomes
    .filter((outcome) => counts[outcome] > 0)
    .map((outcome) => `${grouped(counts[outcome])} ${outcome}`)
  return parts.length === 0 ? none : parts.join(', ')
}

/** `3 rows were rejected, 1 is invalid`; undefined if there are no such rows. */
export function describeProblems(counts: Readonly<Counts>): string | undefined {
  const parts: string[] = []
  const add = (count: number, one: string, many: string) => {
    if (count === 0) return
    const quantity = parts.length === 0 ? plural(count, 'row') : grouped(count)
    parts.push(`${quantity} ${count === 1 ? one : many}`)
  }
  add(counts.rejected, 'was rejected', 'were rejected')
  add(counts.invalid, 'is invalid', 'are invalid')
  add(counts.doubtful, 'is doubtful', 'are doubtful')
  if (parts.length === 0) return undefined
  const problems = parts.join(', ')
  if (counts.doubtful === 0) return problems
  return `${problems}; look whether these pets are there, then use --accept-doubtful or --resend-doubtful with their numbers`
}
