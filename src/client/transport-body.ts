const smallest = 64 * 1024

/** The bytes of a body as they arrive. */
export interface ReplyBody {
  add(chunk: Uint8Array): void
  bytes(): Uint8Array
}

/**
 * The chunks are copied together at once: a service may send thirty million of one byte each, which would take gigabytes
 * as separate buffers.
 */
export function createReplyBody(): ReplyBody {
  let buffer: Uint8Array = new Uint8Array()
  let length = 0
  return {
    add(chunk) {
      // Most replies have one chunk, which is not copied: an import gets thousands of them a second.
      if (length === 0) {
        buffer = chunk
        length = chunk.length
        return
      }
      if (length + chunk.length > buffer.length) {
        const larger = Buffer.allocUnsafe(Math.max(smallest, 2 * buffer.length, length + chunk.length))
        larger.set(buffer.subarray(0, length))
        buffer = larger
      }
      buffer.set(chunk, length)
      length += chunk.length
    },
    bytes: () => buffer.subarray(0, length),
  }
}
