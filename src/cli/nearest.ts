/** The candidate that a misspelled text most likely means; undefined if none is near. */
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

/** `prod` for `production`, if nothing else begins like it. */
function onlyBeginning(text: string, candidates: readonly string[]): string | undefined {
  const longer = candidates.filter((candidate) => candidate.toLowerCase().startsWith(text))
  const letters = text.replace(/^-+/, '')
  return letters.length >= 3 && longer.length === 1 ? longer[0] : undefined
}

/** How many letters have to be inserted, deleted, replaced or swapped with their neighbor. */
function editDistance(one: string, other: string): number {
  let beforeLast: number[] = []
  let last = Array.from({ length: other.length + 1 }, (_, index) => index)
  for (let i = 1; i <= one.length; i += 1) {
    const row = [i]
    for (let j = 1; j <= other.length; j += 1) {
      const cost = one[i - 1] === other[j - 1] ? 0 : 1
      const at = (cells: readonly number[], index: number) => cells[index] ?? 0
      const isSwap = i > 1 && j > 1 && one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1]
      row.push(
        Math.min(
          at(last, j) + 1,
          at(row, j - 1) + 1,
          at(last, j - 1) + cost,
          isSwap ? at(beforeLast, j - 2) + 1 : Number.POSITIVE_INFINITY,
        ),
      )
    }
    beforeLast = last
    last = row
  }
  return last[other.length] ?? 0
}
