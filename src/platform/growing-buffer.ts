/** Collects the chunks of a body. */
export interface GrowingBuffer {
  append(chunk: Uint8Array): void
  bytes(): Uint8Array
}

/**
 * A list of chunks would need a hundred times the memory of the body if each chunk is one byte. This copies them into
 * one buffer, which doubles up to the expected maximum. A single chunk is not copied: an import gets thousands of
 * replies a second, and most have one chunk.
 */
export function createGrowingBuffer(most: number): GrowingBuffer {
  let held: Uint8Array = new Uint8Array()
  let length = 0
  return {
    append(chunk) {
      const needed = length + chunk.byteLength
      if (length === 0) held = chunk
      else {
        // The first chunk is full, so nothing is written into it.
        if (needed > held.byteLength) {
          const larger = Buffer.allocUnsafe(Math.max(needed, Math.min(2 * needed, most)))
          larger.set(held.subarray(0, length))
          held = larger
        }
        held.set(chunk, length)
      }
      length = needed
    },
    bytes: () => held.subarray(0, length),
  }
}
