import type { IncomingMessage } from 'node:http'
import { bodyLimit } from './reading.ts'

/** How much of a refused body is thrown away, so that a client which first sends all of it gets to read the refusal. */
const drainLimit = 64 * bodyLimit

const empty = new Uint8Array()

/**
 * The body of a request, or as much of it as is enough to be refused for. Undefined where the client went away in the
 * middle.
 */
export async function readBody(request: IncomingMessage): Promise<Uint8Array | undefined> {
  const { 'content-length': length, 'transfer-encoding': encoding } = request.headers
  if (length === undefined && encoding === undefined) return empty

  return new Promise((resolve) => {
    const chunks: Uint8Array[] = []
    let size = 0
    request.on('data', (chunk: Uint8Array) => {
      if (size <= bodyLimit) chunks.push(chunk)
      size += chunk.byteLength
      if (size > bodyLimit) resolve(Buffer.concat(chunks))
      if (size > drainLimit) request.socket.destroy()
    })
    request.once('end', () => resolve(Buffer.concat(chunks)))
    request.once('close', () => resolve(undefined))
    request.on('error', () => resolve(undefined))
  })
}
