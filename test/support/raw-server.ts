import { once } from 'node:events'
import { createServer as createTcpServer, type Server, type Socket } from 'node:net'
import { createServer as createTlsServer, type TlsOptions } from 'node:tls'
import { onTestFinished } from 'vitest'

export interface RawServer {
  readonly url: string
  readonly port: number
  /** How many requests have come whole. */
  requests(): number
  /** Resolves when so many requests have come. */
  received(count: number): Promise<void>
}

interface RawRequest {
  readonly method: string
  /** The path, or the host and port that a CONNECT asks for. */
  readonly target: string
  readonly head: string
  /** 1 for the first request of all, on whatever connection. */
  readonly count: number
}

interface RawOptions {
  /** Speaks TLS before anything else. */
  readonly tls?: TlsOptions | undefined
  /** Does something with the connection before any request comes; `taken` keeps requests from being waited for. */
  readonly onConnection?: (socket: Socket) => 'taken' | undefined
}

/** A server below HTTP: once a whole request is there, it does with the socket whatever the test wants. */
export async function rawServer(
  answer: (socket: Socket, request: RawRequest) => void,
  { tls, onConnection }: RawOptions = {},
): Promise<RawServer> {
  const waiting = new Set<() => void>()
  let count = 0
  const serve = (socket: Socket) => {
    // How the other side goes away is looked at there.
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
      // What follows a CONNECT belongs to somebody else.
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
    received: (expected) =>
      new Promise((resolve) => {
        const look = () => {
          if (count >= expected) resolve()
        }
        waiting.add(look)
        look()
      }),
  }
}

/** An address of the loopback that refuses connections: one that was a server's a moment ago. */
export async function refusingAddress(): Promise<string> {
  const server = createTcpServer()
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const port = portOf(server)
  server.close()
  await once(server, 'close')
  return `http://127.0.0.1:${port}`
}

/** Listens on a free port of the loopback until the running test has ended. */
async function listen(server: Server): Promise<number> {
  const sockets = new Set<Socket>()
  server.on('connection', (socket) => sockets.add(socket))
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
