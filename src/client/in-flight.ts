/** Something that has begun, and can be ended early. */
export interface Ending {
  end(): void
  /** Its place among the others; it belongs to them. */
  place: number
}

/** What has begun and is not over. */
export interface UnderWay {
  add(one: Ending): void
  remove(one: Ending): void
  /** Ends all of them; each removes itself. */
  endAll(): void
}

/**
 * In an array, where the last takes the place of whatever goes. A Set that sees thousands of requests a second leaves its
 * old tables hanging on to the newer ones, and with them what is long over, until V8 goes through all of its memory.
 */
export function createUnderWay(): UnderWay {
  const endings: Ending[] = []
  return {
    add(one) {
      one.place = endings.length
      endings.push(one)
    },
    remove(one) {
      const last = endings.pop()
      if (last === undefined || last === one) return
      endings[one.place] = last
      last.place = one.place
    },
    endAll() {
      for (const one of [...endings]) one.end()
    },
  }
}
