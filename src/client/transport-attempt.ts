import type { Dispatcher } from 'undici'
import type { Reply } from '../model/exchange.ts'
import type { InFlight } from '../platform/in-flight.ts'
import { errorCode } from '../platform/system-error.ts'
import { type AttemptPhase, type FaultKind, faultKindOf, ProxyError, TransportFault } from './fault.ts'
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
 * One attempt at a request: it ends with a complete reply, a fault, the deadline or the signal, whichever comes first.
 */
export function attempt(options: AttemptOptions): Promise<Reply> {
  const { route, request, timeout, signal, isLookingUp, inFlight } = options
  const { dispatcher, proxy, isForwarded } = route
  return new Promise((resolve, reject) => {
    let phase: AttemptPhase = 'connecting'
    let isOver = false
    let isReceived = false
    let controller: Dispatcher.DispatchController | undefined
    let head: Omit<Reply, 'body'> | undefined
    const body: Uint8Array[] = []

    // undici ignores signals while it connects, so the promise never waits for it.
    const fail = (kind: FaultKind, { cause, undecodedReply }: { cause?: unknown; undecodedReply?: Reply } = {}) => {
      if (isOver) return
      finish()
      const fault = new TransportFault(kind, { phase, head, undecodedReply, seconds: timeout / 1000, cause })
      controller?.abort(fault)
      reject(fault)
    }
    const succeed = (reply: Reply) => {
      if (isOver) return
      finish()
      resolve(reply)
    }
    const decode = async (reply: Reply, encodings: readonly string[]) => {
      try {
        succeed({ ...reply, body: await decodeBody(reply.body, encodings) })
      } catch (error) {
        const kind = decodingFault(error)
        fail(kind, kind === 'encoding' ? { undecodedReply: reply } : {})
      }
    }
    const end = () => fail('aborted', { cause: signal?.reason })
    const onDeadline = () => {
      if (isReceived) return
      if (phase !== 'connecting') return fail('timeout')
      fail(isLookingUp() ? 'lookup-timeout' : 'timeout', proxy && { cause: new ProxyError(proxy) })
    }
    // A reply may have arrived while the process was suspended. One more turn of the event loop reads it.
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
          return fail('proxy-login', { cause: new ProxyError(proxy, { status }) })
        }
        phase = 'receiving'
        head = { status, headers }
        // Without a body the reply is complete now; its headers about a body do not apply.
        if (request.method === 'HEAD' || status === 204 || status === 304) {
          return succeed({ ...head, body: new Uint8Array() })
        }
        // undici counts only the bytes that arrive; a reply that announces too many need not be read.
        if (Number(headers['content-length']) > largestReply) fail('too-large')
      },
      onResponseData(_controller, chunk) {
        if (!isOver) body.push(chunk)
      },
      onResponseEnd() {
        if (head === undefined) return
        const reply = { ...head, body: Buffer.concat(body) }
        // Decompressing is not the service's time.
        isReceived = true
        const encodings = encodingsOf(reply)
        if (encodings.length === 0) succeed(reply)
        else void decode(reply, encodings)
      },
      onResponseError(_controller, cause) {
        const kind = faultKindOf(cause, phase)
        // The handshake failed at the server, so it has not read the request.
        if (kind === 'client-certificate') phase = 'connecting'
        // undici's own connect timeout ends at the same time, and its error says less.
        if (kind === 'timeout') onDeadline()
        else fail(kind, { cause })
      },
    }
    try {
      dispatcher.dispatch(request, handler)
    } catch (cause) {
      fail('unsendable', { cause })
    }
  })
}

/** Names of the compressions in the order in which they were applied; none for a body that was not compressed. */
function encodingsOf({ headers }: Pick<Reply, 'headers'>): string[] {
  const names = [headers['content-encoding'] ?? []].flat().flatMap((value) => value.toLowerCase().split(','))
  return names.map((name) => name.trim()).filter((name) => name !== '' && name !== 'identity')
}

/**
 * The body without its compressions. Requests refuse compression, but some servers and proxies compress anyway. Each
 * step ends at the size limit, so a bomb cannot fill the memory.
 */
async function decodeBody(body: Uint8Array, encodings: readonly string[]): Promise<Uint8Array> {
  let decoded = body
  for (const encoding of encodings.toReversed()) {
    // Nothing was compressed, as some servers do for an empty reply.
    if (decoded.length > 0) decoded = await decompress(decoded, encoding)
  }
  return decoded
}

async function decompress(body: Uint8Array, encoding: string): Promise<Uint8Array> {
  // Loaded only here, because few replies are compressed.
  const zlib = await import('node:zlib')
  return new Promise((resolve, reject) => {
    const options = { maxOutputLength: largestReply }
    const done = (error: Error | null, decoded: Uint8Array) => (error === null ? resolve(decoded) : reject(error))
    if (encoding === 'gzip' || encoding === 'x-gzip') zlib.gunzip(body, options, done)
    else if (encoding === 'br') zlib.brotliDecompress(body, options, done)
    else if (encoding !== 'deflate') reject(new Error(`the encoding ${encoding} is unknown`))
    // Some servers omit the zlib header that "deflate" requires in HTTP. The low half of its first byte is always 8.
    else if ((body.at(0) ?? 0) % 16 === 8) zlib.inflate(body, options, done)
    else zlib.inflateRaw(body, options, done)
  })
}

const faultsByCode: Readonly<Record<string, FaultKind>> = {
  // The end is missing.
  Z_BUF_ERROR: 'lost',
  ERR_BUFFER_TOO_LARGE: 'too-large',
}

/**
 * What an error of `decodeBody` means: the body may be in another encoding than its header says, or in an unknown one.
 */
function decodingFault(error: unknown): FaultKind {
  return faultsByCode[errorCode(error) ?? ''] ?? 'encoding'
}
