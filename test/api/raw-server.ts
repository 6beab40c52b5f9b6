import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'

export interface RawServer {
  readonly url: string
  /** How many requests have come with their whole head. */
  requests(): number
}

/** A server below HTTP: once the head of a request is there, it does with the socket whatever the test wants. */
export async function rawServer(answer: (socket: Socket) => void): Promise<RawServer> {
  const sockets = new Set<Socket>()
  let requests = 0
  const server = createServer((socket) => {
    sockets.add(socket)
    // How the other side goes away is looked at there.
    socket.on('error', () => {})
    let received = ''
    socket.on('data', (chunk) => {
      const wasComplete = received.includes('\r\n\r\n')
      received += chunk.toString('latin1')
      if (wasComplete || !received.includes('\r\n\r\n')) return
      requests += 1
      answer(socket)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy()
    server.close()
    await once(server, 'close')
  })
  return { url: `http://127.0.0.1:${portOf(server.address())}`, requests: () => requests }
}

/** An address of the loopback that refuses connections: one that was a server's a moment ago. */
export async function refusingAddress(): Promise<string> {
  const server = createServer()
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const port = portOf(server.address())
  server.close()
  await once(server, 'close')
  return `http://127.0.0.1:${port}`
}

function portOf(address: ReturnType<ReturnType<typeof createServer>['address']>): number {
  if (address === null || typeof address === 'string') throw new TypeError('the server has no port')
  return address.port
}
