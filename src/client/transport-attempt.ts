import type { Dispatcher } from 'undici'
import type { Reply } from '../model/exchange.ts'
import { errorCode } from '../platform/errno.ts'
import type { InFlight } from '../platform/in-flight.ts'
import {
  type AttemptPhase,
  type FaultKind,
  faultKindOf,
  ProxyError,
  TransportFault,
} from './transport-fault.ts'
import type { Route } from './transport-proxy.ts'

/** The maximum size of a reply, both as sent and decompressed. */
export const largestReply = 32 * 1024 * 1024

interface AttemptOptions {
  readonly route: Route
  readonly request: Dispatcher.DispatchOptions
  readonly timeout: number
  readonly signal: AbortSignal | undefined
  /** Whether a name lookup has no answer yet. */
  readonly isLookingUp: () => boolean
  /** The functions that end each attempt early. */
  readonly inFlight: InFlight<() => void>
}

/**
 * One attempt at a request: it ends with a complete reply, a fault, the deadline or the signal,
 * whichever comes first.
 */
export function attempt(options: AttemptOptions): Promise<Reply> {
  const { route, request, timeout, signal, isLookingUp, inFlight } = options
  const { dispatcher, proxy, isForwarded } = route
  return new Promise((resolve, reject) => {
    let phase: AttemptPhase = 'connecting'
    let isOver = false
    let isDecompressing = false
    let controller: Dispatcher.DispatchController | undefined
    let head: Omit<Reply, 'body'> | undefined
    const body: Uint8Array[] = []
    const newest: Uint8Array[] = []

    // undici ignores signals while it connects, so the promise never waits for it.
    const fail = (kind: FaultKind, cause?: unknown) => {
      if (isOver) return
      finish()
      const fault = new TransportFault(kind, { phase, head, seconds: timeout / 1000, cause })
      controller?.abort(fault)
      reject(fault)
    }
    const succeed = (reply: Reply) => {
      if (isOver) return
      finish()
      resolve(reply)
    }
    const end = () => fail('aborted', signal?.reason)
    const onDeadline = () => {
      if (isDecompressing) return
      if (phase !== 'connecting') return fail('timeout')
      fail(isLookingUp() ? 'lookup-timeout' : 'timeout', proxy && new ProxyError(proxy))
    }
    // A reply may have arrived while the process was suspended. One more turn of the event loop
    // reads it.
    const deadline = setTimeout(() => setImmediate(onDeadline), timeout)
    const finish = () => {
      isOver = true
      clearTimeout(deadline)
      remove()
    }

    const remove = inFlight.add(end)
    if (signal?.aborted) return end()

    const handler: Dispatcher.DispatchHandler = {
      // Called immediately before bytes of the request may be written; aborting here prevents that.
      onRequestStart(started) {
        controller = started
        if (isOver) started.abort(new TransportFault('aborted', { phase }))
        else phase = 'waiting'
      },
      onResponseStart(_controller, status, headers) {
        if (status < 200) return
        if (isForwarded && proxy !== undefined && status === 407) {
          // Only the proxy itself replies with this status, and it has not sent the request on.
          phase = 'connecting'
          return fail('proxy-login', new ProxyError(proxy, { status }))
        }
        phase = 'receiving'
        head = { status, headers }
        // Without a body the reply is complete now; its headers about a body do not apply.
        if (request.method === 'HEAD' || status === 204 || status === 304) {
          return succeed({ ...head, body: new Uint8Array() })
        }
        // undici counts only the bytes that arrive; a reply that announces too many need not be
        // read.
        if (Number(headers['content-length']) > largestReply) fail('too-large')
      },
      onResponseData(_controller, chunk) {
        if (isOver) return
        newest.push(chunk)
        // A list of chunks of one byte would need a hundred times the memory of the body.
        if (newest.length === 1024) body.push(Buffer.concat(newest.splice(0)))
      },
      onResponseEnd() {
        if (head === undefined) return
        const { status, headers } = head
        const reply = { status, headers, body: joined([...body, ...newest]) }
        const { 'content-encoding': encoding } = headers
        if (encoding === undefined) return succeed(reply)
        // Decompressing is not the service's time.
        isDecompressing = true
        decompressed(reply, encoding).then(succeed, (error) => fail(faultKindOf(error, phase)))
      },
      onResponseError(_controller, cause) {
        const kind = faultKindOf(cause, phase)
        // The handshake failed at the server, so it has not read the request.
        if (kind === 'client-certificate') phase = 'connecting'
        // undici's own connect timeout ends at the same time, and its error says less.
        if (kind === 'timeout') onDeadline()
        else fail(kind, cause)
      },
    }
    try {
      dispatcher.dispatch(request, handler)
    } catch (cause) {
      fail('unsendable', cause)
    }
  })
}

/** Most replies come in one chunk, which is not copied. */
function joined(chunks: readonly Uint8Array[]): Uint8Array {
  const [first] = chunks
  return first !== undefined && chunks.length === 1 ? first : Buffer.concat(chunks)
}

/**
 * The reply without its compressions, the last of which is removed first. Requests refuse
 * compression, but some servers and proxies compress anyway. A body that is not what its header
 * says stays as it is.
 */
async function decompressed(reply: Reply, header: string | string[]): Promise<Reply> {
  const encodings = [header].flat().flatMap((value) => value.toLowerCase().split(','))
  let { body } = reply
  for (const encoding of encodings.reverse()) body = await decompress(body, encoding.trim())
  return { ...reply, body }
}

async function decompress(body: Uint8Array, encoding: string): Promise<Uint8Array> {
  // Nothing was compressed, as some servers do for an empty reply.
  if (body.length === 0 || !['gzip', 'x-gzip', 'deflate', 'br'].includes(encoding)) return body
  // Loaded only here, because few replies are compressed.
  const { brotliDecompressSync, inflateRawSync, unzipSync } = await import('node:zlib')
  // A bomb must not fill the memory.
  const options = { maxOutputLength: largestReply }
  try {
    if (encoding === 'br') return brotliDecompressSync(body, options)
    // Some servers omit the zlib header that "deflate" requires in HTTP. The low half of its first
    // byte is always 8.
    const isRaw = encoding === 'deflate' && (body.at(0) ?? 0) % 16 !== 8
    return isRaw ? inflateRawSync(body, options) : unzipSync(body, options)
  } catch (error) {
    // The end is missing, or there is too much.
    if (['Z_BUF_ERROR', 'ERR_BUFFER_TOO_LARGE'].includes(errorCode(error) ?? '')) throw error
    return body
  }
}
