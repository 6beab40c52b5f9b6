import { once } from 'node:events'
import { createServer as createTcpServer, type Server, type Socket } from 'node:net'
import { createServer as createTlsServer, type TlsOptions } from 'node:tls'
import { onTestFinished } from 'vitest'

export interface RawServer {
  readonly url: string
  readonly port: number
  /** The number of complete requests received so far. */
  requests(): number
  /** Resolves when this many complete requests have arrived. */
  received(count: number): Promise<void>
}

interface RawRequest {
  readonly method: string
  /** The path, or the host and port of a CONNECT. */
  readonly target: string
  readonly head: string
  /** 1 for the first request on any connection. */
  readonly count: number
}

interface RawOptions {
  /** Speaks TLS before anything else. */
  readonly tls?: TlsOptions | undefined
  /**
   * Handles a new connection before its first request. If it returns `taken`, the server reads no
   * requests from it.
   */
  readonly onConnection?: (socket: Socket) => 'taken' | undefined
}

/** A server below HTTP: when a complete request has arrived, it passes the socket to the test. */
export async function rawServer(
  answer: (socket: Socket, request: RawRequest) => void,
  { tls, onConnection }: RawOptions = {}
): Promise<RawServer> {
  const waiting = new Set<() => void>()
  let count = 0
  const serve = (socket: Socket) => {
    // The test checks in the client how a connection ends.
    socket.on('error', () => {})
    if (onConnection?.(socket) === 'taken') return
    let received = ''
    const read = (chunk: Buffer) => {
      received += chunk.toString('latin1')
      const length = lengthOfRequest(received)
      if (length === undefined || received.length < length) return
      const head = received.slice(0, length)
      received = received.slice(length)
      const [method = '', target = ''] = head.split(' ', 2)
      count += 1
      // The bytes after a CONNECT are for the host that it names.
      if (method === 'CONNECT') socket.off('data', read)
      answer(socket, { method, target, head, count })
      for (const look of waiting) look()
    }
    socket.on('data', read)
  }
  const server = tls === undefined ? createTcpServer(serve) : createTlsServer(tls, serve)
  server.on('tlsClientError', () => {})
  const port = await listen(server)
  return {
    url: `${tls === undefined ? 'http' : 'https'}://127.0.0.1:${port}`,
    port,
    requests: () => count,
    received: expected =>
      new Promise(resolve => {
        const look = () => {
          if (count >= expected) resolve()
        }
        waiting.add(look)
        look()
      })
  }
}

/** The URL of a loopback port that refuses connections. */
export async function refusingAddress(): Promise<string> {
  // Below the ports that a system gives out, so that no other test listens on it meanwhile.
  return 'http://127.0.0.1:20999'
}

/** Listens on a free loopback port until the current test ends. */
async function listen(server: Server): Promise<number> {
  const sockets = new Set<Socket>()
  server.on('connection', socket => sockets.add(socket))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy()
    server.close()
    await once(server, 'close')
  })
  return portOf(server)
}

function lengthOfRequest(received: string): number | undefined {
  const end = received.indexOf('\r\n\r\n')
  if (end < 0) return undefined
  const [, length = '0'] = /\r\ncontent-length: *(\d+)/i.exec(received.slice(0, end)) ?? []
  return end + 4 + Number(length)
}

function portOf(server: Server): number {
  const address = server.address()
  if (address === null || typeof address === 'string') throw new TypeError('the server has no port')
  return address.port
}
