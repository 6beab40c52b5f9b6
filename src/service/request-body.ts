import type { IncomingMessage, ServerResponse } from 'node:http'
import { once } from '../platform/promises.ts'
import { bodyLimit, invalid, tooLarge } from './http.ts'

/**
 * How much of an unwanted body is read and discarded, so that a client that sends all of it first can read its reply.
 */
const discardLimit = 64 * bodyLimit

/** A body up to this size is always read immediately, so that large bodies never delay ordinary requests. */
const smallBody = 16 * 1024

type BodyBudget = ReturnType<typeof createBodyBudget>

/** Limits the total memory of large bodies. */
export function createBodyBudget(totalBytes: number) {
  let free = totalBytes
  const waiting: { bytes: number; admit(): void }[] = []
  const admitWaiting = () => {
    for (let next = waiting[0]; next !== undefined && next.bytes <= free; next = waiting[0]) {
      waiting.shift()
      free -= next.bytes
      next.admit()
    }
  }
  /**
   * Resolves when there is room for that many bytes, in the order of the calls. The returned function frees them again.
   */
  return async (bytes: number) => {
    await new Promise<void>((admit) => {
      waiting.push({ bytes, admit })
      admitWaiting()
    })
    return () => {
      free += bytes
      admitWaiting()
    }
  }
}

/** The body of a request. Nothing of it is read until `read` or `discard` is called. */
export function requestBody(incoming: IncomingMessage, response: ServerResponse, budget: BodyBudget) {
  const { 'content-length': length, 'transfer-encoding': encoding, expect = '' } = incoming.headers
  const isEmpty = length === undefined && encoding === undefined
  const size = length === undefined ? bodyLimit : Number(length)
  let isHeldBack = !isEmpty && expect.toLowerCase() === '100-continue'
  let free: (() => void) | undefined

  const read = once(async () => {
    if (isEmpty) return new Uint8Array()
    if (size > bodyLimit) throw tooLarge()
    if (size > smallBody) free = await budget(size)
    if (isHeldBack) response.writeContinue()
    isHeldBack = false
    return readAll(incoming)
  })
  return {
    /** Refuses a body beyond `bodyLimit`, or one that ends too early. A large body may have to wait for others. */
    read,
    /** Reads and discards the rest. A client that sends more than `discardLimit` is cut off. */
    discard: () => {
      if (incoming.complete) return
      let discarded = 0
      incoming.removeAllListeners('data').on('data', (chunk: Uint8Array) => {
        discarded += chunk.byteLength
        if (discarded > discardLimit) incoming.socket.destroy()
      })
    },
    /** Frees the memory for others. */
    release: () => {
      free?.()
      free = undefined
    },
    /** True if the client waits for `100 Continue` before it sends the body. */
    get isHeldBack() {
      return isHeldBack
    },
  }
}

function readAll(incoming: IncomingMessage): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const fail = () => reject(invalid('the body ends too early'))
    // The client left while the body waited for its turn.
    if (incoming.destroyed) return fail()
    const chunks: Uint8Array[] = []
    let size = 0
    incoming.on('data', (chunk: Uint8Array) => {
      size += chunk.byteLength
      if (size > bodyLimit) reject(tooLarge())
      else chunks.push(chunk)
    })
    incoming.once('end', () => resolve(Buffer.concat(chunks)))
    incoming.once('close', fail).on('error', fail)
  })
}
