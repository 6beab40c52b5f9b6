import { once } from 'node:events'
import { type IncomingHttpHeaders, request } from 'node:http'
import { connect } from 'node:net'
import { onTestFinished } from 'vitest'
import { startService as serve } from '../../src/service/serve.ts'
import { expectDescribed } from './described.ts'

export const key = 'the-key'
export const json = { 'content-type': 'application/json ; charset=utf-8' }
export const rex = { name: 'Rex', categoryId: 1 }

interface ReceivedReply {
  readonly status: number | undefined
  readonly headers: IncomingHttpHeaders
  readonly text: string
  /** The body as JSON. */
  readonly body: unknown
}

type Options = Partial<Parameters<typeof serve>[0]>

type Sent = { readonly headers?: Record<string, string>; readonly body?: string }

/** The service as `petstore serve` runs it, in this process, on a free port. */
export async function startService(options: Options = {}) {
  const log: string[] = []
  const failures: string[] = []
  const service = await serve({
    host: '127.0.0.1',
    port: 0,
    key,
    path: ':memory:',
    firstPets: [],
    isResettable: true,
    now: () => new Date(),
    log: line => log.push(line),
    onFailure: ({ message }) => failures.push(message),
    otherPort: '',
    ...options
  })
  let closed: Promise<void> | undefined
  const close = () => {
    closed ??= service.close()
    return closed
  }
  onTestFinished(close)
  const port = Number(new URL(service.origin).port)

  /** Sends a request, with the key unless the headers say otherwise: `GET /v1/pets`. */
  const send = async (
    target: string,
    { headers = {}, body }: Sent = {}
  ): Promise<ReceivedReply> => {
    const [method = '', path = ''] = target.split(' ')
    const length = body !== undefined && { 'content-length': String(Buffer.byteLength(body)) }
    const all = { authorization: `Bearer ${key}`, ...length, ...headers }
    const outgoing = request({ port, method, path, headers: all })
    outgoing.end(body)
    const [reply] = await once(outgoing, 'response')
    const text = Buffer.concat(await reply.toArray()).toString()
    const isJson = String(reply.headers['content-type']).includes('json')
    const parsed = isJson && text !== '' ? JSON.parse(text) : undefined
    const received = { status: reply.statusCode, headers: reply.headers, text, body: parsed }
    expectDescribed(target, received)
    return received
  }
  return {
    origin: service.origin,
    close,
    log,
    failures,
    send,
    post: (path: string, value: unknown, headers: Record<string, string> = {}) =>
      send(`POST ${path}`, { headers: { ...json, ...headers }, body: JSON.stringify(value) }),
    /** Sends bytes as they are, and returns everything until the service closes the connection. */
    exchange: async (bytes: string) => {
      const socket = connect(port, '127.0.0.1').setEncoding('utf8')
      onTestFinished(() => void socket.destroy())
      socket.write(bytes)
      return (await socket.toArray()).join('')
    }
  }
}

export type RunningService = Awaited<ReturnType<typeof startService>>
