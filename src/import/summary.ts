import { duration, grouped, longDate, plural } from '../text/quantities.ts'
import { rangesOf, rangeText } from './line-ranges.ts'
import type { NextStep } from './next-step.ts'
import { type Counts, rowOutcomes } from './results.ts'
import type { Import } from './run.ts'

/** The line that ends an import, for people. */
export function summaryText(run: Import, seconds: number, next?: NextStep): string {
  const parts = [
    formatCounts(run.tally.counts) || '0 added',
    run.reason === undefined ? '' : ` of ${plural(run.rows, 'row')}`,
    ` in ${duration(seconds)}`,
    next === undefined ? '' : `; ${next.advice}`
  ]
  return parts.join('')
}

/** The same for programs. */
export function summaryValue({ tally, rows, journal }: Import, next?: NextStep) {
  const { valid: _, ...outcomes } = tally.counts
  const doubtfulLines = rangesOf(tally.doubtfulLines).map(rangeText).join()
  return {
    ...outcomes,
    doubtfulLines: doubtfulLines || undefined,
    rows,
    journal: journal?.path,
    next: next?.command
  }
}

/** The rows that were not added, or are not valid; empty if there are none. */
export function problemsOf({ tally }: Import): string {
  const { rejected, invalid, doubtful } = tally.counts
  return formatCounts({ rejected, invalid, doubtful })
}

/** `4,990 added, 10 skipped`: every outcome that occurred; empty if there is none. */
function formatCounts(counts: Partial<Counts>) {
  const parts: string[] = []
  for (const outcome of rowOutcomes) {
    const count = counts[outcome] ?? 0
    if (count > 0) parts.push(`${grouped(count)} ${outcome}`)
  }
  return parts.join(', ')
}

/** What earlier runs did; undefined if they added no row. */
export function beforeText({ before, rows }: Import): string | undefined {
  if (before === undefined) return undefined
  const { all, known, last } = before
  const { added } = known
  const gone = formatCounts({
    added: all.added - added,
    doubtful: all.doubtful - known.doubtful
  })
  if (added === 0 && gone === '') return undefined
  const date = longDate(new Date(last * 1000))
  const parts = [`added before, on ${date}: ${grouped(added)} of ${plural(rows, 'row')}`]
  if (gone !== '') parts.push(`no longer in the input: ${gone}`)
  return `${parts.join('; ')}; --restart adds every row again`
}
