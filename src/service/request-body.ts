import type { IncomingMessage, ServerResponse } from 'node:http'
import { invalid } from './replies.ts'
import { bodyLimit, tooLarge } from './requests.ts'

/** How much of an unwanted body is read and dropped, so that a client that sends all of it first can read its reply. */
const discardLimit = 64 * bodyLimit

export interface RequestBody {
  /** Refuses a body beyond `bodyLimit`, and one that ends too early. */
  read(): Promise<Uint8Array>
  /** Reads the rest and drops it. A client that sends more than `discardLimit` is cut off. */
  discard(): void
  /** True if the client waits for `100 Continue` before it sends the body. */
  readonly isHeldBack: boolean
}

const empty = new Uint8Array()

/** The body of a request, of which nothing is read before somebody wants it. */
export function requestBody(incoming: IncomingMessage, response: ServerResponse): RequestBody {
  const { 'content-length': length, 'transfer-encoding': encoding, expect = '' } = incoming.headers
  const isEmpty = length === undefined && encoding === undefined
  let isHeldBack = !isEmpty && expect.toLowerCase() === '100-continue'
  let reading: Promise<Uint8Array> | undefined

  const read = async () => {
    if (isEmpty) return empty
    if (Number(length) > bodyLimit) throw tooLarge()
    if (isHeldBack) response.writeContinue()
    isHeldBack = false
    return readAll(incoming)
  }
  return {
    read: () => {
      reading ??= read()
      return reading
    },
    discard: () => {
      if (incoming.complete) return
      let size = 0
      incoming.removeAllListeners('data').on('data', (chunk: Uint8Array) => {
        size += chunk.byteLength
        if (size > discardLimit) incoming.socket.destroy()
      })
    },
    get isHeldBack() {
      return isHeldBack
    },
  }
}

function readAll(incoming: IncomingMessage): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const endedEarly = () => reject(invalid('the body ends too early'))
    // Its events are over.
    if (incoming.destroyed) return endedEarly()
    const chunks: Uint8Array[] = []
    let size = 0
    incoming.on('data', (chunk: Uint8Array) => {
      size += chunk.byteLength
      if (size > bodyLimit) reject(tooLarge())
      else chunks.push(chunk)
    })
    incoming.once('end', () => resolve(Buffer.concat(chunks)))
    incoming.once('close', endedEarly).on('error', endedEarly)
  })
}
