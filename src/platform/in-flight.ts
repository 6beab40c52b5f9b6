interface Entry<Item> {
  readonly item: Item
  index: number
}

/**
 * Work that has started and not finished. Uses an array in which the last item replaces a removed
 * one. A Set that gets thousands of requests a second keeps its old tables alive, with items that
 * finished long ago, until V8 collects all of its memory.
 */
export class InFlight<Item> {
  readonly #entries: Entry<Item>[] = []
  #onEmpty = () => {}

  /** Returns a function that removes the item. Another call of it has no effect. */
  add(item: Item): () => void {
    const entry = { item, index: this.#entries.length }
    this.#entries.push(entry)
    return () => this.#remove(entry)
  }

  items(): Item[] {
    return this.#entries.map(({ item }) => item)
  }

  /** Resolves when nothing is left. Only the last caller is told. */
  whenEmpty(): Promise<void> {
    return new Promise(resolve => {
      this.#onEmpty = resolve
      if (this.#entries.length === 0) resolve()
    })
  }

  #remove(entry: Entry<Item>): void {
    const entries = this.#entries
    if (entries[entry.index] !== entry) return
    const last = entries.pop()
    if (last !== undefined && last !== entry) {
      entries[entry.index] = last
      last.index = entry.index
    }
    if (entries.length === 0) this.#onEmpty()
  }
}
