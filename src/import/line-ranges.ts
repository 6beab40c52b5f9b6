/** From the first to the last line, both included. */
export type LineRange = readonly [first: number, end: number]
const everyLine: LineRange = [1, Number.POSITIVE_INFINITY]

/** The ranges of these lines, in ascending order. */
export function rangesOf(lines: readonly number[]): LineRange[] {
  const ranges: [first: number, end: number][] = []
  for (const line of lines.toSorted((one, other) => one - other)) {
    const last = ranges.at(-1)
    if (last?.[1] === line - 1) last[1] = line
    else ranges.push([line, line])
  }
  return ranges
}

/** `7,2520-2569` */
export function rangesText(ranges: readonly LineRange[]): string {
  const texts = ranges.map(([first, end]) => {
    if (first === end) return first
    return `${first}-${end}`
  })
  return texts.join()
}

/** Undefined if the text has another form. */
export function readLines(text: string): readonly LineRange[] | undefined {
  if (text === 'all') return [everyLine]
  const ranges = text.split(',').map((part): LineRange => {
    const [, from, to = from] = rangeForm.exec(part) ?? []
    return [Number(from), Number(to)]
  })
  // Also false for what is no number.
  return ranges.every(([first, end]) => first <= end) ? ranges : undefined
}

const rangeForm = /^([1-9]\d{0,14})(?:-([1-9]\d{0,14}))?$/

export function areIn(ranges: readonly LineRange[], line: number): boolean {
  return ranges.some(([first, end]) => first <= line && line <= end)
}
