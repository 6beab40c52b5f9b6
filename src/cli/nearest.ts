/**
 * Longer words are no typing errors, and comparing them takes a time that grows with the square of
 * their length.
 */
const longestWord = 40

/** The candidate that a misspelled text most likely means; undefined if none is close. */
export function nearest(text: string, candidates: readonly string[]): string | undefined {
  if (text.length > longestWord) return undefined
  const typed = text.toLowerCase()
  let closest: string | undefined
  let leastDistance = Number.POSITIVE_INFINITY
  for (const candidate of candidates) {
    const distance = editDistance(typed, candidate.toLowerCase())
    const longerLength = Math.max(typed.length, candidate.length)
    const isNear = distance <= Math.floor(longerLength / 3)
    if (isNear && distance < leastDistance) {
      closest = candidate
      leastDistance = distance
    }
  }
  return closest ?? onlyBeginning(typed, candidates)
}

/** `production` for `prod`, if no other candidate begins so. */
function onlyBeginning(typed: string, candidates: readonly string[]): string | undefined {
  const letters = typed.replace(/^-+/, '')
  if (letters.length < 3) return undefined
  const longer = candidates.filter(candidate => candidate.toLowerCase().startsWith(typed))
  return longer.length === 1 ? longer[0] : undefined
}

/** How many letters have to be inserted, deleted, replaced or swapped with their neighbor. */
function editDistance(one: string, other: string): number {
  const letters = [...other]
  // Row i holds the distances from the first i letters of `one` to each beginning of `other`.
  let rowBeforeLast: number[] = []
  let lastRow = [0, ...letters.keys()].map((_, length) => length)
  let lastLetter: string | undefined
  for (const letter of one) {
    const row = [(lastRow[0] ?? 0) + 1]
    for (const [column, otherLetter] of letters.entries()) {
      const inserted = (row[column] ?? 0) + 1
      const deleted = (lastRow[column + 1] ?? 0) + 1
      const kept = lastRow[column] ?? 0
      const replaced = letter === otherLetter ? kept : kept + 1
      row.push(Math.min(inserted, deleted, replaced))
      const isSwap = letter === letters[column - 1] && lastLetter === otherLetter
      if (isSwap) {
        const swapped = (rowBeforeLast[column - 1] ?? 0) + 1
        row[column + 1] = Math.min(row[column + 1] ?? swapped, swapped)
      }
    }
    rowBeforeLast = lastRow
    lastRow = row
    lastLetter = letter
  }
  return lastRow.at(-1) ?? 0
}
