const smallest = 64 * 1024

/**
 * Bytes that come in pieces. They are copied together at once: thirty million pieces of a byte each, which a service
 * may well send, would take gigabytes if they were kept as they came.
 */
export function growingBuffer() {
  let buffer = Buffer.alloc(0)
  let length = 0
  return {
    add(piece: Uint8Array) {
      if (length + piece.length > buffer.length) {
        const larger = Buffer.allocUnsafe(Math.max(smallest, 2 * buffer.length, length + piece.length))
        buffer.copy(larger, 0, 0, length)
        buffer = larger
      }
      buffer.set(piece, length)
      length += piece.length
    },
    bytes: (): Uint8Array => buffer.subarray(0, length),
  }
}
