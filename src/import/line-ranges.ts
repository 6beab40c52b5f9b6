/** From the first to the last line, both included. */
export type LineRange = readonly [first: number, end: number]

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
  return ranges.map(([first, end]) => (first === end ? `${first}` : `${first}-${end}`)).join()
}

/** Undefined if the text has another form. */
export function readRanges(text: string): readonly LineRange[] | undefined {
  const ranges: LineRange[] = []
  for (const part of text.split(',')) {
    const [, first, end = first] = rangeForm.exec(part) ?? []
    if (first === undefined) return undefined
    const range: LineRange = [Number(first), Number(end)]
    if (range[1] < range[0]) return undefined
    ranges.push(range)
  }
  return ranges
}

const rangeForm = /^([1-9]\d{0,14})(?:-([1-9]\d{0,14}))?$/

export function areIn(ranges: readonly LineRange[], line: number): boolean {
  return ranges.some(([first, end]) => first <= line && line <= end)
}
