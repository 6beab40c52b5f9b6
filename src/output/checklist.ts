import type { Style } from './style.ts'
import { visibleLine } from './visible.ts'

/** What was checked, and the result. */
export type ChecklistRow = Readonly<{
  check: string
  state: 'ok' | 'warning' | 'problem' | 'skipped'
  detail: string
  advice: string | null
  milliseconds: number | null
}>

/** A line each. No line is cut, because the advice is at its end. */
export function renderChecklist(rows: readonly ChecklistRow[], style: Style): string {
  const marks = {
    ok: style.good('✓'),
    warning: style.waiting('!'),
    problem: style.error('✗'),
    skipped: style.past('-'),
  }
  const width = Math.max(...rows.map(({ check }) => check.length))
  return rows
    .map(({ check, state, detail, advice, milliseconds }) => {
      const time = milliseconds === null ? '' : ` (${milliseconds} ms)`
      const toDo = advice === null ? '' : `; to do: ${visibleLine(advice)}`
      return `${marks[state]} ${check.padEnd(width)}  ${visibleLine(detail)}${time}${toDo}\n`
    })
    .join('')
}
