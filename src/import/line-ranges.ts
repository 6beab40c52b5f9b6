/** From the first to the last line, both included. */
export type LineRange = readonly [first: number, end: number]

/** Adds a line to ranges in ascending order; neighbors become one range. */
export function addLine(ranges: LineRange[], line: number): void {
  const after = ranges.findLastIndex(([first]) => first <= line)
  const [first, end] = ranges[after] ?? [0, Number.NEGATIVE_INFINITY]
  if (line <= end) return
  const next = ranges[after + 1]
  const isAfter = end + 1 === line
  const isBefore = next?.[0] === line + 1
  const range: LineRange = [isAfter ? first : line, isBefore && next ? next[1] : line]
  const begin = isAfter ? after : after + 1
  ranges.splice(begin, Number(isAfter) + Number(isBefore), range)
}

/** `7,2520-2569` */
export function rangesText(ranges: readonly LineRange[]): string {
  return ranges.map(([first, end]) => (first === end ? `${first}` : `${first}-${end}`)).join()
}

/** Undefined if the text has another form. */
export function readRanges(text: string): readonly LineRange[] | undefined {
  const parts = text.split(',').map(part => /^([1-9]\d{0,14})(?:-([1-9]\d{0,14}))?$/.exec(part))
  const ranges: LineRange[] = []
  for (const part of parts) {
    if (part === null) return undefined
    const [, first = '', end = first] = part
    if (Number(end) < Number(first)) return undefined
    ranges.push([Number(first), Number(end)])
  }
  return ranges
}

export function areIn(ranges: readonly LineRange[], line: number): boolean {
  return ranges.some(([first, end]) => first <= line && line <= end)
}
