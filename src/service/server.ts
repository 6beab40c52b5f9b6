import { createServer, IncomingMessage, ServerResponse } from 'node:http'
import { type AddressInfo, isIPv6, type Socket } from 'node:net'
import type { Reply } from '../model/exchange.ts'
import { errorCode } from '../platform/errno.ts'
import { InFlight } from '../platform/in-flight.ts'
import { once, settledOrAborted } from '../platform/promises.ts'
import { ReceivedBody } from '../platform/received-body.ts'
import { type Connection, Connections } from './connections.ts'
import { bodyLimit, invalid, Refusal, type ServiceReply, type ServiceRequest } from './http.ts'

/** A request that has been answered or abandoned. */
export interface Answered {
  /** The method, the path and the query as they were sent. */
  readonly request: string
  /** The status of the reply, or why there is none: `gone` if the client did not wait for it. */
  readonly result: number | string
  readonly milliseconds: number
}

interface ServerOptions {
  readonly host: string
  /** 0 for any free port. */
  readonly port: number
  answer(request: ServiceRequest): Promise<ServiceReply>
  readonly onAnswered: ((answered: Answered) => void) | undefined
  /** Shorter limits, for tests. */
  readonly limits?: Partial<typeof standardLimits & { readingTimeout: number }>
}

/** A slow or silent client costs one connection for this long, and does not delay others. */
const standardLimits = {
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  keepAliveTimeout: 5_000,
  connectionsCheckingInterval: 1_000,
  maxHeaderSize: 16 * 1024,
  // The host that a client names does not matter: whatever arrives here is for this service.
  requireHostHeader: false
}

/** How long a client may read nothing of its reply. */
const readingMilliseconds = 20_000

/** How long closing waits for a request that is still arriving. */
const closingMilliseconds = 5_000

/** How many bytes of replies may wait for slow readers, over all connections. */
const mostUnsent = 64 * 1024 * 1024

/** Starts a server for a handler on a port. */
export async function startServer(options: ServerOptions) {
  const exchanges = new Exchanges(options)
  const server = createServer({ ...standardLimits, ...options.limits })
    .on('connection', socket => exchanges.connections.admit(socket))
    .on('request', (incoming, response) => exchanges.handle(incoming, response))
    .on('clientError', (error, socket) =>
      exchanges.answerUnreadable(socket as Socket, errorCode(error))
    )
  await new Promise<void>((resolve, reject) => {
    // Later errors are about connections that could not be accepted, and have no effect.
    server.on('error', reject).listen(options.port, options.host, resolve)
  })

  const { address, port } = server.address() as AddressInfo
  return {
    /** `http://127.0.0.1:4010`: for all addresses, one at which this machine reaches the service. */
    origin: `http://${reachableAt(address)}:${port}`,
    /** Accepts nothing new, and resolves when all requests in progress are finished. */
    close: async () => {
      const closed = new Promise(resolve => server.close(resolve))
      await settledOrAborted(exchanges.end(), AbortSignal.timeout(closingMilliseconds))
      server.closeAllConnections()
      await closed
    }
  }
}

/** The requests of all connections, with their replies. */
class Exchanges {
  readonly connections = new Connections()
  readonly #options: ServerOptions
  readonly #inFlight = new InFlight<void>()
  #unsentBytes = 0
  #isClosing = false

  constructor(options: ServerOptions) {
    this.#options = options
  }

  handle(incoming: IncomingMessage, response: ServerResponse): void {
    const connection = this.connections.of(incoming.socket)
    connection?.take(response, () => this.#respond(connection, incoming, response))
  }

  /** The end waits for requests that have started, and for no others. */
  async end(): Promise<void> {
    this.#isClosing = true
    await this.#inFlight.whenEmpty()
  }

  async #respond(
    connection: Connection,
    incoming: IncomingMessage,
    response: ServerResponse
  ): Promise<void> {
    const { method = '', url = '', headers, socket } = incoming
    const finish = this.#inFlight.add()
    const start = performance.now()
    const reply = await this.#options.answer({
      method,
      url: url.startsWith('/') ? `http://local${url}` : url,
      headers,
      // Nothing of the body is read until it is asked for: by fault injection, then by the route.
      readBody: once(() => receiveBody(incoming, response)),
      accept: () => {
        connection.isTrusted = true
      }
    })

    if (reply.fault === 'dropped') socket.destroy()
    // A request whose body is broken has been answered already, by `answerUnreadable`.
    else if (reply.fault === undefined && !response.headersSent && !socket.destroyed)
      this.#send(response, reply)
    const sent = response.headersSent ? response.statusCode : 'gone'
    this.#options.onAnswered?.({
      request: `${method} ${url}`,
      result: reply.fault ?? sent,
      milliseconds: performance.now() - start
    })
    // The end of the service does not wait for a reply that never comes. The second call of
    // `finish` then has no effect.
    if (reply.fault === 'stalled') finish()
    await closed(response)
    finish()
  }

  #send(response: ServerResponse, reply: Reply): void {
    const isTooMuch = this.#unsentBytes + reply.body.length > mostUnsent
    // Only a request that changes nothing can be refused now.
    const canBeRefused = ['GET', 'HEAD'].includes(response.req.method ?? '')
    const { status, headers, body } = isTooMuch && canBeRefused ? busyWithReaders : reply
    this.#unsentBytes += body.length
    response.once('close', () => {
      this.#unsentBytes -= body.length
    })
    response.socket?.setTimeout(this.#options.limits?.readingTimeout ?? readingMilliseconds)
    if (this.#isClosing) response.setHeader('connection', 'close')
    response.writeHead(status, headers).end(body)
  }

  /** Answers what Node's parser cannot read, or closes the connection if no reply is possible. */
  answerUnreadable(socket: Socket, code = ''): void {
    const { reply } = brokenRequests[code] ?? invalid('the request is not valid HTTP')
    const latest = this.connections.of(socket)?.latest
    const isAtBody = latest !== undefined && !latest.req.complete && !latest.writableEnded
    const isAtNewRequest = latest === undefined || (latest.req.complete && latest.writableFinished)
    const canAnswer =
      socket.writable &&
      // The client has closed the connection.
      code !== 'ECONNRESET' &&
      // Otherwise the error would be taken for the reply to the request before.
      (isAtBody || isAtNewRequest)
    if (!canAnswer) {
      socket.destroy()
      return
    }
    const response = isAtBody ? latest : responseOn(socket)
    response.shouldKeepAlive = false
    this.#send(response, reply)
    if (isAtBody) return
    this.#options.onAnswered?.({
      request: 'unreadable request',
      result: reply.status,
      milliseconds: 0
    })
  }
}

/** Node makes none for a request that it cannot read. */
function responseOn(socket: Socket): ServerResponse {
  const response = new ServerResponse(new IncomingMessage(socket))
  response.assignSocket(socket)
  return response.once('finish', () => socket.destroySoon())
}

const busyWithReaders = new Refusal(503, 'busy', 'other clients have not read their replies yet', {
  'retry-after': '1'
}).reply

/** Refuses a body that ends too early. The caller refuses one that is too large. */
function receiveBody(incoming: IncomingMessage, response: ServerResponse): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const endEarly = () => reject(invalid('the body ends too early'))
    if (response.destroyed || incoming.destroyed) return endEarly()
    const body = new ReceivedBody()
    let size = 0
    const finish = () => resolve(body.joined())
    // What is too much is read and dropped: most clients read the reply only after they have sent
    // everything.
    incoming.on('data', (chunk: Uint8Array) => {
      if (size > bodyLimit) return
      size += chunk.byteLength
      body.add(chunk)
      if (size > bodyLimit) finish()
    })
    incoming.once('end', finish)
    void closed(response).then(endEarly)
  })
}

function closed(response: ServerResponse): Promise<void> {
  return new Promise(resolve => {
    if (response.closed) resolve()
    else response.once('close', resolve)
  })
}

/** By the code of the error of Node's parser. Any other request is not valid HTTP. */
const brokenRequests: Readonly<Record<string, Refusal>> = {
  HPE_HEADER_OVERFLOW: new Refusal(431, 'headers_too_large', 'the headers are too large'),
  ERR_HTTP_REQUEST_TIMEOUT: new Refusal(408, 'timeout', 'the request took too long to arrive')
}

function reachableAt(address: string): string {
  if (address === '0.0.0.0') return '127.0.0.1'
  if (address === '::') return '[::1]'
  return isIPv6(address) ? `[${address}]` : address
}
