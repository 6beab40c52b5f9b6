const smallest = 64 * 1024

/**
 * Bytes that come in pieces. They are copied together at once: thirty million pieces of a byte each, which a service
 * may well send, would take gigabytes if they were kept as they came.
 */
export function growingBuffer() {
  let buffer: Uint8Array = new Uint8Array()
  let length = 0
  return {
    add(piece: Uint8Array) {
      // Most replies come in one piece, which is left where it is: an import has thousands of them a second.
      if (length === 0) {
        buffer = piece
        length = piece.length
        return
      }
      if (length + piece.length > buffer.length) {
        const larger = Buffer.allocUnsafe(Math.max(smallest, 2 * buffer.length, length + piece.length))
        larger.set(buffer.subarray(0, length))
        buffer = larger
      }
      buffer.set(piece, length)
      length += piece.length
    },
    bytes: (): Uint8Array => buffer.subarray(0, length),
  }
}
