import { once } from 'node:events'
import { type IncomingHttpHeaders, request } from 'node:http'
import { connect, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'
import type { FaultPlan } from '../../src/service/faults.ts'
import { type Serving, serve } from '../../src/service/serve.ts'
import { expectDescribed } from './described.ts'

export const key = 'the-key'

interface Question {
  /** The key unless told otherwise; undefined leaves it out. */
  readonly authorization?: string | undefined
  /** Of a body: `application/json` unless told otherwise. */
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
  /** The lines of its log. */
  readonly log: string[]
  /** What it reports about its database. */
  readonly failures: string[]
  /** Sends a request, and holds the reply against the description. */
  ask(method: string, path: string, question?: Question): Promise<Answer>
  /** A bare connection on which a test writes what it likes. */
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
      // The service may well cut it.
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

/** What has come on the connection when the text has, or when it has ended. */
export async function readUntil(socket: Socket, text: string | RegExp): Promise<string> {
  let read = ''
  for await (const chunk of socket.iterator({ destroyOnReturn: false })) {
    read += chunk
    if (typeof text === 'string' ? read.includes(text) : text.test(read)) break
  }
  return read
}
