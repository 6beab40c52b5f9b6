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
  { style, width }: Pick<View, 'style' | 'width'>
): string {
  const marks = {
    ok: style.good('✓'),
    warning: style.waiting('!'),
    problem: style.error('✗'),
    skipped: style.past('-')
  }
  const nameWidth = Math.max(...rows.map(({ check }) => check.length))
  const indent = ' '.repeat('✓ '.length + nameWidth + nameGap.length)
  const detailsWidth = width && Math.max(width - indent.length, narrowestDetails)
  const blocks = rows.map(({ check, state, detail, advice }) => {
    const name = check.padEnd(nameWidth)
    const text = visibleLine(detail)
    const toDo = advice === null ? [] : [`to do: ${visibleLine(advice)}`]
    const shown =
      detailsWidth === undefined
        ? [text, ...toDo].join('; ')
        : [...brokenInto(text, detailsWidth), ...toDo].join(`\n${indent}`)
    return `${marks[state]} ${name}${nameGap}${shown}\n`
  })
  return blocks.join('')
}
