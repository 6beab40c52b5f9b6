import { Agent, type Dispatcher } from 'undici'
import type { Reply, Request, Transport } from './exchange.ts'
import { type FaultKind, type FaultStage, TransportFault } from './fault.ts'
import { faultKindOf } from './transport-errors.ts'

const largestReply = 32 * 1024 * 1024
const longestTimer = 2 ** 31 - 1

interface NetworkOptions {
  /** For one attempt, connecting included. */
  readonly timeoutSeconds: number
  /** Ends every attempt at once; its reason becomes the cause of the fault. */
  readonly signal?: AbortSignal | undefined
  readonly userAgent: string
}

/** Requests over the network. Rejects with a TransportFault and with nothing else. */
export function createNetworkTransport({ timeoutSeconds, signal, userAgent }: NetworkOptions): Transport {
  const timeout = Math.min(Math.ceil(timeoutSeconds * 1000), longestTimer)
  const agent = new Agent({
    maxResponseSize: largestReply,
    // One deadline of our own covers all stages; undici's are per stage and half a second coarse. Only connecting
    // keeps one, so that a connection which was given up does not hang around until the agent is closed.
    headersTimeout: 0,
    bodyTimeout: 0,
    connect: { timeout },
  })
  return {
    send: ({ headers, ...request }) =>
      attempt({
        dispatcher: agent,
        timeout,
        signal,
        request: { ...request, headers: { 'user-agent': userAgent, ...headers, 'accept-encoding': 'identity' } },
      }),
    close: () => agent.destroy(),
  }
}

interface Attempt {
  readonly dispatcher: Dispatcher
  readonly timeout: number
  readonly signal: AbortSignal | undefined
  readonly request: Request
}

/** One request, once: it ends with a whole reply, a fault, the deadline or the signal, whichever is first. */
function attempt({ dispatcher, timeout, signal, request }: Attempt): Promise<Reply> {
  return new Promise((resolve, reject) => {
    let stage: FaultStage = 'connecting'
    let isOver = false
    let controller: Dispatcher.DispatchController | undefined
    let head: Pick<Reply, 'status' | 'headers'> | undefined
    const chunks: Buffer[] = []

    // undici looks at no signal while it connects, so the promise never waits for it to agree.
    const fail = (kind: FaultKind, cause?: unknown) => {
      if (isOver) return
      finish()
      const fault = new TransportFault(kind, { stage, head, seconds: timeout / 1000, cause })
      controller?.abort(fault)
      reject(fault)
    }
    const onAbort = () => fail('aborted', signal?.reason)
    const deadline = setTimeout(() => fail('timeout'), timeout)
    const finish = () => {
      isOver = true
      clearTimeout(deadline)
      signal?.removeEventListener('abort', onAbort)
    }

    if (signal?.aborted) return onAbort()
    signal?.addEventListener('abort', onAbort)

    const handler: Dispatcher.DispatchHandler = {
      // Called exactly when bytes of the request may be written next; an abort in here keeps them back.
      onRequestStart(started) {
        controller = started
        if (isOver) started.abort(new TransportFault('aborted', { stage }))
        else stage = 'waiting'
      },
      onResponseStart(_controller, status, headers) {
        if (status < 200) return
        stage = 'receiving'
        head = { status, headers }
        if (isEncoded(headers['content-encoding'])) fail('encoding')
        // undici counts the bytes that come; whoever announces too many need not be listened to.
        if (Number(headers['content-length']) > largestReply) fail('too-large')
      },
      onResponseData(_controller, chunk) {
        if (!isOver) chunks.push(chunk)
      },
      onResponseEnd() {
        if (isOver || head === undefined) return
        finish()
        resolve({ ...head, body: Buffer.concat(chunks) })
      },
      onResponseError(_controller, error) {
        fail(faultKindOf(error, stage), error)
      },
    }
    try {
      const { origin, pathname, search } = new URL(request.url)
      dispatcher.dispatch(
        {
          origin,
          path: `${pathname}${search}`,
          method: request.method,
          headers: request.headers,
          body: request.body ?? null,
        },
        handler,
      )
    } catch (error) {
      fail('unsendable', error)
    }
  })
}

function isEncoded(contentEncoding: string | string[] | undefined): boolean {
  return [contentEncoding ?? []].flat().some((encoding) => !/^\s*(identity\s*)?$/i.test(encoding))
}
