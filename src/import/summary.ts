import { duration, grouped, plural } from '../text/quantities.ts'
import { rangesOf, rangeText } from './line-ranges.ts'
import type { NextStep } from './next-step.ts'
import { type Counts, rowOutcomes } from './results.ts'
import type { Import } from './run.ts'

/** The line that ends an import: `302 rows: 2 added to production, 300 skipped in 0.4 s`. */
export function summaryText(run: Import, seconds: number, next?: NextStep): string {
  const { rows, tally, options } = run
  const { added, known, changed } = tally.counts
  const where = options.check ? '' : ` to ${options.place?.environment}`
  const counts = countsIn(tally.counts).replace('added', `added${where}`)
  const all = plural(rows, 'row')
  const isAnyHeld = known + changed > 0
  const time = added > 0 ? ` in ${duration(seconds)}` : ''
  return [
    tally.finished === rows ? all : `${grouped(tally.finished)} of ${all}`,
    `: ${counts || 'nothing sent'}`,
    isAnyHeld ? ', not sent' : time,
    next === undefined ? '' : `. ${next.advice}`
  ].join('')
}

/** The summary for programs. */
export function summaryValue({ tally, rows, plan, options }: Import, next?: NextStep) {
  const { valid, ...counts } = tally.counts
  const lines = Object.entries(tally.lines).filter(([, all]) => all.length > 0)
  return {
    ...counts,
    valid: options.check ? valid : undefined,
    lines:
      lines.length > 0
        ? Object.fromEntries(
            lines.map(([kind, all]) => [kind, rangesOf(all).map(rangeText).join()])
          )
        : undefined,
    rows,
    journal: plan?.path,
    next: next?.command
  }
}

/** The rows that were not added, or are not valid; empty if there are none. */
export function problemsOf({ tally }: Import): string {
  const { rejected, invalid, doubtful, known, changed } = tally.counts
  return countsIn({ known, changed, doubtful, rejected, invalid })
}

/** `4,990 added, 10 skipped`: every outcome that occurred; empty if there is none. */
function countsIn(counts: Partial<Counts>) {
  const all = rowOutcomes.map(outcome => [counts[outcome] ?? 0, outcome] as const)
  const found = all.filter(([count]) => count > 0)
  return found.map(([count, outcome]) => `${grouped(count)} ${outcome}`).join(', ')
}
