import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { type AddressInfo, isIPv6 } from 'node:net'
import { once } from '../platform/promises.ts'
import { bodyLimit, type ServiceReply, type ServiceRequest } from './http.ts'

interface ServerOptions {
  readonly host: string
  /** 0 for any free port. */
  readonly port: number
  answer(request: ServiceRequest): Promise<ServiceReply>
  /** Receives a line for each request. */
  readonly log: ((line: string) => Promise<void>) | undefined
}

/** Starts a server for a handler on a port. */
export async function startServer({ host, port, answer, log }: ServerOptions) {
  const respond = async (incoming: IncomingMessage, response: ServerResponse) => {
    const { method = '', url = '', headers, socket } = incoming
    const start = performance.now()
    const reply = await answer({
      method,
      url: `http://local${url}`,
      headers,
      readBody: once(() => receiveBody(incoming))
    })
    if (reply.fault === 'dropped') socket.destroy()
    else if (reply.fault === undefined)
      response.writeHead(reply.status, reply.headers).end(reply.body)
    const milliseconds = (performance.now() - start).toFixed(1)
    await log?.(`${method} ${url} ${reply.fault ?? reply.status} ${milliseconds} ms`)
  }
  const server = createServer({ requestTimeout: 30_000 }, (incoming, response) => {
    // A client that goes away is no fault of the service.
    void respond(incoming, response).catch(() => incoming.socket.destroy())
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
        server.close(() => resolve())
        server.closeIdleConnections()
        setTimeout(() => server.closeAllConnections(), 5000).unref()
      })
  }
}

/** What is too much is read and dropped; the route refuses it. */
async function receiveBody(incoming: IncomingMessage): Promise<Uint8Array> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of incoming) {
    size += chunk.length
    if (size <= bodyLimit + chunk.length) chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

function reachableAt(address: string): string {
  if (address === '0.0.0.0') return '127.0.0.1'
  if (address === '::') return '[::1]'
  return isIPv6(address) ? `[${address}]` : address
}
