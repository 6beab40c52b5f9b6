/** From the first to the last line, both included. */
export interface LineRange {
  readonly first: number
  readonly last: number
}

/** The ranges of these lines, in ascending order. */
export function rangesOf(lines: readonly number[]): LineRange[] {
  const ranges: { first: number; last: number }[] = []
  for (const line of lines.toSorted((one, other) => one - other)) {
    const before = ranges.at(-1)
    if (before?.last === line - 1) before.last = line
    else ranges.push({ first: line, last: line })
  }
  return ranges
}

/** `7`, `2520-2569` */
export function rangeText({ first, last }: LineRange): string {
  return first === last ? String(first) : `${first}-${last}`
}

/** Ranges separated by commas. Undefined if the text has another form. */
export function readLines(text: string): readonly LineRange[] | undefined {
  const ranges = text.split(',').map(readRange)
  // Also false for what is no number.
  return ranges.every(({ first, last }) => first <= last) ? ranges : undefined
}

const rangeForm = /^([1-9]\d{0,14})(?:-([1-9]\d{0,14}))?$/

function readRange(text: string): LineRange {
  const [, from, to = from] = rangeForm.exec(text) ?? []
  return {
    first: Number(from),
    last: Number(to)
  }
}
