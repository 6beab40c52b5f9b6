/** A list of chunks of one byte would need a hundred times the memory of the body. */
const mostChunks = 1024

/** The chunks of a body. Most bodies come in one chunk, which is not copied. */
export class ReceivedBody {
  readonly #joined: Uint8Array[] = []
  #newest: Uint8Array[] = []

  add(chunk: Uint8Array): void {
    this.#newest.push(chunk)
    if (this.#newest.length < mostChunks) return
    this.#joined.push(Buffer.concat(this.#newest))
    this.#newest = []
  }

  joined(): Uint8Array {
    const chunks = [...this.#joined, ...this.#newest]
    const [first] = chunks
    return first !== undefined && chunks.length === 1 ? first : Buffer.concat(chunks)
  }
}
