import { createServer, type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import { headerLines, type Reply } from '../model/exchange.ts'
import {
  bodyLimit,
  errorReply,
  invalid,
  Refusal,
  type ServiceReply,
  type ServiceRequest
} from './http.ts'

/** A server for a handler. */
export function createHttpServer(parts: {
  readonly key: string
  /** When it aborts, connections that were stalled are closed. */
  readonly ending: AbortSignal
  answer(request: ServiceRequest): Promise<ServiceReply>
  onAnswered(request: ServiceRequest, reply: ServiceReply, time: Date): void
}) {
  const { key, ending, answer, onAnswered } = parts
  /** The latest reply of a connection. */
  const latest = new WeakMap<Duplex, ServerResponse>()

  const respond = async (incoming: IncomingMessage, response: ServerResponse) => {
    const { method = '', url: path = '', headers, socket } = incoming
    const time = new Date()
    latest.set(socket, response)
    // Nothing of a body is kept without the key; what is not read may be malformed all the same.
    incoming.on('error', () => {})
    const [, given] = /^Bearer (\S+)$/i.exec(headers.authorization ?? '') ?? []
    const isAuthorized = given === key
    const request = { method, path, headers, isAuthorized, body: Buffer.from('') }
    let reply: ServiceReply
    try {
      requireKnown(headers.expect)
      if (isAuthorized) request.body = await receiveBody(incoming)
      reply = await answer(request)
    } catch (error) {
      reply = errorReply(error)
    }
    onAnswered(request, reply, time)
    const isClosing = ending.aborted
    if (reply.fault === undefined)
      // What was in progress when the service was closed is the last of its connection.
      response.writeHead(reply.status, headersOf(reply, isClosing)).end(reply.body)
    else if (reply.fault === 'dropped' || isClosing) socket.destroy()
    else ending.addEventListener('abort', () => socket.destroy())
  }

  const server = createServer({ requireHostHeader: false }, respond)
  // Without this, Node replies itself, and the next error of the connection would end the service.
  server.on('checkExpectation', respond)
  server.on('clientError', (error, socket) => {
    const current = latest.get(socket)
    const isReplied = current === undefined || current.writableFinished
    // Replies in progress come first, and the body of the last request may be what cannot be read.
    if (current?.req.complete === false) current.req.emit('error', error)
    else if (isReplied) refuseBytes(socket, `this is not an HTTP request: ${error.message}`)
    if (isReplied) socket.end()
    else current.once('finish', () => socket.end())
  })
  return server
}

/** Node itself answers the one that is known. */
function requireKnown(expectation = '100-continue') {
  if (!/100-continue/i.test(expectation))
    throw new Refusal(417, 'expectation_failed', `the expectation '${expectation}' is not known`)
}

/** Pages of any origin may read the replies, which need the key or hold no data. */
const openToPages = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': 'Retry-After'
}

function headersOf({ headers, body }: Reply, isLast: boolean) {
  const length = body.byteLength > 0 && { 'content-length': String(body.byteLength) }
  return { ...openToPages, ...headers, ...length, ...(isLast && { connection: 'close' }) }
}

/** Refuses what is not a request, for which Node has no response. */
function refuseBytes(socket: Duplex, problem: string) {
  if (!socket.writable) return
  const { reply } = invalid(problem)
  const start = `HTTP/1.1 ${reply.status} ${STATUS_CODES[reply.status]}`
  socket.write([start, ...headerLines(headersOf(reply, true)), '', ''].join('\r\n'))
  socket.write(reply.body)
}

/** No more than is needed to see that it is too large: the rest is dropped. */
function receiveBody(incoming: IncomingMessage) {
  const chunks: Buffer[] = []
  let size = 0
  return new Promise<Buffer<ArrayBuffer>>((resolve, reject) => {
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
