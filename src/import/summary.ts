import { duration, grouped, plural } from '../text/quantities.ts'
import { rangesOf, rangeText } from './line-ranges.ts'
import type { NextStep } from './next-step.ts'
import { type Counts, heldOutcomes, rowOutcomes } from './results.ts'
import type { Import } from './run.ts'

/** The line that ends an import, for people: `302 rows: 2 added to production, 300 skipped in 0.4 s`. */
export function summaryText(run: Import, seconds: number, next?: NextStep): string {
  const { rows, tally, options } = run
  const { added, known, changed } = tally.counts
  const where = options.check ? '' : ` to ${options.place?.environment}`
  const counts = countsIn(tally.counts).join(', ').replace(/added/, `added${where}`)
  const all = plural(rows, 'row')
  const parts = [
    tally.finished === rows ? all : `${grouped(tally.finished)} of ${all}`,
    `: ${counts || 'nothing sent'}`,
    known + changed > 0 ? ', not sent' : '',
    added > 0 ? ` in ${duration(seconds)}` : '',
    next === undefined ? '' : `. ${next.advice}`
  ]
  return parts.join('')
}

/** The summary for programs. */
export function summaryValue({ tally, rows, plan, options }: Import, next?: NextStep) {
  const { valid, ...counts } = tally.counts
  const lines = heldOutcomes.map(held => {
    return [held, rangesOf(tally.lines[held]).map(rangeText).join() || undefined]
  })
  return {
    ...counts,
    valid: options.check ? valid : undefined,
    lines: Object.fromEntries(lines),
    rows,
    journal: plan?.path,
    next: next?.command
  }
}

/** The rows that were not added, or are not valid; empty if there are none. */
export function problemsOf({ tally }: Import): string {
  const { rejected, invalid, doubtful, known, changed } = tally.counts
  return countsIn({ known, changed, doubtful, rejected, invalid }).join(', ')
}

/** `4,990 added`, `10 skipped`: every outcome that occurred. */
function countsIn(counts: Partial<Counts>) {
  return rowOutcomes.flatMap(outcome => {
    const count = counts[outcome] ?? 0
    return count > 0 ? [`${grouped(count)} ${outcome}`] : []
  })
}
