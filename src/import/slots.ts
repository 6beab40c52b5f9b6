/** Places for some at a time; who waits gets one in turn. */
export interface Slots {
  /** Undefined where there is a place at once. */
  take(): Promise<void> | undefined
  giveBack(): void
}

/** `limit` is how many places there are, which may change from one moment to the next. */
export function createSlots(limit: () => number): Slots {
  let taken = 0
  const waiting: (() => void)[] = []
  return {
    take() {
      if (taken >= limit()) return new Promise((resolve) => waiting.push(resolve))
      taken += 1
      return undefined
    },
    giveBack() {
      taken -= 1
      while (waiting.length > 0 && taken < limit()) {
        taken += 1
        waiting.shift()?.()
      }
    },
  }
}

/** What something took on average, of late. */
export interface Mean {
  readonly value: number
  add(value: number): void
}

export function createMean(first: number): Mean {
  let mean = first
  return {
    get value() {
      return mean
    },
    add(value) {
      mean += (value - mean) / 16
    },
  }
}
