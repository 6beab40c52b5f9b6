/** A line without its end. Cells have quotes also for the separators of other programs. */
export function csvLine(cells: readonly string[], separator: string): string {
  return cells.map(quoted).join(separator)
}

function quoted(text: string) {
  if (!/[",;\t\r\n]/.test(text)) return text
  return `"${text.replaceAll('"', '""')}"`
}
