import { duration, grouped, plural } from '../model/quantities.ts'
import type { NextStep } from './next-step.ts'
import { type Counts, rowOutcomes } from './results.ts'
import { type SendableRow, unitOf } from './rows.ts'
import type { Import } from './run.ts'

/** The line that ends an import, for people. */
export function summaryText(run: Import, seconds: number, next?: NextStep): string {
  const { counts, doubtful } = run.tally
  const sent = counts.added + counts.rejected
  const isMeasured = sent > 0 && seconds > 0
  const parts = [
    formatCounts(counts) || '0 added',
    run.reason === undefined ? '' : ` of ${plural(run.rows, 'row')}`,
    ` in ${duration(seconds)}`,
    isMeasured ? ` (${plural(Math.round(sent / seconds), 'row')} per second)` : '',
    doubtful.length > 0 ? ` (doubtful: ${placesOf(doubtful, unitOf(run.input.format))})` : '',
    next === undefined ? '' : `; ${next.advice}`,
    next?.command === undefined ? '' : `: ${next.command}`
  ]
  return parts.join('')
}

/** The same for programs. */
export function summaryValue({ tally, rows, journal }: Import, next?: NextStep) {
  const { valid: _, ...outcomes } = tally.counts
  return {
    ...outcomes,
    doubtfulLines: numbersOf(tally.doubtful),
    rows,
    journal: journal?.path,
    next: next?.command
  }
}

function numbersOf(rows: readonly SendableRow[]): number[] {
  return rows.map(({ raw }) => raw.number)
}

const mostPlaces = 10

/** `lines 7, 19`; `element 7`; `lines 1, 2, … and 12 more` */
function placesOf(rows: readonly SendableRow[], unit: string): string {
  const named = rows.slice(0, mostPlaces)
  const left = rows.length - named.length
  const units = rows.length === 1 ? unit : `${unit}s`
  const places = `${units} ${numbersOf(named).join(', ')}`
  return left === 0 ? places : `${places} and ${grouped(left)} more`
}

/** `4,990 added, 10 skipped`: every outcome that occurred; empty if there is none. */
export function formatCounts(counts: Partial<Counts>): string {
  const parts: string[] = []
  for (const outcome of rowOutcomes) {
    const count = counts[outcome] ?? 0
    if (count > 0) parts.push(`${grouped(count)} ${outcome}`)
  }
  return parts.join(', ')
}
