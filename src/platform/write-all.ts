import type { Writable } from 'node:stream'

/**
 * Writes every byte with a function that writes at an offset and returns the count: a disk that is nearly full takes
 * only some of them, and reports it only in the count.
 */
export async function writeAll(
  bytes: Uint8Array,
  write: (rest: Uint8Array, offset: number) => Promise<number>,
): Promise<void> {
  for (let written = 0; written < bytes.length; ) {
    written += await write(written === 0 ? bytes : bytes.subarray(written), written)
  }
}

/** Resolves when the data was written, and rejects with the error of this write. */
export function writeChunk(stream: Writable, data: string | Uint8Array): Promise<void> {
  return new Promise((resolve, reject) => {
    stream.write(data, (error) => (error ? reject(error) : resolve()))
  })
}
