import type { Result } from '../model/results.ts'
import { visibleLine } from '../model/visible.ts'
import type { View } from './view.ts'
import { brokenInto } from './width.ts'

/** One check and its result. A problem stops a command; a warning does not, or not yet. */
export type ChecklistRow = Readonly<Result<'check'>>

const nameGap = '  '

/** The narrowest column of details that is of use. */
const narrowestDetails = 20

/**
 * One line for each row. In a terminal, a long line continues indented, and what to do is a line of
 * its own, which is never broken: it can be copied as one line.
 */
export function renderChecklist(
  rows: readonly ChecklistRow[],
  { style, width }: Pick<View, 'style' | 'width'>,
): string {
  const marks = {
    ok: style.good('✓'),
    warning: style.waiting('!'),
    problem: style.error('✗'),
    skipped: style.past('-'),
  }
  const nameWidth = Math.max(...rows.map(({ check }) => check.length))
  const indent = ' '.repeat('✓ '.length + nameWidth + nameGap.length)
  const lines = rows.flatMap(({ check, state, detail, advice }) => {
    const name = check.padEnd(nameWidth)
    const head = `${marks[state]} ${name}${nameGap}`
    const text = visibleLine(detail)
    const toDo = advice === null ? [] : [`to do: ${visibleLine(advice)}`]
    if (width === undefined) return head + [text, ...toDo].join('; ')
    const detailsWidth = Math.max(width - indent.length, narrowestDetails)
    const [first, ...rest] = [...brokenInto(text, detailsWidth), ...toDo]
    return [`${head}${first}`, ...rest.map((line) => indent + line)]
  })
  return lines.map((line) => `${line}\n`).join('')
}
