import type { IncomingMessage, ServerResponse } from 'node:http'
import { once } from '../platform/promises.ts'
import { bodyLimit, invalid, type Refusal, tooLarge } from './http.ts'

/** The body of a request. Nothing of it is read until `read` is called. */
export interface RequestBody {
  /** Refuses a body beyond `bodyLimit`, or one that ends too early. */
  read(): Promise<Uint8Array>
  /** Ends `read` with this problem, unless the body is complete. */
  fail(problem: Refusal): void
  /** True as long as the client waits for `100 Continue` before it sends the body. */
  readonly isHeldBack: boolean
}

export function requestBody(incoming: IncomingMessage, response: ServerResponse, holdsBack: boolean): RequestBody {
  let isHeldBack = holdsBack
  let problem: Refusal | undefined
  let rejectRead = (_problem: Refusal) => {}

  const receive = (resolve: (body: Uint8Array) => void, reject: (problem: Refusal) => void) => {
    rejectRead = reject
    if (problem !== undefined) return reject(problem)
    const endEarly = () => reject(invalid('the body ends too early'))
    if (Number(incoming.headers['content-length'] ?? 0) > bodyLimit) return reject(tooLarge())
    if (incoming.destroyed) return endEarly()
    if (isHeldBack) response.writeContinue()
    isHeldBack = false
    const chunks: Uint8Array[] = []
    let size = 0
    // What is too much is read and dropped: most clients read the reply only after they have sent everything.
    incoming.on('data', (chunk: Uint8Array) => {
      size += chunk.byteLength
      if (size <= bodyLimit) chunks.push(chunk)
      else reject(tooLarge())
    })
    incoming.once('end', () => resolve(Buffer.concat(chunks)))
    incoming.once('close', endEarly).on('error', endEarly)
  }
  return {
    read: once(() => new Promise(receive)),
    fail: (found) => {
      problem = found
      rejectRead(found)
    },
    get isHeldBack() {
      return isHeldBack
    },
  }
}
