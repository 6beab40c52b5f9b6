import { createServer, type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http'
import { type AddressInfo, isIPv6 } from 'node:net'
import type { Duplex } from 'node:stream'
import type { Reply } from '../model/exchange.ts'
import { createInFlight } from '../platform/in-flight.ts'
import { once } from '../platform/promises.ts'
import { bodyLimit, invalid, Refusal, type ServiceRequest, tooLarge } from './http.ts'
import type { ConnectionFault } from './misbehavior.ts'
import { allowedMethods } from './router.ts'

/** A request that has been answered or abandoned. */
export interface Answered {
  /** Undefined if the request could not be read. */
  readonly method: string | undefined
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
  // Without a byte read or sent.
  idleTimeout: 20_000,
  maxHeaderSize: 16 * 1024,
  // The host that a client names does not matter: whatever arrives here is for this service.
  requireHostHeader: false,
}

/**
 * Further connections are closed immediately. Each can take some 100 KB of memory for bytes that
 * are not read yet.
 */
const mostConnections = 500

/** How long closing waits for a request that is still arriving. */
const graceMilliseconds = 5_000

/** How long a client that is refused may take to read the reply. */
const lingerMilliseconds = 1_000

/**
 * How many requests of one connection may wait. Node's parser reads on while they do, so a
 * connection that sends more is closed, and the requests that wait are not carried out.
 */
const mostWaiting = 100

/**
 * A connection with its requests, which are answered one by one: none is carried out whose reply
 * cannot be sent.
 */
interface Connection {
  /** How many requests are not answered yet. */
  unanswered: number
  /** The reply that is made or sent now. */
  response: ServerResponse | undefined
  /** The last request that arrived. */
  latest: ServerResponse | undefined
  /** Resolves when all requests so far are answered. */
  finished: Promise<void>
}

/** Starts a server for a handler on a port. */
export async function startServer({
  host,
  port,
  answer,
  onAnswered,
  limits,
}: ServerOptions): Promise<Server> {
  const inFlight = createInFlight<void>()
  const connections = new WeakMap<Duplex, Connection>()
  let isClosing = false

  const connectionOf = (socket: Duplex): Connection => {
    const known = connections.get(socket)
    if (known !== undefined) return known
    const connection = {
      unanswered: 0,
      response: undefined,
      latest: undefined,
      finished: Promise.resolve(),
    }
    connections.set(socket, connection)
    return connection
  }

  const handle = (incoming: IncomingMessage, response: ServerResponse) => {
    const { socket } = incoming
    const connection = connectionOf(socket)
    if (connection.unanswered > mostWaiting) socket.destroy()
    if (socket.destroyed) return
    const finish = inFlight.add()
    const isWaiting = connection.unanswered > 0
    const before = connection.finished
    connection.unanswered += 1
    const turn = async () => {
      if (isWaiting) {
        await before
        // Other connections have their turn between two requests of this one.
        await new Promise((resolve) => setImmediate(resolve))
        // The end of the service waits for requests that have started, and for no others.
        if (isClosing) socket.destroy()
      }
      connection.response = response
      if (!socket.destroyed) await respond(incoming, response, finish)
      connection.unanswered -= 1
      finish()
    }
    connection.latest = response
    connection.finished = turn()
  }

  const respond = async (
    incoming: IncomingMessage,
    response: ServerResponse,
    finish: () => void,
  ) => {
    const { socket } = incoming
    const start = performance.now()
    const request = requestOf(incoming, response)
    const result = await answer(request)

    if (result === 'dropped') socket.destroy()
    // A request whose body is broken has been answered already.
    else if (result !== 'stalled' && !response.headersSent && !socket.destroyed) {
      // A body that was not asked for may come or not, so nothing after it can be read.
      send(response, result, isClosing || (isHeldBack(incoming) && !incoming.complete))
    }
    onAnswered?.({
      method: request.method,
      target: incoming.url ?? '',
      result:
        typeof result === 'string' ? result : response.headersSent ? response.statusCode : 'gone',
      milliseconds: performance.now() - start,
    })
    // The end of the service does not wait for a reply that never comes.
    if (result === 'stalled') finish()
    await closed(response, socket)
  }

  const refuse = (socket: Duplex, { reply }: Refusal, method?: string, target = '') => {
    endWith(socket, reply)
    onAnswered?.({ method, target, result: reply.status, milliseconds: 0 })
  }

  const { idleTimeout, ...serverLimits } = { ...standardLimits, ...limits }
  const server = createServer(serverLimits)
    .on('request', handle)
    // Otherwise Node asks for the body before the key is checked.
    .on('checkContinue', handle)
    .on('checkExpectation', handle)
    // Node passes such a request on as a bare socket.
    .on('connect', ({ url }, socket) => {
      const message = 'the method CONNECT is not allowed here'
      refuse(
        socket,
        new Refusal(405, 'method_not_allowed', message, { allow: allowedMethods() }),
        'CONNECT',
        url,
      )
    })
    .on('clientError', (error: NodeJS.ErrnoException, socket) => {
      const response = connections.get(socket)?.latest
      const isAnswered = response?.writableEnded ?? true
      const isComplete = response?.req.complete ?? true
      if (!socket.writable || error.code === 'ECONNRESET') socket.destroy()
      else if (isAnswered && isComplete) refuse(socket, refusalOfBroken(error.code))
      // The rest of its body is broken, but it has its reply.
      else if (isAnswered) socket.destroy()
      else if (response !== undefined) {
        // An error reply now would be taken for the reply to that request, which is still sent, and
        // is the last one.
        socket.pause()
        response.shouldKeepAlive = false
        if (!isComplete) send(response, refusalOfBroken(error.code).reply, true)
      }
    })
    // A request that is being answered may take long, but not a client that does not read its
    // reply.
    .on('timeout', (socket) => {
      const { unanswered, response } = connectionOf(socket)
      if (unanswered === 0 || response?.writableEnded) socket.destroy()
    })
  server.timeout = idleTimeout
  server.maxConnections = mostConnections
  await new Promise<void>((resolve, reject) => {
    // Later errors are about connections that could not be accepted, and have no effect.
    server.on('error', reject).listen(port, host, resolve)
  })

  const { address, port: actualPort } = server.address() as AddressInfo
  return {
    origin: `http://${reachableAt(address)}:${actualPort}`,
    close: async () => {
      isClosing = true
      const closed = new Promise((resolve) => server.close(resolve))
      const timer = setTimeout(() => server.closeAllConnections(), graceMilliseconds)
      await inFlight.whenEmpty()
      clearTimeout(timer)
      server.closeAllConnections()
      await closed
    },
  }
}

function send(response: ServerResponse, { status, headers, body }: Reply, isLast: boolean): void {
  response.writeHead(status, isLast ? { ...headers, connection: 'close' } : headers).end(body)
}

/** Whether the client waits for `100 Continue` before it sends the body. */
function isHeldBack({ headers, httpVersion }: IncomingMessage): boolean {
  return httpVersion === '1.1' && /\b100-continue\b/i.test(headers.expect ?? '')
}

/** Refuses a body beyond `bodyLimit`, or one that ends too early. */
function readBody(incoming: IncomingMessage, response: ServerResponse): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const endEarly = () => reject(invalid('the body ends too early'))
    if (Number(incoming.headers['content-length'] ?? 0) > bodyLimit) return reject(tooLarge())
    if (response.destroyed || incoming.destroyed) return endEarly()
    if (isHeldBack(incoming)) response.writeContinue()
    const chunks: Uint8Array[] = []
    let size = 0
    // What is too much is read and dropped: most clients read the reply only after they have sent
    // everything.
    incoming.on('data', (chunk: Uint8Array) => {
      size += chunk.byteLength
      if (size <= bodyLimit) chunks.push(chunk)
      else reject(tooLarge())
    })
    incoming.once('end', () => resolve(Buffer.concat(chunks)))
    // Not that of the request, which does not close if its reply is sent before its body is
    // complete.
    response.once('close', endEarly)
  })
}

/** A response never closes if its connection does while it waits for its turn. */
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

/**
 * The request with only the headers that the service uses. Nothing of its body is read until a
 * route asks for it.
 */
function requestOf(incoming: IncomingMessage, response: ServerResponse): ServiceRequest {
  const { method = '', url = '', headers } = incoming
  const { authorization = '', 'content-type': type = '' } = headers
  const address = url.startsWith('/') ? `http://local${url}` : url
  // Fault injection reads the body before the route does.
  const body = once(() => readBody(incoming, response))
  return { method, url: address, headers: { authorization, 'content-type': type }, readBody: body }
}

/** For a request that Node's parser could not read. */
function refusalOfBroken(code: string | undefined): Refusal {
  if (code === 'HPE_HEADER_OVERFLOW')
    return new Refusal(431, 'headers_too_large', 'the headers are too large')
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT')
    return new Refusal(408, 'timeout', 'the request took too long to arrive')
  return new Refusal(400, 'invalid_request', 'the request is not valid HTTP')
}

/** Sends a reply on a bare socket, and closes it. */
function endWith(socket: Duplex, { status, headers, body }: Reply): void {
  const lines = Object.entries({ ...headers, connection: 'close' }).map(
    ([name, value]) => `${name}: ${value}`,
  )
  // The client may be gone before it reads this.
  socket.on('error', () => socket.destroy())
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('\r\n')}\r\n\r\n${Buffer.from(body)}`,
  )
  // With bytes that are not read, closing would reset the connection, and the client could not read
  // the reply.
  socket.resume()
  setTimeout(() => socket.destroy(), lingerMilliseconds)
}

function reachableAt(address: string): string {
  if (address === '0.0.0.0') return '127.0.0.1'
  if (address === '::') return '[::1]'
  return isIPv6(address) ? `[${address}]` : address
}
