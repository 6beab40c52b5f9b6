import { once } from 'node:events'
import { type IncomingHttpHeaders, request } from 'node:http'
import { connect, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'
import type { FaultPlan } from '../../src/service/misbehavior.ts'
import { startService as serve } from '../../src/service/serve.ts'
import { expectDescribed } from './described.ts'

export const key = 'the-key'

const calm: FaultPlan = { latencyMilliseconds: 0, share: 0, failWith: 503, seed: 0 }

interface RequestOptions {
  /** The right key by default; undefined sends none. */
  readonly authorization?: string | undefined
  /** The content type of a body, `application/json` by default. */
  readonly type?: string | undefined
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array | undefined
}

interface ReceivedReply {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

export interface RunningService extends Awaited<ReturnType<typeof serve>> {
  readonly port: number
  /** One line for each request. */
  readonly log: string[]
  /** The messages of the failures that the service reports. */
  readonly failures: string[]
  /** Sends a request, and checks that the OpenAPI document describes the reply. */
  send(method: string, path: string, options?: RequestOptions): Promise<ReceivedReply>
  /** Opens a TCP connection. */
  open(): Promise<Socket>
}

interface Options {
  readonly samples?: boolean
  readonly data?: string
  readonly faults?: FaultPlan
  readonly now?: () => Date
}

/** The service as `petstore serve` runs it, in this process, on a free port. */
export async function startService(options: Options = {}): Promise<RunningService> {
  const { samples = false, data = ':memory:', faults = calm, now = () => new Date() } = options
  const log: string[] = []
  const failures: string[] = []
  const serving = await serve({
    host: '127.0.0.1',
    port: 0,
    key,
    database: { path: data, samples },
    faults,
    now,
    log: async line => {
      log.push(line)
    },
    onFailure: ({ message }) => failures.push(message),
    retyped: () => '',
    signal: new AbortController().signal
  })
  const port = Number(new URL(serving.origin).port)
  return {
    ...serving,
    port,
    log,
    failures,
    send: async (method, path, options) => {
      const reply = await send(port, method, path, options)
      expectDescribed({ method, path, ...reply })
      return reply
    },
    open: async () => {
      const socket = connect(port, '127.0.0.1').setEncoding('utf8')
      onTestFinished(() => void socket.destroy())
      // The service may close it with an error.
      socket.on('error', () => {})
      await once(socket, 'connect')
      return socket
    }
  }
}

async function send(
  port: number,
  method: string,
  path: string,
  options: RequestOptions = {}
): Promise<ReceivedReply> {
  const { body, type = 'application/json', headers } = options
  const authorization = 'authorization' in options ? options.authorization : `Bearer ${key}`
  const outgoing = request({
    port,
    method,
    path,
    headers: {
      ...(authorization !== undefined && { authorization }),
      ...(body !== undefined && {
        'content-type': type,
        'content-length': Buffer.byteLength(body)
      }),
      ...headers
    }
  })
  outgoing.end(body)
  const [reply] = await once(outgoing, 'response')
  const chunks: Buffer[] = await reply.toArray()
  return {
    status: reply.statusCode,
    headers: reply.headers,
    body: Buffer.concat(chunks).toString()
  }
}

/** Reads until the text arrives or the connection ends. Returns everything received. */
export async function readUntil(socket: Socket, text: string | RegExp): Promise<string> {
  let read = ''
  for await (const chunk of socket.iterator({ destroyOnReturn: false })) {
    read += chunk
    if (typeof text === 'string' ? read.includes(text) : text.test(read)) break
  }
  return read
}
