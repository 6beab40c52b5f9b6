/** The candidate that a misspelled text most likely means; undefined if none is close. */
export function nearest(text: string, candidates: readonly string[]): string | undefined {
  const typed = text.toLowerCase()
  const distances = candidates.map((candidate) => ({
    candidate,
    distance: editDistance(typed, candidate.toLowerCase()),
  }))
  const near = distances.filter(
    ({ candidate, distance }) => distance <= Math.floor(Math.max(typed.length, candidate.length) / 3),
  )
  return near.sort((one, other) => one.distance - other.distance)[0]?.candidate ?? onlyBeginning(typed, candidates)
}

/** `prod` for `production`, if it is the only candidate with that beginning. */
function onlyBeginning(text: string, candidates: readonly string[]): string | undefined {
  const longer = candidates.filter((candidate) => candidate.toLowerCase().startsWith(text))
  const letters = text.replace(/^-+/, '')
  return letters.length >= 3 && longer.length === 1 ? longer[0] : undefined
}

/** How many letters have to be inserted, deleted, replaced or swapped with their neighbor. */
function editDistance(one: string, other: string): number {
  const table: number[][] = []
  const at = (i: number, j: number) => table[i]?.[j] ?? Number.POSITIVE_INFINITY
  for (let i = 0; i <= one.length; i += 1) {
    const row: number[] = []
    table.push(row)
    for (let j = 0; j <= other.length; j += 1) {
      const replacement = one[i - 1] === other[j - 1] ? 0 : 1
      const isSwap = one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1]
      const swap = isSwap ? 1 : Number.POSITIVE_INFINITY
      const least = Math.min(
        at(i - 1, j) + 1,
        at(i, j - 1) + 1,
        at(i - 1, j - 1) + replacement,
        at(i - 2, j - 2) + swap,
      )
      row.push(i === 0 && j === 0 ? 0 : least)
    }
  }
  return at(one.length, other.length)
}
