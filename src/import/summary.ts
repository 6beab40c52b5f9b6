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
  const perSecond = plural(Math.round(sent / seconds), 'row')
  const parts = [
    rowOutcomes.some((outcome) => counts[outcome] > 0) ? formatCounts(counts) : '0 added',
    isWhole ? '' : ` of ${plural(rows, 'row')}`,
    ` in ${duration(seconds)}`,
    sent > 0 && seconds > 0 ? ` (${perSecond} per second)` : '',
    doubtful.length > 0 ? ` (doubtful: ${placesOf(doubtful, unit)})` : '',
    next === undefined ? '' : `; ${next.text}`,
  ]
  return parts.join('')
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
  return `${problems}; look whether these pets are there, then use --accept-doubtful or --resend-doubtful with their numbers`
}
