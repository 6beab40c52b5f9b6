import { once } from 'node:events'
import { type IncomingHttpHeaders, request } from 'node:http'
import { connect, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'
import type { FaultPlan } from '../../src/service/faults.ts'
import { type Serving, serve } from '../../src/service/serve.ts'
import { expectDescribed } from './described.ts'

export const key = 'the-key'

interface Question {
  /** The right key by default; undefined sends none. */
  readonly authorization?: string | undefined
  /** The content type of a body, `application/json` by default. */
  readonly type?: string | undefined
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array | undefined
}

interface Answer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

export interface ServiceOnAPort extends Serving {
  readonly port: number
  /** One line for each request. */
  readonly log: string[]
  /** The failures that it reports about its database. */
  readonly failures: string[]
  /** Sends a request, and checks that the OpenAPI document describes the reply. */
  ask(method: string, path: string, question?: Question): Promise<Answer>
  /** A bare connection. */
  open(): Promise<Socket>
}

interface Options {
  readonly samples?: boolean
  readonly data?: string
  readonly faults?: FaultPlan
  readonly now?: () => Date
}

/** The service as `petstore serve` runs it, in this process, on a free port. */
export async function serviceOnAPort(options: Options = {}): Promise<ServiceOnAPort> {
  const { samples = false, data = ':memory:', faults, now = () => new Date() } = options
  const log: string[] = []
  const failures: string[] = []
  const serving = await serve({
    host: '127.0.0.1',
    port: 0,
    key,
    data,
    localPath: undefined,
    samples,
    faults,
    now,
    log: (line) => log.push(line),
    onFailure: ({ message }) => failures.push(message),
    commandWith: () => '',
    signal: new AbortController().signal,
  })
  const port = Number(new URL(serving.origin).port)
  return {
    ...serving,
    port,
    log,
    failures,
    ask: async (method, path, question) => {
      const answer = await ask(port, method, path, question)
      expectDescribed({ method, path, ...answer })
      return answer
    },
    open: async () => {
      const socket = connect(port, '127.0.0.1').setEncoding('utf8')
      onTestFinished(() => void socket.destroy())
      // The service may close it with an error.
      socket.on('error', () => {})
      await once(socket, 'connect')
      return socket
    },
  }
}

async function ask(port: number, method: string, path: string, question: Question = {}): Promise<Answer> {
  const { body, type = 'application/json', headers } = question
  const authorization = 'authorization' in question ? question.authorization : `Bearer ${key}`
  const outgoing = request({
    port,
    method,
    path,
    headers: {
      ...(authorization !== undefined && { authorization }),
      ...(body !== undefined && { 'content-type': type, 'content-length': Buffer.byteLength(body) }),
      ...headers,
    },
  })
  outgoing.end(body)
  const [reply] = await once(outgoing, 'response')
  const chunks: Buffer[] = await reply.toArray()
  return { status: reply.statusCode, headers: reply.headers, body: Buffer.concat(chunks).toString() }
}

/** Everything received until the text arrives or the connection ends. */
export async function readUntil(socket: Socket, text: string | RegExp): Promise<string> {
  let read = ''
  for await (const chunk of socket.iterator({ destroyOnReturn: false })) {
    read += chunk
    if (typeof text === 'string' ? read.includes(text) : text.test(read)) break
  }
  return read
}
