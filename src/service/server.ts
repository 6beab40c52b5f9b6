import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { type AddressInfo, isIPv6 } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import type { Reply, Request } from '../model/exchange.ts'
import { readBody } from './body.ts'
import { refuseBrokenRequest, refuseConnect } from './broken-http.ts'

/** What comes of a request: a reply, or a connection that is cut, or one that stays silent. */
export type Outcome = Reply | 'dropped' | 'stalled'

/** A request that has had its outcome. */
export interface Answered {
  readonly request: Request
  /** The path and the query as they were sent. */
  readonly target: string
  /** The status of the reply; or why there is none, `gone` where the client did not wait for it. */
  readonly outcome: number | 'dropped' | 'stalled' | 'gone'
  readonly milliseconds: number
}

interface ServerParts {
  readonly host: string
  /** 0 for any that is free. */
  readonly port: number
  answer(request: Request): Promise<Outcome>
  readonly onAnswered: ((answered: Answered) => void) | undefined
}

export interface RunningServer {
  /** `http://127.0.0.1:4010` */
  readonly origin: string
  /** Takes nothing new, and ends when what is under way is answered. */
  close(): Promise<void>
}

/** A client that is slow or silent costs one connection, for so long, and nobody else anything. */
const limits = {
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  keepAliveTimeout: 5_000,
  connectionsCheckingInterval: 1_000,
  maxHeaderSize: 16 * 1024,
  // The host that a client names plays no part: whatever arrives here is for this service.
  requireHostHeader: false,
}

/** How long a request that is still arriving is waited for at the end. */
const graceMilliseconds = 5_000

/** Puts a handler on a port. */
export async function startServer({ host, port, answer, onAnswered }: ServerParts): Promise<RunningServer> {
  // No Set: one that sees thousands of requests a second holds on to what is long over (see `createUnderWay`).
  const underWay: ServerResponse[] = []
  let whenIdle: (() => void) | undefined
  const done = (response: ServerResponse) => {
    const place = underWay.indexOf(response)
    if (place >= 0) underWay.splice(place, 1)
    if (underWay.length === 0) whenIdle?.()
  }

  const serve = async (incoming: IncomingMessage, response: ServerResponse) => {
    const start = performance.now()
    underWay.push(response)
    response.once('close', () => done(response))
    const request = requestOf(incoming, await readBody(incoming))
    const outcome = request.body === undefined ? 'gone' : await answer(request)

    const isGone = response.destroyed
    if (outcome === 'dropped') incoming.socket.destroy()
    else if (outcome === 'stalled') done(response)
    else if (outcome !== 'gone' && !isGone) send(response, outcome, whenIdle !== undefined)
    onAnswered?.({
      request,
      target: incoming.url ?? '',
      outcome: typeof outcome === 'string' ? outcome : isGone ? 'gone' : outcome.status,
      milliseconds: performance.now() - start,
    })
  }

  const server = createServer(limits)
    .on('request', serve)
    .on('checkExpectation', serve)
    .on('connect', refuseConnect)
    .on('clientError', (error, socket) => {
      const before = underWay.findLast(({ req }) => req.socket === socket)
      // A refusal would be taken for the reply to the request before; that reply comes, and is the last.
      if (before?.req.complete) before.shouldKeepAlive = false
      else refuseBrokenRequest(error, socket)
    })
  await listen(server, host, port)

  return {
    origin: originOf(server.address() as AddressInfo),
    close: async () => {
      const idle = new Promise<void>((resolve) => {
        whenIdle = resolve
      })
      const closed = new Promise((resolve) => server.close(resolve))
      if (underWay.length > 0) await Promise.race([idle, wait(graceMilliseconds, undefined, { ref: false })])
      server.closeAllConnections()
      await closed
    },
  }
}

function listen(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    // Later errors are about connections that could not be taken: nothing is left to reject, and nothing ends.
    server.on('error', reject).listen(port, host, resolve)
  })
}

function originOf({ address, port }: AddressInfo): string {
  return `http://${isIPv6(address) ? `[${address}]` : address}:${port}`
}

/** With the headers that the handler looks at. */
function requestOf({ method = '', url = '', headers }: IncomingMessage, body: Uint8Array | undefined): Request {
  const { authorization = '', 'content-type': type = '' } = headers
  const address = url.startsWith('/') ? `http://local${url}` : url
  return { method, url: address, headers: { authorization, 'content-type': type }, body }
}

function send(response: ServerResponse, { status, headers, body }: Reply, isLast: boolean): void {
  response.writeHead(status, isLast ? { ...headers, connection: 'close' } : headers)
  response.end(body)
}
