import { createHash, type Hash } from 'node:crypto'

/** Content that was read once, and that is recognized when it is read again. */
export class KnownContent {
  size = 0
  readonly #hash = createHash('sha256')
  /** The digest of everything before each position at which a chunk ended. */
  readonly #digests = new Map<number, string>()

  async *learn(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const chunk of chunks) {
      this.#hash.update(chunk)
      this.size += chunk.length
      this.#digests.set(this.size, digestOf(this.#hash))
      yield chunk
    }
  }

  sha256(): string {
    return this.#hash.digest('hex')
  }

  /**
   * Yields only what is the same as before, because a journal knows the rows by their numbers.
   * Returns how many bytes that were.
   */
  async *unchanged(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, number> {
    const hash = createHash('sha256')
    let known = 0
    let position = 0
    let held: Uint8Array[] = []
    for await (const chunk of chunks) {
      hash.update(chunk)
      position += chunk.length
      held.push(chunk)
      const digest = this.#digests.get(position)
      // The chunks may end at other positions than before.
      if (digest === undefined) continue
      if (digest !== digestOf(hash)) break
      yield* held
      held = []
      known = position
    }
    return known
  }
}

/** The digest up to now of a hash that gets more. */
const digestOf = (hash: Hash) => hash.copy().digest('base64')
