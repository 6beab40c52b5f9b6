/** Limits how many tasks run at a time; the others wait in order. */
export interface Limiter {
  /** Undefined if a task can start at once. */
  acquire(): Promise<void> | undefined
  release(): void
}

/** The limit may change at any time. */
export function createLimiter(limit: () => number): Limiter {
  let running = 0
  const waiting: (() => void)[] = []
  return {
    acquire() {
      if (running >= limit()) return new Promise((resolve) => waiting.push(resolve))
      running += 1
      return undefined
    },
    release() {
      running -= 1
      while (waiting.length > 0 && running < limit()) {
        running += 1
        waiting.shift()?.()
      }
    },
  }
}

/** The average of the latest values. */
export interface MovingAverage {
  readonly value: number
  add(value: number): void
}

export function createMovingAverage(first: number): MovingAverage {
  let average = first
  return {
    get value() {
      return average
    },
    add(value) {
      average += (value - average) / 16
    },
  }
}
