/**
 * Work that has started and not finished. Uses an array in which the last item replaces a removed
 * one. A Set that gets thousands of requests a second keeps its old tables alive, with items that
 * finished long ago, until V8 collects all of its memory.
 */
export interface InFlight<Item> {
  /** Returns a function that removes the item. */
  add(item: Item): () => void
  items(): Item[]
  /** Resolves when nothing is left. */
  whenEmpty(): Promise<void>
}

export function createInFlight<Item>(): InFlight<Item> {
  const entries: { item: Item; index: number }[] = []
  let resolveEmpty: (() => void)[] = []
  return {
    add(item) {
      const entry = { item, index: entries.length }
      entries.push(entry)
      return () => {
        if (entries[entry.index] !== entry) return
        const last = entries.pop()
        if (last !== undefined && last !== entry) {
          entries[entry.index] = last
          last.index = entry.index
        }
        if (entries.length > 0) return
        for (const resolve of resolveEmpty) resolve()
        resolveEmpty = []
      }
    },
    items: () => entries.map(({ item }) => item),
    whenEmpty: () =>
      new Promise((resolve) => (entries.length === 0 ? resolve() : resolveEmpty.push(resolve))),
  }
}
