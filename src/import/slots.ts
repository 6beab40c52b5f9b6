/** A number of places, each for one at a time; who waits gets one in turn. */
export interface Slots {
  /** Undefined where there is a place at once. */
  take(): Promise<void> | undefined
  giveBack(): void
}

export function createSlots(count: number): Slots {
  let free = count
  const waiting: (() => void)[] = []
  return {
    take() {
      if (free === 0) return new Promise((resolve) => waiting.push(resolve))
      free -= 1
      return undefined
    },
    giveBack() {
      const next = waiting.shift()
      if (next === undefined) free += 1
      else next()
    },
  }
}
