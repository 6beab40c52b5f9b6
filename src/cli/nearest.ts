/**
 * Longer words are no typing errors, and comparing them takes a time that grows with the square of
 * their length.
 */
const longestWord = 40

/** The candidate that a misspelled text most likely means; undefined if none is close. */
export function nearest(text: string, candidates: readonly string[]): string | undefined {
  if (text.length > longestWord) return undefined
  const typed = text.toLowerCase()
  const near = candidates
    .map((candidate) => ({ candidate, distance: editDistance(typed, candidate.toLowerCase()) }))
    .filter(
      ({ candidate, distance }) =>
        distance <= Math.floor(Math.max(typed.length, candidate.length) / 3),
    )
    .toSorted((one, other) => one.distance - other.distance)
  return near[0]?.candidate ?? onlyBeginning(typed, candidates)
}

/** `production` for `prod`, if no other candidate begins so. */
function onlyBeginning(typed: string, candidates: readonly string[]): string | undefined {
  const longer = candidates.filter((candidate) => candidate.toLowerCase().startsWith(typed))
  return typed.replace(/^-+/, '').length >= 3 && longer.length === 1 ? longer[0] : undefined
}

/** How many letters have to be inserted, deleted, replaced or swapped with their neighbor. */
function editDistance(one: string, other: string): number {
  // The distances between the beginnings of both words, by their lengths.
  const distances = [Array.from({ length: other.length + 1 }, (_, j) => j)]
  const at = (i: number, j: number) => distances[i]?.[j] ?? Number.POSITIVE_INFINITY
  for (let i = 1; i <= one.length; i += 1) {
    const row = [i]
    distances.push(row)
    for (let j = 1; j <= other.length; j += 1) {
      const replaced = at(i - 1, j - 1) + (one[i - 1] === other[j - 1] ? 0 : 1)
      const isSwap = one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1]
      row.push(
        Math.min(
          at(i, j - 1) + 1,
          at(i - 1, j) + 1,
          replaced,
          isSwap ? at(i - 2, j - 2) + 1 : replaced,
        ),
      )
    }
  }
  return at(one.length, other.length)
}
