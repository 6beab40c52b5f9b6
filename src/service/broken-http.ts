import { STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import { Refusal, refusalReply } from './replies.ts'

/** Answers what Node's parser could not take for a request, with an Error body like everything else. */
export function refuseBrokenRequest(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (!socket.writable || error.code === 'ECONNRESET') {
    socket.destroy()
    return
  }
  endWith(socket, refusalFor(error.code))
}

/** Nothing is tunnelled here. Node hands a CONNECT over as a bare socket. */
export function refuseConnect(_request: unknown, socket: Duplex): void {
  // The client may be gone before it reads this.
  socket.on('error', () => socket.destroy())
  endWith(socket, new Refusal(405, 'method_not_allowed', 'CONNECT is not possible here', { allow: 'GET, HEAD, POST' }))
}

function refusalFor(code: string | undefined): Refusal {
  if (code === 'HPE_HEADER_OVERFLOW') return new Refusal(431, 'headers_too_large', 'the headers are too large')
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return new Refusal(408, 'timeout', 'the request took too long to arrive')
  return new Refusal(400, 'invalid_request', 'this is not HTTP as it should be')
}

function endWith(socket: Duplex, refusal: Refusal): void {
  const { status, headers, body } = refusalReply(refusal)
  const lines = Object.entries({ ...headers, connection: 'close' }).map(([name, value]) => `${name}: ${value}`)
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('\r\n')}\r\n\r\n${Buffer.from(body)}`)
}
