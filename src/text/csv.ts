/** A line without its end. Cells have quotes also for the separators of other programs. */
export function csvLine(cells: readonly string[], separator: string): string {
  const quotedCells = cells.map(quoted)
  return quotedCells.join(separator)
}

function quoted(text: string) {
  if (!/[",;\t\r\n]/.test(text)) return text
  const doubled = text.replaceAll('"', '""')
  return `"${doubled}"`
}
