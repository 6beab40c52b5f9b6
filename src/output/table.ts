import stringWidth from 'string-width'
import { isExactNumber } from '../model/json.ts'
import { visibleLine } from '../model/visible.ts'
import { cellText } from './text-formats.ts'
import type { Paint, Renderer, Row, Style, View } from './view.ts'

const gap = '  '
const narrowestText = 3

export function renderTable(
  rows: readonly Row[],
  { columns: names, width, style }: Pick<View, 'columns' | 'width' | 'style'>
): string {
  const columns = names.map(name => {
    const texts = rows.map(row => marked(visibleLine(cellText(row, name))))
    const widest = Math.max(...[name, ...texts].map(text => stringWidth(text)))
    const values = rows.flatMap(row => row[name] ?? [])
    return { name, texts, isNumeric: values.length > 0 && values.every(isNumber), widest }
  })
  const widths = fitted(columns, width)
  const line = (cells: readonly string[], paint: (name: string, text: string) => Paint) =>
    cells
      .map((cell, index) => {
        const { name = '', isNumeric } = columns[index] ?? {}
        const text = truncate(cell, widths[index] ?? 0)
        const pad = ' '.repeat(Math.max(0, (widths[index] ?? 0) - stringWidth(text)))
        const painted = paint(name, text)(text)
        return isNumeric ? pad + painted : painted + pad
      })
      .join(gap)
      .trimEnd()
  const lines = rows.map((_, index) =>
    line(
      columns.map(({ texts }) => texts[index] ?? ''),
      (name, text) => paintOf(name, text, style)
    )
  )
  return `${[line(names, () => style.header), ...lines].join('\n')}\n`
}

export const tableRenderer: Renderer = { list: renderTable }

const marks: Readonly<Record<string, string>> = { true: '✓', false: '✗' }
const marked = (text: string) => marks[text] ?? text

const isNumber = (value: unknown) =>
  typeof value === 'bigint' || typeof value === 'number' || isExactNumber(value)

interface Column {
  readonly isNumeric: boolean
  readonly widest: number
}

/** Cuts the widest texts until the table fits; a number that is cut looks like another number. */
function fitted(columns: readonly Column[], width: number | undefined): number[] {
  const widths = columns.map(({ widest }) => widest)
  if (width === undefined) return widths
  const room = width - gap.length * (columns.length - 1)
  const isCut = (_: number, index: number) => columns[index]?.isNumeric === false
  while (widths.reduce((sum, one) => sum + one, 0) > room) {
    const widest = Math.max(...widths.filter(isCut))
    if (widest <= narrowestText) break
    widths[widths.findIndex((one, index) => one === widest && isCut(one, index))] = widest - 1
  }
  return widths
}

/** A visible character is never split. */
export function truncate(text: string, width: number): string {
  if (stringWidth(text) <= width) return text
  let shown = ''
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    if (stringWidth(shown + segment) >= width) break
    shown += segment
  }
  return `${shown}…`
}

const colors: Readonly<Record<string, keyof Style>> = {
  '✓': 'good',
  '✗': 'error',
  available: 'good',
  pending: 'waiting',
  queued: 'waiting',
  sold: 'past'
}

function paintOf(name: string, text: string, style: Style): Paint {
  const color = name === 'status' || text.length === 1 ? colors[text] : undefined
  return color === undefined ? cell => cell : style[color]
}
