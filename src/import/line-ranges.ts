/** From the first to the last line, both included. */
export type LineRange = readonly [first: number, end: number]

/** Adds a line to ranges in ascending order; neighbors become one range. */
export function addLine(ranges: LineRange[], line: number): void {
  const index = ranges.findLastIndex(([first]) => first <= line)
  const before = ranges[index]
  const after = ranges[index + 1]
  if (before !== undefined && line <= before[1]) return
  const joinsBefore = before?.[1] === line - 1
  const joinsAfter = after?.[0] === line + 1
  const first = joinsBefore ? before[0] : line
  const end = joinsAfter ? after[1] : line
  const start = joinsBefore ? index : index + 1
  const replaced = Number(joinsBefore) + Number(joinsAfter)
  ranges.splice(start, replaced, [first, end])
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
