import { createServer, type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http'
import { type AddressInfo, isIPv6, type Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { headerLines, type Reply } from '../model/exchange.ts'
import { InFlight } from '../platform/in-flight.ts'
import { once } from '../platform/promises.ts'
import { ReceivedBody } from '../platform/received-body.ts'
import { Connections } from './connections.ts'
import { bodyLimit, invalid, Refusal, type ServiceReply, type ServiceRequest } from './http.ts'
import { Turns } from './turns.ts'

/** A request that has been answered or abandoned. */
export interface Answered {
  /** Undefined if the request could not be read. */
  readonly method: string | undefined
  /** The path and the query as they were sent. */
  readonly target: string
  /** The status of the reply, or why there is none: `gone` if the client did not wait for it. */
  readonly result: number | 'dropped' | 'stalled' | 'gone'
  readonly milliseconds: number
}

interface ServerOptions {
  readonly host: string
  /** 0 for any free port. */
  readonly port: number
  answer(request: ServiceRequest): Promise<ServiceReply>
  readonly onAnswered: ((answered: Answered) => void) | undefined
  /** Shorter limits, for tests. */
  readonly limits?: Partial<typeof standardLimits>
}

export interface Server {
  /** `http://127.0.0.1:4010`: for all addresses, one at which this machine reaches the service. */
  readonly origin: string
  /** Accepts nothing new, and resolves when all requests in progress are finished. */
  close(): Promise<void>
}

/** A slow or silent client costs one connection for this long, and does not delay others. */
const standardLimits = {
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  keepAliveTimeout: 5_000,
  connectionsCheckingInterval: 1_000,
  // While a reply is sent: without a byte of it read.
  readingTimeout: 20_000,
  maxHeaderSize: 16 * 1024,
  // The host that a client names does not matter: whatever arrives here is for this service.
  requireHostHeader: false,
}

/** How long closing waits for a request that is still arriving. */
const closingMilliseconds = 5_000

/** How many bytes of replies may wait for slow readers, over all connections. */
const mostUnsent = 64 * 1024 * 1024

/** Starts a server for a handler on a port. */
export async function startServer(options: ServerOptions): Promise<Server> {
  const { readingTimeout, ...serverLimits } = { ...standardLimits, ...options.limits }
  const connections = new Connections()
  const exchanges = new Exchanges(options, connections, readingTimeout)
  const server = createServer(serverLimits)
    .on('connection', (socket) => connections.admit(socket))
    .on('request', (incoming, response) => exchanges.handle(incoming, response))
    .on('clientError', (error: NodeJS.ErrnoException, socket) => exchanges.refuse(socket, error))
  await new Promise<void>((resolve, reject) => {
    // Later errors are about connections that could not be accepted, and have no effect.
    server.on('error', reject).listen(options.port, options.host, resolve)
  })

  const { address, port } = server.address() as AddressInfo
  return {
    origin: `http://${reachableAt(address)}:${port}`,
    close: async () => {
      const closed = new Promise((resolve) => server.close(resolve))
      const timer = setTimeout(() => server.closeAllConnections(), closingMilliseconds)
      await exchanges.end()
      clearTimeout(timer)
      server.closeAllConnections()
      await closed
    },
  }
}

/** The requests of all connections, with their replies. */
class Exchanges {
  readonly #options: ServerOptions
  readonly #connections: Connections
  readonly #readingTimeout: number
  readonly #turns = new Turns()
  readonly #inFlight = new InFlight<void>()
  /** The reply to the request of each connection that arrived last. */
  readonly #latest = new WeakMap<Duplex, ServerResponse>()
  #unsentBytes = 0
  #isClosing = false

  constructor(options: ServerOptions, connections: Connections, readingTimeout: number) {
    this.#options = options
    this.#connections = connections
    this.#readingTimeout = readingTimeout
  }

  handle(incoming: IncomingMessage, response: ServerResponse): void {
    const { socket } = incoming
    this.#latest.set(socket, response)
    this.#turns.take(socket, () => this.#respond(incoming, response))
  }

  /** The end waits for requests that have started, and for no others. */
  async end(): Promise<void> {
    this.#isClosing = true
    await this.#inFlight.whenEmpty()
  }

  async #respond(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const { socket } = incoming
    const finish = this.#inFlight.add()
    const start = performance.now()
    const request = serviceRequest(incoming, response, () => this.#connections.trust(socket))
    const reply = await this.#options.answer(request)

    if (reply.fault === 'dropped') socket.destroy()
    // A request whose body is broken has been answered already.
    else if (reply.fault === undefined && !response.headersSent && !socket.destroyed) {
      this.#send(response, this.#unlessTooMuchWaits(request, reply))
    }
    this.#options.onAnswered?.({
      method: request.method,
      target: incoming.url ?? '',
      result: reply.fault ?? statusOf(response),
      milliseconds: performance.now() - start,
    })
    // The end of the service does not wait for a reply that never comes.
    if (reply.fault === undefined) await closed(response, socket)
    finish()
  }

  /** Only a request that changes nothing can be refused now. */
  #unlessTooMuchWaits({ method }: ServiceRequest, reply: Reply): Reply {
    const isTooMuch = this.#unsentBytes + reply.body.length > mostUnsent
    const canBeRefused = method === 'GET' || method === 'HEAD'
    return isTooMuch && canBeRefused ? busyWithReaders : reply
  }

  #send(response: ServerResponse, { status, headers, body }: Reply): void {
    const { socket } = response
    this.#unsentBytes += body.length
    response.once('close', () => {
      this.#unsentBytes -= body.length
    })
    socket?.setTimeout(this.#readingTimeout)
    if (this.#isClosing) response.setHeader('connection', 'close')
    response.writeHead(status, headers).end(body)
  }

  /** For what Node's parser cannot read. */
  refuse(socket: Duplex, { code }: NodeJS.ErrnoException): void {
    const { reply } = refusalOfBroken(code)
    const latest = this.#latest.get(socket)
    const isAtBody = latest !== undefined && !latest.req.complete && !latest.writableEnded
    const isAtNewRequest = latest === undefined || (latest.req.complete && latest.writableEnded)
    const canReply = socket.writable && code !== 'ECONNRESET'
    if (canReply && isAtBody) {
      latest.shouldKeepAlive = false
      this.#send(latest, reply)
    } else if (canReply && isAtNewRequest) {
      sendWithoutRequest(socket, reply)
      this.#options.onAnswered?.({
        method: undefined,
        target: '',
        result: reply.status,
        milliseconds: 0,
      })
    } else {
      // An error now would be taken for the reply to the request before.
      socket.destroy()
    }
  }
}

const busyWithReaders = new Refusal(503, 'busy', 'other clients have not read their replies yet', {
  'retry-after': '1',
}).reply

/** The status that was sent. */
function statusOf(response: ServerResponse): number | 'gone' {
  return response.headersSent ? response.statusCode : 'gone'
}

/** Refuses a body that ends too early. */
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
    void closed(response, incoming.socket).then(endEarly)
  })
}

/** A response without a connection of its own never closes, but its socket does. */
function closed(response: ServerResponse, socket: Socket): Promise<void> {
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

/**
 * The request with only the headers that the service uses. Nothing of its body is read until a
 * route asks for it.
 */
function serviceRequest(
  incoming: IncomingMessage,
  response: ServerResponse,
  accept: () => void,
): ServiceRequest {
  const { method = '', url = '', headers } = incoming
  const { authorization = '', 'content-type': type = '' } = headers
  const address = url.startsWith('/') ? `http://local${url}` : url
  // Fault injection reads the body before the route does.
  const readBody = once(() => receiveBody(incoming, response))
  return {
    method,
    url: address,
    headers: { authorization, 'content-type': type },
    readBody,
    accept,
  }
}

function refusalOfBroken(code: string | undefined): Refusal {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return new Refusal(431, 'headers_too_large', 'the headers are too large')
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new Refusal(408, 'timeout', 'the request took too long to arrive')
    default:
      return new Refusal(400, 'invalid_request', 'the request is not valid HTTP')
  }
}

/** Sends a reply on a bare socket, and closes it. */
function sendWithoutRequest(socket: Duplex, { status, headers, body }: Reply): void {
  const statusLine = `HTTP/1.1 ${status} ${STATUS_CODES[status]}`
  const lines = headerLines({ ...headers, connection: 'close' })
  const head = [statusLine, ...lines].join('\r\n')
  socket.end(`${head}\r\n\r\n${Buffer.from(body)}`, () => socket.destroy())
}

function reachableAt(address: string): string {
  if (address === '0.0.0.0') return '127.0.0.1'
  if (address === '::') return '[::1]'
  return isIPv6(address) ? `[${address}]` : address
}
