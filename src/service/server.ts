import { createServer, type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http'
import { type AddressInfo, isIPv6 } from 'node:net'
import type { Duplex } from 'node:stream'
import { headerLines, type Reply } from '../model/exchange.ts'
import {
  bodyLimit,
  errorReply,
  invalid,
  isAuthorized,
  Refusal,
  type ServiceReply,
  type ServiceRequest
} from './http.ts'

/** A request that has been answered. */
export interface Answered extends ServiceRequest {
  readonly time: Date
  /** The status of the reply, or why there is none. */
  readonly result: number | NonNullable<ServiceReply['fault']>
}

interface ServerOptions {
  readonly host: string
  /** 0 for any free port. */
  readonly port: number
  readonly key: string
  answer(request: ServiceRequest): Promise<ServiceReply>
  onAnswered(answered: Answered): void
}

/** Pages of any origin may read the replies, which need the key or hold no data. */
const openToPages = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': 'Retry-After'
}

/** How long a client may take to send the rest of its request when the service is closed. */
const closingMilliseconds = 5000

/** Starts a server for a handler on a port. */
export async function startServer({ host, port, key, answer, onAnswered }: ServerOptions) {
  /** The latest reply of a connection. */
  const latest = new WeakMap<Duplex, ServerResponse>()
  const stalled = new Set<Duplex>()

  const respond = async (
    incoming: IncomingMessage,
    response: ServerResponse,
    refusal?: Refusal
  ) => {
    const { method = '', url: path = '', headers, socket } = incoming
    const time = new Date()
    latest.set(socket, response)
    // Nothing of a body is kept without the key; what is not read may be malformed all the same.
    incoming.on('error', () => {})
    const request = { method, path, headers, body: new Uint8Array() as Uint8Array }
    let reply: ServiceReply
    try {
      if (refusal !== undefined) throw refusal
      if (isAuthorized(headers, key)) request.body = await receiveBody(incoming)
      reply = await answer(request)
    } catch (error) {
      reply = errorReply(error)
    }
    onAnswered({ ...request, time, result: reply.fault ?? reply.status })
    if (reply.fault === 'dropped') socket.destroy()
    if (reply.fault === 'stalled') stalled.add(socket)
    if (reply.fault !== undefined) return
    // What was in progress when the service was closed is the last of its connection.
    if (!server.listening) response.setHeader('connection', 'close')
    send(response, reply)
  }

  const server = createServer({ requireHostHeader: false }, respond)
  // Without this, Node replies itself, and the next error of the connection would end the service.
  server.on('checkExpectation', (incoming, response) => {
    const problem = `the expectation '${incoming.headers.expect}' is not known`
    void respond(incoming, response, new Refusal(417, 'expectation_failed', problem))
  })
  server.on('clientError', (error, socket) => {
    const current = latest.get(socket)
    if (current === undefined || (current.writableFinished && current.req.complete)) {
      refuseBytes(socket, `this is not an HTTP request: ${error.message}`)
      return
    }
    // Replies in progress come first, and the body of the last request may be what cannot be read.
    if (!current.req.complete) current.req.emit('error', error)
    if (current.writableFinished) socket.end()
    else current.once('finish', () => socket.end())
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(port, host, resolve)
  })
  const { address, port: actual } = server.address() as AddressInfo
  return {
    /** `http://127.0.0.1:4010`: for all addresses, one at which this machine reaches the service. */
    origin: `http://${reachableAt(address)}:${actual}`,
    /** Accepts nothing new, and resolves when requests in progress are finished. */
    close: () =>
      new Promise<void>(resolve => {
        // Not all connections keep the process alive until they are closed.
        const limit = setTimeout(() => server.closeAllConnections(), closingMilliseconds)
        server.close(() => {
          clearTimeout(limit)
          resolve()
        })
        for (const socket of stalled) socket.destroy()
      })
  }
}

/** Refuses what is not a request, for which Node has no response. */
function refuseBytes(socket: Duplex, problem: string) {
  const { status, headers, body } = invalid(problem).reply
  const length = { 'content-length': String(body.byteLength) }
  const lines = headerLines({ ...openToPages, ...headers, ...length, connection: 'close' })
  const head = [`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...lines, '', ''].join('\r\n')
  if (socket.writable) socket.write(Buffer.concat([Buffer.from(head), body]))
  socket.end()
}

function send(response: ServerResponse, { status, headers, body }: Reply) {
  const length = body.byteLength > 0 && { 'content-length': body.byteLength }
  response.writeHead(status, { ...openToPages, ...headers, ...length }).end(body)
}

/** No more than is needed to see that it is too large: the rest is dropped. */
function receiveBody(incoming: IncomingMessage): Promise<Uint8Array> {
  const chunks: Buffer[] = []
  let size = 0
  return new Promise((resolve, reject) => {
    const finish = () => resolve(Buffer.concat(chunks))
    incoming.on('end', finish)
    incoming.on('error', () => reject(invalid('the body is incomplete')))
    incoming.on('data', (chunk: Buffer) => {
      size += chunk.length
      if (size - chunk.length <= bodyLimit) chunks.push(chunk)
      if (size > bodyLimit) finish()
    })
  })
}

function reachableAt(address: string) {
  if (address === '0.0.0.0') return '127.0.0.1'
  if (address === '::') return '[::1]'
  return isIPv6(address) ? `[${address}]` : address
}
