interface Slot<Item> {
  readonly item: Item
  index: number
}

/**
 * Work that has started and not finished. Uses an array in which the last item replaces a removed
 * one. A Set that gets thousands of requests a second keeps its old tables alive, with items that
 * finished long ago, until V8 collects all of its memory.
 */
export class InFlight<Item> {
  readonly #slots: Slot<Item>[] = []
  #onEmpty = () => {}

  /** Returns a function that removes the item. Another call of it has no effect. */
  add(item: Item): () => void {
    const slot = { item, index: this.#slots.length }
    this.#slots.push(slot)
    return () => this.#remove(slot)
  }

  items(): Item[] {
    return this.#slots.map(({ item }) => item)
  }

  /** Resolves when nothing is left. Called once, at the end. */
  whenEmpty(): Promise<void> {
    return new Promise(resolve => {
      this.#onEmpty = resolve
      if (this.#slots.length === 0) resolve()
    })
  }

  #remove(slot: Slot<Item>): void {
    const slots = this.#slots
    if (slots[slot.index] !== slot) return
    const last = slots.pop()
    if (last !== undefined && last !== slot) {
      slots[slot.index] = last
      last.index = slot.index
    }
    if (slots.length === 0) this.#onEmpty()
  }
}
