import { createServer, type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http'
import { type AddressInfo, isIPv6 } from 'node:net'
import type { Duplex } from 'node:stream'
import type { Reply } from '../model/exchange.ts'
import { createInFlight } from '../platform/in-flight.ts'
import type { ConnectionFault } from './faults.ts'
import { busyReply, Refusal, type ServiceRequest } from './http.ts'
import { createBodyBudget, requestBody } from './request-body.ts'
import { allowedMethods } from './router.ts'

/** A request that has been answered or abandoned. */
export interface Answered {
  readonly request: ServiceRequest
  /** The path and the query as they were sent. */
  readonly target: string
  /** The status of the reply, or why there is none: `gone` if the client did not wait for it. */
  readonly result: number | ConnectionFault | 'gone'
  readonly milliseconds: number
}

interface ServerOptions {
  readonly host: string
  /** 0 for any free port. */
  readonly port: number
  answer(request: ServiceRequest): Promise<Reply | ConnectionFault>
  readonly onAnswered: ((answered: Answered) => void) | undefined
}

/** A slow or silent client costs one connection for this long, and does not delay others. */
const limits = {
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  keepAliveTimeout: 5_000,
  connectionsCheckingInterval: 1_000,
  maxHeaderSize: 16 * 1024,
  // The host that a client names does not matter: whatever arrives here is for this service.
  requireHostHeader: false,
}

/** Further connections are closed immediately. Each can take some 100 KB of memory for bytes that are not read yet. */
const mostConnections = 500

/**
 * The maximum number of requests on one connection that wait for their replies. A client that sends more before it
 * reads is cut off: a few such clients, even without a key, could keep the service busy for minutes.
 */
const mostPipelined = 32

const mebibyte = 1024 * 1024
/** Shared by all request bodies that are too large to be read immediately. */
const largeBodiesBytes = 8 * mebibyte
/**
 * A hundred pets with long names make a reply of 100 MiB. Clients that do not read their replies must not use up the
 * memory.
 */
const unsentLimitBytes = 64 * mebibyte
const largeReplyBytes = mebibyte

const tooManyLargeReplies = busyReply('too many large replies are waiting for their clients')

/** How long closing waits for a request that is still arriving. */
const graceMilliseconds = 5_000

/** Starts a server for a handler on a port. */
export async function startServer({ host, port, answer, onAnswered }: ServerOptions) {
  const inFlight = createInFlight<{ replyBytes: number }>()
  /** Node's server no longer closes these sockets itself. */
  const refusedTunnels = createInFlight<Duplex>()
  /** The last request of each connection. */
  const latest = new WeakMap<Duplex, ServerResponse>()
  const pipelined = new WeakMap<Duplex, number>()
  const budget = createBodyBudget(largeBodiesBytes)
  let isClosing = false

  /** A reply that confirms a change is always sent. */
  const bounded = (method: string, reply: Reply): Reply => {
    const size = reply.body.byteLength
    if (size <= largeReplyBytes || (method !== 'GET' && method !== 'HEAD')) return reply
    const unsent = inFlight.items().reduce((sum, { replyBytes }) => sum + replyBytes, 0)
    return unsent === 0 || unsent + size <= unsentLimitBytes ? reply : tooManyLargeReplies
  }

  const handle = async (incoming: IncomingMessage, response: ServerResponse) => {
    const start = performance.now()
    const { socket } = incoming
    const waiting = pipelined.get(socket) ?? 0
    if (waiting === mostPipelined) return void socket.destroy()
    pipelined.set(socket, waiting + 1)
    const progress = { replyBytes: 0 }
    const finish = inFlight.add(progress)
    latest.set(socket, response)
    const body = requestBody(incoming, response, budget)
    const request = requestOf(incoming, body.read)
    const answered = await answer(request)
    const result = typeof answered === 'string' ? answered : bounded(request.method, answered)

    const isGone = response.destroyed || socket.destroyed
    body.discard()
    if (result === 'dropped') socket.destroy()
    else if (result !== 'stalled' && !isGone) {
      const headers = isClosing || body.isHeldBack ? { ...result.headers, connection: 'close' } : result.headers
      response.writeHead(result.status, headers).end(result.body)
    }
    onAnswered?.({
      request,
      target: incoming.url ?? '',
      result: typeof result === 'string' ? result : isGone ? 'gone' : result.status,
      milliseconds: performance.now() - start,
    })
    body.release()
    if (typeof result !== 'string' && result.body.byteLength > largeReplyBytes)
      progress.replyBytes = result.body.byteLength
    if (result !== 'stalled') await closed(response, socket)
    pipelined.set(socket, (pipelined.get(socket) ?? 1) - 1)
    finish()
  }

  const server = createServer(limits)
    .on('connection', (socket) => socket.setMaxListeners(0))
    .on('request', handle)
    .on('checkContinue', handle)
    .on('checkExpectation', handle)
    .on('connect', (_incoming, socket) => {
      socket.once('close', refusedTunnels.add(socket))
      refuseConnect(socket)
    })
    .on('clientError', (error, socket) => {
      const before = latest.get(socket)
      // The client would take an error reply for the reply to that request. That reply is still sent, and is the last
      // one.
      if (before?.closed === false && before.req.complete) before.shouldKeepAlive = false
      // That request already has its reply; only the rest of its body is broken.
      else if (before?.closed && !before.req.complete) socket.destroy()
      else refuseBrokenRequest(error, socket)
    })
  server.maxConnections = mostConnections
  await new Promise<void>((resolve, reject) => {
    // Later errors are about connections that could not be accepted, and have no effect.
    server.on('error', reject).listen(port, host, resolve)
  })

  const { address, port: actualPort } = server.address() as AddressInfo
  return {
    /** `http://127.0.0.1:4010`: for all addresses, one at which this machine reaches the service. */
    origin: `http://${reachableAt(address)}:${actualPort}`,
    /** Accepts nothing new, and resolves when all requests in progress are finished. */
    close: async () => {
      isClosing = true
      const closed = new Promise((resolve) => server.close(resolve))
      const closeConnections = () => {
        server.closeAllConnections()
        for (const socket of refusedTunnels.items()) socket.destroy()
      }
      const timer = setTimeout(closeConnections, graceMilliseconds)
      await inFlight.whenEmpty()
      clearTimeout(timer)
      closeConnections()
      await closed
    },
  }
}

/** A pipelined response never closes if its connection does while it waits for its turn. */
function closed(response: ServerResponse, socket: Duplex): Promise<void> {
  return new Promise((resolve) => {
    if (response.closed || socket.destroyed) return resolve()
    const done = () => {
      response.off('close', done)
      socket.off('close', done)
      resolve()
    }
    response.once('close', done)
    socket.once('close', done)
  })
}

/** The request with only the headers that the service uses. */
function requestOf(
  { method = '', url = '', headers }: IncomingMessage,
  readBody: ServiceRequest['readBody'],
): ServiceRequest {
  const { authorization = '', 'content-type': type = '' } = headers
  const address = url.startsWith('/') ? `http://local${url}` : url
  return { method, url: address, headers: { authorization, 'content-type': type }, readBody }
}

/** Sends an Error body for a request that Node's parser could not read. */
function refuseBrokenRequest(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (!socket.writable || error.code === 'ECONNRESET') socket.destroy()
  else endWith(socket, refusalOfBroken(error.code))
}

/** Node passes a CONNECT request on as a bare socket. */
function refuseConnect(socket: Duplex): void {
  // The client may be gone before it reads this.
  socket.on('error', () => socket.destroy())
  const allow = allowedMethods()
  endWith(socket, new Refusal(405, 'method_not_allowed', 'the method CONNECT is not allowed here', { allow }))
  socket.once('finish', () => socket.destroy())
}

function refusalOfBroken(code: string | undefined): Refusal {
  if (code === 'HPE_HEADER_OVERFLOW') return new Refusal(431, 'headers_too_large', 'the headers are too large')
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return new Refusal(408, 'timeout', 'the request took too long to arrive')
  return new Refusal(400, 'invalid_request', 'the request is not valid HTTP')
}

function endWith(socket: Duplex, { reply: { status, headers, body } }: Refusal): void {
  const lines = Object.entries({ ...headers, connection: 'close' }).map(([name, value]) => `${name}: ${value}`)
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('\r\n')}\r\n\r\n${Buffer.from(body)}`)
}

function reachableAt(address: string): string {
  if (address === '0.0.0.0') return '127.0.0.1'
  if (address === '::') return '[::1]'
  return isIPv6(address) ? `[${address}]` : address
}
